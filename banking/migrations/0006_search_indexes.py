"""Indexes of the transaction search: by time, by what a total counts, by place."""

from django.db import migrations, models
from django.db.models import F, Q

# Index-only scans stay so while rows pour in. Source: PostgreSQL, "Routine Vacuuming", 25.1.4.
VACUUM = "ALTER TABLE banking_transaction SET (autovacuum_vacuum_insert_scale_factor = 0.02)"
VACUUM_BACK = "ALTER TABLE banking_transaction RESET (autovacuum_vacuum_insert_scale_factor)"


def vacuum_often(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(VACUUM)


def vacuum_as_usual(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(VACUUM_BACK)


class Migration(migrations.Migration):
    dependencies = [("banking", "0005_reference_rows")]

    operations = [
        migrations.RemoveIndex(model_name="transaction", name="transaction_pending"),
        migrations.AddIndex(
            model_name="transaction",
            index=models.Index(
                F("account"),
                F("transaction_type"),
                F("status"),
                F("category"),
                F("is_business"),
                F("occurred_at").desc(),
                F("id").desc(),
                name="transaction_kind",
            ),
        ),
        migrations.AddIndex(
            model_name="transaction",
            index=models.Index(
                fields=["business", "location"],
                condition=Q(location__isnull=False),
                name="transaction_location",
            ),
        ),
        migrations.RunPython(vacuum_often, vacuum_as_usual),
    ]
