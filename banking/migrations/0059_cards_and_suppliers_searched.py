"""Index last digits of cards, and names of suppliers by trigrams, so that staff find them."""

from functools import partial

from django.db import migrations, models

from foundation.database import trigrams
from foundation.database.migration_operations import AddIndexConcurrently

NAME, TABLE, COLUMNS = "supplier_words", "banking_supplier", ["name"]


def add(_apps, schema_editor):
    trigrams.add_index(schema_editor, TABLE, NAME, COLUMNS)


def remove(_apps, schema_editor):
    trigrams.remove_index(schema_editor, NAME)


class Migration(migrations.Migration):
    atomic = False  # the tables stay open for writes
    lint_exceptions = {"not-repeatable": "each operation first drops what an interrupted try left"}
    dependencies = [("banking", "0058_staff_change_own_credentials_valid")]
    operations = [
        migrations.RunPython(add, remove),
        AddIndexConcurrently("card", models.Index(fields=["last4"], name="card_last4")),
    ]
