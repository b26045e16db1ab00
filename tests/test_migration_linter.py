"""The rules for the SQL of unreleased migrations."""

import pytest
from django.apps import apps
from django.db import migrations
from django.db.models import Index

from foundation.database.migration_operations import AddIndexConcurrently
from tests import migration_linter

pytestmark = pytest.mark.skipif(
    not migration_linter.SQUAWK.exists(), reason="squawk-cli is not installed"
)
INDEX = 'BEGIN;\nCREATE INDEX "a" ON "onboarding_lead" ("email");\nCOMMIT;'
RULE = "require-concurrent-index-creation"


def migration(**exceptions):
    made = migrations.Migration("0099_example", "onboarding")
    made.lint_exceptions = {name.replace("_", "-"): why for name, why in exceptions.items()}
    return made


def faults(sql, **exceptions):
    return [
        (fault.rule, fault.text)
        for fault in migration_linter.find_faults({migration(**exceptions): sql})
    ]


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ('CREATE INDEX "i" ON "t" ("c");', RULE),
        ('ALTER TABLE "t" ADD CONSTRAINT "c" CHECK (x > 0);', "constraint-missing-not-valid"),
        ('ALTER TABLE "t" ALTER COLUMN "x" DROP DEFAULT;', "ban-drop-default"),
        ('ALTER TABLE "t" RENAME COLUMN "x" TO "y";', "renaming-column"),
        ('ALTER TABLE "t" DROP COLUMN "x";', "ban-drop-column"),
        ('ALTER TABLE "t" ADD COLUMN "x" bigint NOT NULL;', "adding-required-field"),
        ('ALTER TABLE "t" ALTER COLUMN "x" TYPE bigint;', "changing-column-type"),
    ],
)
def test_what_locks_a_table_or_breaks_the_release_before_is_named(statement, rule):
    found = faults(f"BEGIN;\n{statement}\nCOMMIT;")

    assert [name for name, _ in found] == [rule]
    assert found[0][1].startswith(repr(statement))


@pytest.mark.parametrize(
    "statement",
    [
        'ALTER TABLE "t" ADD COLUMN "x" bigint NULL;',
        """ALTER TABLE "t" ADD COLUMN "x" varchar(9) DEFAULT 'a' NOT NULL;""",
        'ALTER TABLE "t" ADD COLUMN "x_id" bigint NULL CONSTRAINT "f" REFERENCES "u" ("id");',
        'ALTER TABLE "t" ADD CONSTRAINT "c" CHECK (x > 0) NOT VALID;',
        'CREATE TABLE "n" ("id" bigint PRIMARY KEY);\nCREATE INDEX "i" ON "n" ("id");',
    ],
)
def test_what_is_quick_and_fits_the_release_before_passes(statement):
    assert faults(f"BEGIN;\n{statement}\nCOMMIT;") == []


def test_a_busy_table_is_changed_by_the_last_operation_of_a_migration():
    lead = '--\n-- Add field\n--\nALTER TABLE "onboarding_lead" ADD COLUMN "x" bigint NULL;\n'
    other = lead.replace("onboarding_lead", "a_list")

    assert [rule for rule, _ in faults(f"BEGIN;\n{lead}{other}COMMIT;")] == [
        migration_linter.LOCKED
    ]
    assert faults(f"BEGIN;\n{other}{lead}COMMIT;") == []


def test_constraints_of_a_busy_table_are_validated_together():
    check = '--\n-- Validate\n--\nALTER TABLE "onboarding_lead" VALIDATE CONSTRAINT "x";\n'

    assert faults(f"BEGIN;\n{check}{check}COMMIT;") == []


def test_each_busy_table_is_there():
    assert {*migration_linter.BUSY} <= {model._meta.db_table for model in apps.get_models()}


def test_an_exception_has_a_reason_and_is_needed():
    assert faults(INDEX, require_concurrent_index_creation="The table is small.") == []
    assert (RULE, "This exception has no reason.") in faults(
        INDEX, require_concurrent_index_creation="small"
    )
    assert faults("SELECT 1;", ban_drop_column="No release reads it.") == [
        ("ban-drop-column", "No statement needs this exception.")
    ]


def test_a_migration_without_a_transaction_has_one_operation_unless_each_can_be_repeated():
    index = AddIndexConcurrently("lead", Index(fields=["email"], name="i"))
    other = migrations.RunSQL("SELECT 1")

    assert not judged([index, index])
    assert not judged([other])
    assert judged([index, other]) == [migration_linter.HALF_DONE]


def judged(operations):
    made = migration()
    made.atomic, made.operations = False, operations
    return [fault.rule for fault in migration_linter.find_faults({made: "SELECT 1;\n"})]
