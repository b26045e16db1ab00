"""Index-only scans of transactions stay so while rows pour in."""

from django.db import migrations

# Source: PostgreSQL's manual, "Routine Vacuuming".
OFTEN = "ALTER TABLE banking_transaction SET (autovacuum_vacuum_insert_scale_factor = 0.02)"
AS_USUAL = "ALTER TABLE banking_transaction RESET (autovacuum_vacuum_insert_scale_factor)"


def vacuum_often(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(OFTEN)


def vacuum_as_usual(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(AS_USUAL)


class Migration(migrations.Migration):
    dependencies = [("banking", "0005_reference_rows")]

    operations = [migrations.RunPython(vacuum_often, vacuum_as_usual)]
