from django.db import migrations

# The bodies bind their functions when they are made: a restored database has no search path.
WORDS = """
CREATE FUNCTION banking_words(owner text, words text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN array_remove(string_to_array(regexp_replace(
    regexp_replace(lower(words), '[^a-z0-9_\\u0080-\\U0010ffff]+', ' ', 'g'),
    '[^ ]+', owner || '_\\&', 'g'
), ' '), '');
CREATE FUNCTION banking_transaction_words(business bigint, merchant bigint, words text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN array_to_tsvector(array_append(
    banking_words(business::text, words), business::text || '#' || coalesce(merchant, 0)::text
));
CREATE FUNCTION banking_merchant_words(words text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN array_to_tsvector(banking_words('', words));
CREATE INDEX transaction_words ON banking_transaction USING gin (
    banking_transaction_words(business_id, merchant_id, merchant_raw_name || ' ' || description)
);
CREATE INDEX merchant_words ON banking_merchant USING gin (banking_merchant_words(name));
"""
NO_WORDS = """
DROP INDEX merchant_words;
DROP INDEX transaction_words;
DROP FUNCTION banking_merchant_words;
DROP FUNCTION banking_transaction_words;
DROP FUNCTION banking_words;
"""


def add(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(WORDS)


def remove(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(NO_WORDS)


class Migration(migrations.Migration):
    """Index the words of transactions, each with its business, on PostgreSQL."""

    dependencies = [
        ('banking', '0036_merchant_totals'),
    ]

    operations = [migrations.RunPython(add, remove)]
