"""What roles of PostgreSQL may do that own no table."""

import secrets

import pytest
from django.db import ProgrammingError, connection, transaction

from foundation.database import grants
from tests.conftest import APPEND_ONLY

needs_roles = pytest.mark.skipif(connection.vendor != "postgresql", reason="only it has roles")


@pytest.fixture
def role(protected_tables):
    """Go on as a role with these rights, which is gone after the test."""
    name = f"web_{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {name}")
        for statement in grants.statements(connection, [name]):
            cursor.execute(statement)
        cursor.execute(f"SET LOCAL ROLE {name}")
    yield name
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")


def refusal(statement):
    with pytest.raises(ProgrammingError) as refused, transaction.atomic():
        connection.cursor().execute(statement)
    return str(refused.value)


@needs_roles
@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize(
    "statement",
    ["UPDATE {} SET id = id", "DELETE FROM {}", "TRUNCATE {} CASCADE"],
)
def test_rows_of_append_only_tables_are_neither_changed_nor_deleted(role, table, statement):
    assert "permission denied" in refusal(statement.format(table))


@needs_roles
def test_rows_that_may_go_with_others_are_deleted_but_not_changed(role):
    assert "permission denied" in refusal("UPDATE onboarding_ownerrecord SET id = id")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM onboarding_ownerrecord")


@needs_roles
@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER onboarding_event_no_update ON onboarding_event",
        "ALTER TABLE onboarding_event DISABLE TRIGGER ALL",
        "ALTER TABLE onboarding_event OWNER TO CURRENT_USER",
        "CREATE OR REPLACE FUNCTION banking_refuse_change() RETURNS trigger LANGUAGE sql AS ''",
        "CREATE TABLE mine (id int)",
        "CREATE TEMPORARY TABLE onboarding_event (id int)",
        "DROP TABLE onboarding_lead",
        "TRUNCATE onboarding_note",
        "SET LOCAL session_replication_role = replica",
        "DELETE FROM django_migrations",
        "CREATE SCHEMA mine",
        "CREATE VIEW mine AS SELECT 1",
        "CREATE FUNCTION pg_temp.lower(text) RETURNS text LANGUAGE sql AS 'SELECT 1::text'",
        "CREATE RULE mine AS ON INSERT TO onboarding_event DO INSTEAD NOTHING",
        "ALTER TABLE onboarding_lead ENABLE ROW LEVEL SECURITY",
        "LOCK TABLE onboarding_event IN ACCESS EXCLUSIVE MODE",
        "COPY onboarding_lead TO PROGRAM 'cat'",
        "COPY onboarding_lead TO '/tmp/leads'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT rolpassword FROM pg_authid",
    ],
)
def test_triggers_and_tables_cannot_be_changed(role, statement):
    said = refusal(statement)

    assert any(text in said for text in ("permission denied", "must be owner", "must be superuser"))


@needs_roles
def test_a_role_with_the_rights_of_the_owner_is_refused(db):
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        owner = cursor.fetchone()[0]

    script = ";".join(grants.statements(connection, [owner]))
    with pytest.raises(ProgrammingError, match="has the rights of the owner"), transaction.atomic():
        connection.cursor().execute(script)


def run_as_script(statements):
    with transaction.atomic():
        connection.cursor().execute(";".join(statements))


@needs_roles
@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ("ALTER TABLE onboarding_note OWNER TO {}", "owns tables"),
        ("GRANT pg_write_all_data TO {}", "has more rights on"),
        (
            "CREATE ROLE {}_others; GRANT UPDATE ON onboarding_event TO {}_others; "
            "GRANT {}_others TO {}",
            "has more rights on",
        ),
    ],
)
def test_a_role_that_can_change_events_in_another_way_is_refused(db, given, fault):
    name = f"web_{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {name}")
        cursor.execute(given.replace("{}", name))

    with pytest.raises(ProgrammingError, match=fault):
        run_as_script(grants.statements(connection, [name]))


@needs_roles
def test_rights_of_everybody_are_taken_and_sequences_are_not_set(db):
    name = f"web_{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {name}")
        cursor.execute("GRANT UPDATE ON onboarding_event TO PUBLIC")
        cursor.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {name}, PUBLIC")

    run_as_script(grants.statements(connection, [name]))

    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {name}")
    assert "permission denied" in refusal("UPDATE onboarding_event SET id = id")
    assert "permission denied" in refusal("SELECT setval('onboarding_note_id_seq', 1)")
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('onboarding_note_id_seq')")
        cursor.execute("RESET ROLE")


@needs_roles
def test_names_are_quoted(db):
    text = "\n".join(grants.statements(connection, ['odd "name']))

    assert 'TO "odd ""name"' in text


@pytest.mark.skipif(connection.vendor == "postgresql", reason="it has roles")
def test_a_database_without_roles_is_refused(db):
    with pytest.raises(grants.NotPostgresql):
        list(grants.statements(connection, ["web"]))
