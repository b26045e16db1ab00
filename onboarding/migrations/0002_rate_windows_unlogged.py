"""Keep rate windows out of PostgreSQL's write-ahead log: a crash may forget them."""

from django.db import migrations


def unlog(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE onboarding_ratewindow SET UNLOGGED")


def log(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE onboarding_ratewindow SET LOGGED")


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0001_initial")]
    operations = [migrations.RunPython(unlog, log)]
