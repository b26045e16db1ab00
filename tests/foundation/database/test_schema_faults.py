"""What the owner of a database can do to hide rows or change them without a trace in the rows."""

import pytest
from django.db import connection

from foundation.database import schema_faults

on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="only it has these")
on_sqlite = pytest.mark.skipif(connection.vendor == "postgresql", reason="it is another database")
MADE = "the database has what no migration made: "
LACKS = "the database lacks what a migration made: "

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("protected_tables")]


def faults_after(*statements):
    for statement in statements:
        connection.cursor().execute(statement)
    return list(schema_faults.find_faults(connection))


def test_a_migrated_database_has_no_faults_and_config_database_objects_json_lists_its_triggers():
    assert list(schema_faults.find_faults(connection)) == []


@on_postgresql
@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        (
            "ALTER TABLE onboarding_event ENABLE ROW LEVEL SECURITY",
            "rows of onboarding_event are hidden by row security",
        ),
        (
            "ALTER TABLE onboarding_lead FORCE ROW LEVEL SECURITY",
            "rows of onboarding_lead are hidden by row security",
        ),
        (
            "CREATE POLICY few ON banking_staffevent USING (number < 5)",
            f"{MADE}CREATE POLICY few ON banking_staffevent",
        ),
        (
            "CREATE RULE quiet AS ON INSERT TO banking_staffevent DO INSTEAD NOTHING",
            f"{MADE}CREATE RULE quiet AS ON INSERT TO banking_staffevent DO INSTEAD NOTHING;",
        ),
        (
            "CREATE TRIGGER quiet BEFORE INSERT ON onboarding_consent FOR EACH ROW "
            "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            f"{MADE}CREATE TRIGGER quiet BEFORE INSERT ON onboarding_consent FOR EACH ROW "
            "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        ),
        (
            "ALTER TABLE banking_entry DISABLE TRIGGER banking_entry_no_update",
            "trigger banking_entry_no_update of banking_entry is switched off",
        ),
        (
            "CREATE TABLE more () INHERITS (banking_staffevent)",
            "banking_staffevent shows the rows of more, too",
        ),
        (
            "ALTER TABLE onboarding_event ADD shown text GENERATED ALWAYS AS (upper(who)) STORED",
            "onboarding_event.shown is computed instead of stored",
        ),
        (
            "CREATE SCHEMA elsewhere; CREATE VIEW elsewhere.onboarding_event AS SELECT 1",
            "elsewhere.onboarding_event has the name of a table, and a search path can prefer it",
        ),
        (
            "CREATE FUNCTION lower(varchar) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT NULL'",
            f"{MADE}CREATE OR REPLACE FUNCTION lower(character varying) RETURNS text LANGUAGE sql "
            "IMMUTABLE AS $function$SELECT NULL$function$",
        ),
        (
            "CREATE OPERATOR = (LEFTARG = text, RIGHTARG = text, FUNCTION = textne)",
            f"{MADE}CREATE OPERATOR public.=(text,text)",
        ),
    ],
)
def test_what_hides_rows_or_refuses_new_ones_is_named(statement, fault):
    assert faults_after(statement) == [fault]


@on_postgresql
def test_a_temporary_table_in_the_place_of_a_table_is_named():
    faults = faults_after("CREATE TEMPORARY TABLE banking_staffchange AS SELECT 1 AS id")

    assert faults == [
        "banking_staffchange is a temporary table instead of a table",
        "public.banking_staffchange has the name of a table, and a search path can prefer it",
    ]


@on_postgresql
def test_a_view_in_the_place_of_a_table_is_named_with_the_triggers_that_are_gone():
    faults = faults_after(
        "ALTER TABLE onboarding_checkrun RENAME TO hidden",
        "CREATE VIEW onboarding_checkrun AS SELECT * FROM hidden WHERE id > 5",
    )

    assert faults[0] == "onboarding_checkrun is a view instead of a table"
    assert [fault.partition(" BEFORE")[0] for fault in faults[1:]] == [
        f"{LACKS}CREATE TRIGGER onboarding_checkrun_no_delete",
        f"{LACKS}CREATE TRIGGER onboarding_checkrun_no_update",
    ]


@on_postgresql
def test_a_function_that_refuses_nothing_is_named():
    faults = faults_after(
        "CREATE OR REPLACE FUNCTION banking_refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN RETURN NULL; END'"
    )

    assert [fault.partition(" RETURNS")[0] for fault in faults] == [
        f"{LACKS}CREATE OR REPLACE FUNCTION banking_refuse_change()",
        f"{MADE}CREATE OR REPLACE FUNCTION banking_refuse_change()",
    ]


@on_postgresql
@pytest.mark.parametrize(
    ("setting", "fault"),
    [
        ("session_replication_role = replica", "the triggers of {} are switched off: "),
        ("search_path = a, pg_catalog", "{} may find other functions before those of PostgreSQL: "),
    ],
)
def test_a_setting_of_a_role_that_turns_the_triggers_off_or_replaces_functions_is_named(
    setting, fault
):
    role = "role_of_a_test_of_faults"

    faults = faults_after(f"CREATE ROLE {role}", f"ALTER ROLE {role} SET {setting}")

    assert faults == [fault.format(role) + setting.replace(" = ", "=")]


@on_sqlite
@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        (
            "CREATE TRIGGER quiet BEFORE INSERT ON onboarding_event BEGIN SELECT RAISE(IGNORE); "
            "END",
            f"{MADE}CREATE TRIGGER quiet BEFORE INSERT ON onboarding_event BEGIN SELECT "
            "RAISE(IGNORE); END",
        ),
        (
            "DROP TRIGGER banking_entry_no_update",
            f"{LACKS}CREATE TRIGGER banking_entry_no_update BEFORE UPDATE ON banking_entry BEGIN "
            "SELECT RAISE(ABORT, 'banking_entry_no_update'); END",
        ),
        (
            "ALTER TABLE onboarding_event ADD shown text AS (upper(who))",
            "onboarding_event.shown is computed instead of stored",
        ),
    ],
)
def test_triggers_and_columns_of_sqlite_are_named(statement, fault):
    assert faults_after(statement) == [fault]


@on_sqlite
def test_a_view_of_sqlite_in_the_place_of_a_table_is_named():
    faults = faults_after(
        "ALTER TABLE django_admin_log RENAME TO hidden",
        "CREATE VIEW django_admin_log AS SELECT * FROM hidden WHERE id > 5",
    )

    assert faults == ["django_admin_log is missing, or a view instead of a table"]
