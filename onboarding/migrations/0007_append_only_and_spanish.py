"""Make events and consents append-only; give the checklist to start with its Spanish."""

from django.db import migrations

from foundation.database import append_only

TABLES = ["onboarding_event", "onboarding_consent"]
SPANISH = {
    "The IRS letter or form SS-4 with the EIN.": "La carta del IRS o el formulario SS-4 con el EIN.",
    "The articles of organization.": "Los artículos de organización.",
    "The operating agreement.": "El acuerdo operativo.",
    "The articles of incorporation.": "Los artículos de incorporación.",
    "The signed partnership agreement.": "El acuerdo de sociedad firmado.",
    "A government identification of the owner.": "Una identificación oficial del propietario.",
}


def protect(_apps, schema_editor):
    for table in TABLES:
        append_only.protect(schema_editor.connection, table)


def unprotect(_apps, schema_editor):
    for table in TABLES:
        append_only.unprotect(schema_editor.connection, table)


def translate(apps, _schema_editor):
    rules = apps.get_model("onboarding", "DocumentRule").objects.filter(message_es="")
    for english, spanish in SPANISH.items():
        rules.filter(message=english).update(message_es=spanish)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0006_lifecycle")]
    operations = [
        migrations.RunPython(protect, unprotect),
        migrations.RunPython(translate, migrations.RunPython.noop),
    ]
