"""Index names and email addresses by trigrams, so that staff find them in spite of typing errors."""

from functools import partial

from django.db import migrations

from foundation.database import trigrams

INDEXES = {
    "user_words": ("banking_user", ["first_name", "last_name", "email"]),
    "business_words": ("banking_business", ["legal_name", "email"]),
    "businessowner_words": ("banking_businessowner", ["first_name", "last_name", "email"]),
    "firm_words": ("banking_firm", ["name"]),
}


def add(_apps, schema_editor, *, name):
    table, columns = INDEXES[name]
    trigrams.add_index(schema_editor, table, name, columns)


def remove(_apps, schema_editor, *, name):
    trigrams.remove_index(schema_editor, name)


class Migration(migrations.Migration):
    atomic = False  # the tables stay open for writes
    dependencies = [("banking", "0046_numbers_searched")]
    operations = [
        migrations.RunPython(partial(add, name=name), partial(remove, name=name))
        for name in INDEXES
    ]
