"""Bind encrypted values to their rows, whose external ids never change from now on."""

from django.db import migrations

from foundation.database import append_only
from foundation.privacy.fields import EncryptedField

FIXED_IDS = ["onboarding_lead", "onboarding_owner", "onboarding_webhook", "onboarding_mail"]


def freeze(_apps, schema_editor):
    for table in FIXED_IDS:
        append_only.freeze(schema_editor.connection, table, "external_id")


def thaw(_apps, schema_editor):
    for table in FIXED_IDS:
        append_only.thaw(schema_editor.connection, table, "external_id")


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0029_answers_version")]
    operations = [
        migrations.AlterField(
            model_name="formdraft",
            name="content",
            field=EncryptedField(bound_to=("application", "page")),
        ),
        migrations.RunPython(freeze, thaw),
    ]
