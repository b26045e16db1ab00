"""A migration that rebuilds a table on SQLite leaves the triggers of the table in place."""

import pytest
from django.db import models

from foundation.database import append_only
from foundation.database.sqlite3.base import DatabaseWrapper
from onboarding.models import Event

TABLE = Event._meta.db_table
pytestmark = pytest.mark.django_db


@pytest.fixture
def database(tmp_path, settings):
    """A SQLite file of its own that has the append-only table of events."""
    options = {**settings.DATABASES["default"], "NAME": tmp_path / "events.sqlite3", "OPTIONS": {}}
    connection = DatabaseWrapper(options)
    with connection.schema_editor() as editor:
        editor.create_model(Event)
    append_only.protect(connection, TABLE)
    yield connection
    connection.close()


def triggers(connection):
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        return dict(cursor.fetchall())


def widen_a_column(editor):
    old = Event._meta.get_field("request_id")
    new = models.CharField(max_length=old.max_length + 1)
    new.set_attributes_from_name(old.name)
    new.model = Event
    editor.alter_field(Event, old, new)


def remove_a_constraint(editor):
    editor.remove_constraint(Event, Event._meta.constraints[0])


@pytest.mark.parametrize("change", [widen_a_column, remove_a_constraint])
def test_an_append_only_table_that_is_rebuilt_stays_append_only(database, change):
    before = triggers(database)

    with database.schema_editor() as editor:
        change(editor)

    assert set(before) == {f"{TABLE}_no_update", f"{TABLE}_no_delete", f"{TABLE}_no_replace"}
    assert triggers(database) == before


def test_a_migration_may_take_the_triggers_away_for_its_own_work(database):
    append_only.unprotect(database, TABLE)

    with database.schema_editor() as editor:
        widen_a_column(editor)

    assert triggers(database) == {}
