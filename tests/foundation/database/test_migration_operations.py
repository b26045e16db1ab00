"""Operations of migrations that leave a table open, on each database."""

import pytest
from django.db import IntegrityError, connection, models
from django.db.migrations.state import ModelState, ProjectState
from django.db.models import CheckConstraint, Index, Q

from foundation.database.migration_operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateConstraint,
)

pytestmark = pytest.mark.django_db(transaction=True)
INDEX = Index(name="shelf_number", fields=["number"])
POSITIVE = CheckConstraint(name="shelf_number_positive", condition=Q(number__gt=0))
on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="only it has these")


class Shelf:
    """A table of a test, and the state of its model."""

    table = "test_shelf"

    def __init__(self):
        self.state = ProjectState()
        fields = [("id", models.BigAutoField(primary_key=True)), ("number", models.IntegerField())]
        self.state.add_model(ModelState("test", "Shelf", fields, {"db_table": self.table}))
        self.model = self.state.apps.get_model("test", "Shelf")

    def run(self, operation, *, backwards=False):
        after = self.state.clone()
        operation.state_forwards("test", after)
        with connection.schema_editor(atomic=operation.atomic) as editor:
            if backwards:
                operation.database_backwards("test", editor, after, self.state)
            else:
                operation.database_forwards("test", editor, self.state, after)
                self.state = after

    def constraints(self):
        with connection.cursor() as cursor:
            return connection.introspection.get_constraints(cursor, self.table)


@pytest.fixture
def shelf():
    shelf = Shelf()
    with connection.schema_editor() as editor:
        editor.create_model(shelf.model)
    yield shelf
    with connection.schema_editor() as editor:
        editor.delete_model(shelf.model)


def test_an_index_is_added_and_removed(shelf):
    shelf.run(AddIndexConcurrently("shelf", INDEX))
    added = shelf.constraints()
    shelf.run(RemoveIndexConcurrently("shelf", INDEX.name))

    assert INDEX.name in added
    assert INDEX.name not in shelf.constraints()


def test_both_are_undone(shelf):
    before = shelf.constraints()
    state = shelf.state
    add, remove = AddIndexConcurrently("shelf", INDEX), RemoveIndexConcurrently("shelf", INDEX.name)

    shelf.run(add)
    added_state, shelf.state = shelf.state, state
    shelf.run(add, backwards=True)
    undone = shelf.constraints()
    shelf.state = added_state
    shelf.run(remove, backwards=True)

    assert undone == before
    assert INDEX.name in shelf.constraints()


def test_a_constraint_refuses_new_rows_at_once_and_old_ones_when_it_is_validated(shelf):
    if connection.vendor == "postgresql":
        shelf.model.objects.create(number=0)

    shelf.run(AddConstraintNotValid("shelf", POSITIVE))

    with pytest.raises(IntegrityError, match=POSITIVE.name):
        shelf.model.objects.create(number=-1)
    if connection.vendor == "postgresql":
        with pytest.raises(IntegrityError, match=POSITIVE.name):
            shelf.run(ValidateConstraint("shelf", POSITIVE.name))
        shelf.model.objects.update(number=1)
    shelf.run(ValidateConstraint("shelf", POSITIVE.name))


@on_postgresql
def test_an_invalid_index_of_an_interrupted_try_is_replaced_and_the_lock_timeout_returns(shelf):
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE INDEX {INDEX.name} ON {shelf.table} (id)")
        cursor.execute("SET lock_timeout = '7s'")

    shelf.run(AddIndexConcurrently("shelf", INDEX))

    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        shown = cursor.fetchone()
        cursor.execute("RESET lock_timeout")
    assert shown == ("7s",)
    assert shelf.constraints()[INDEX.name]["columns"] == ["number"]
