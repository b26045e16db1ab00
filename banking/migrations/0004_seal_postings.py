"""A posting seals its entries: they balance, and nothing is added, changed or deleted after it."""

from django.db import migrations

from foundation.database import append_only

TABLES = ["banking_posting", "banking_entry"]
FIXED_IDS = ["banking_user", "banking_business", "banking_account"]
# lateral, so that PostgreSQL looks up by index however little it knows of a table that grows
POSTGRESQL = """
CREATE FUNCTION banking_seal_posting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM sealed CROSS JOIN LATERAL (
            SELECT count(*) AS number, sum(amount_cents) AS total,
                bool_or(posted_at <> sealed.posted_at) AS is_of_another_time
            FROM banking_entry WHERE posting_id = sealed.id
        ) entries
        WHERE number < 2 OR total <> 0 OR is_of_another_time
    ) THEN
        RAISE EXCEPTION 'posting_entries_sum_to_zero' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER banking_posting_seals AFTER INSERT ON banking_posting
    REFERENCING NEW TABLE AS sealed
    FOR EACH STATEMENT EXECUTE FUNCTION banking_seal_posting();
CREATE FUNCTION banking_refuse_late_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM added CROSS JOIN LATERAL (
            SELECT 1 FROM banking_posting WHERE id = added.posting_id LIMIT 1
        ) posting
    ) THEN
        RAISE EXCEPTION 'entry_posting_is_sealed' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER banking_entry_in_time AFTER INSERT ON banking_entry
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION banking_refuse_late_entry();
-- two transactions at once do not see each other's rows before one of them commits
CREATE FUNCTION banking_balance_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT sum(amount_cents) FROM banking_entry WHERE posting_id = NEW.posting_id) <> 0 THEN
        RAISE EXCEPTION 'posting_entries_sum_to_zero' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER banking_entry_balances AFTER INSERT ON banking_entry
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION banking_balance_at_commit();
"""
POSTGRESQL_BACK = """
DROP TRIGGER banking_posting_seals ON banking_posting;
DROP TRIGGER banking_entry_in_time ON banking_entry;
DROP TRIGGER banking_entry_balances ON banking_entry;
DROP FUNCTION banking_balance_at_commit();
DROP FUNCTION banking_seal_posting();
DROP FUNCTION banking_refuse_late_entry();
"""
SQLITE = [
    """
    CREATE TRIGGER banking_posting_seals BEFORE INSERT ON banking_posting
    WHEN (SELECT count(*) < 2 OR sum(amount_cents) <> 0 OR max(posted_at <> NEW.posted_at)
          FROM banking_entry WHERE posting_id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'posting_entries_sum_to_zero'); END
    """,
    """
    CREATE TRIGGER banking_entry_in_time BEFORE INSERT ON banking_entry
    WHEN EXISTS (SELECT 1 FROM banking_posting WHERE id = NEW.posting_id)
    BEGIN SELECT RAISE(ABORT, 'entry_posting_is_sealed'); END
    """,
]
SQLITE_BACK = ["DROP TRIGGER banking_posting_seals", "DROP TRIGGER banking_entry_in_time"]


def seal(_apps, schema_editor):
    _execute(schema_editor, POSTGRESQL, SQLITE)
    for table in TABLES:
        append_only.protect(schema_editor.connection, table)
    for table in FIXED_IDS:
        append_only.freeze(schema_editor.connection, table, "external_id")


def unseal(_apps, schema_editor):
    _execute(schema_editor, POSTGRESQL_BACK, SQLITE_BACK)
    for table in TABLES:
        append_only.unprotect(schema_editor.connection, table)
    for table in FIXED_IDS:
        append_only.thaw(schema_editor.connection, table, "external_id")


def _execute(schema_editor, postgresql, sqlite):
    statements = [postgresql] if schema_editor.connection.vendor == "postgresql" else sqlite
    with schema_editor.connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("banking", "0003_records")]

    operations = [migrations.RunPython(seal, unseal)]
