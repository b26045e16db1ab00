"""manage.py verify_audit."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from banking.choices import StaffEventType
from banking.models import Entry
from banking.services import staff_history
from foundation.database import append_only
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Lead
from tests.factories import NOON

pytestmark = pytest.mark.usefixtures("protected_tables")


def test_a_whole_audit_says_how_much_was_seen(run, lead):
    assert run("verify_audit") == [
        "the audit is whole in itself (a forged chain takes --anchors): 1 events, no fault"
    ]


def test_without_a_store_there_is_nothing_to_compare_with(lead, settings):
    settings.ANCHORS = ["mailto:auditor@example.com"]

    with pytest.raises(CommandError, match="ANCHORS has none"):
        call_command("verify_audit", "--anchors")
    with pytest.raises(CommandError, match=r"ftp://example\.com"):
        call_command("verify_audit", "--anchors", "ftp://example.com")


def test_an_auditor_compares_with_a_copy_of_the_anchors(run, lead, anchor_folder, tmp_path):
    run("anchor_audit")
    copy = tmp_path / "copy"
    anchor_folder.rename(copy)

    lines = run("verify_audit", "--anchors", copy.as_uri())

    assert lines[0] == f"anchor 1 checked in {copy.as_uri()}"
    assert lines[-1] == "the audit is whole, and is the one that was anchored: 1 events, no fault"


def test_a_row_that_cannot_be_read_is_reported_and_the_others_are_anchored(
    run, lead, anchor_folder, make_transaction
):
    make_transaction()
    entry = Entry.objects.earliest("pk")
    connection.check_constraints()  # those of PostgreSQL that wait for a commit
    append_only.unprotect(connection, "banking_entry")
    value = "infinity" if connection.vendor == "postgresql" else "2026-99-01 00:00:00"
    with connection.cursor() as cursor:
        cursor.execute("UPDATE banking_entry SET posted_at = %s WHERE id = %s", [value, entry.pk])

    with pytest.raises(
        CommandError, match=r"anchor was made, but ledger has 1 new rows that canno"
    ):
        run("anchor_audit")
    out = StringIO()
    with pytest.raises(CommandError, match="faults among"):
        call_command("verify_audit", "--anchors", stdout=out)

    (records,) = anchor_folder.glob("*.records")
    assert str(lead.external_id) in records.read_text()
    ledger = [line for line in out.getvalue().splitlines() if line.startswith("ledger")]
    assert [line.partition(" (")[0] for line in ledger] == [
        f"ledger, id {entry.pk}: could not be read when it was anchored"
    ]


def test_anchors_that_began_anew_are_a_fault_unless_the_auditor_knows_of_it(
    run, lead, anchor_folder
):
    run("anchor_audit", "--restart", "backup of 2 March")

    with pytest.raises(CommandError, match="1 faults"):
        run("verify_audit", "--anchors")
    lines = run("verify_audit", "--anchors", "--restarted", "1")

    assert "backup of 2 March" in lines[0]
    assert lines[-1].startswith("the audit is whole, and is the one that was anchored since the")


def test_an_auditor_names_the_statement_that_was_mailed(run, lead, anchor_folder, tmp_path):
    run("anchor_audit")
    kept = tmp_path / "000001.json"
    kept.write_bytes((anchor_folder / "000001.json").read_bytes())

    assert run("verify_audit", "--anchors", "--kept", str(kept))[-1].startswith(
        "the audit is whole"
    )
    with pytest.raises(CommandError, match="--kept and --since compare with anchors"):
        run("verify_audit", "--kept", str(kept))


def test_a_fault_is_named_and_fails(capsys, lead):
    Application.objects.update(status=Status.APPROVED)

    with pytest.raises(CommandError, match="1 faults among 1 events"):
        call_command("verify_audit")

    assert str(Lead.objects.get().external_id) in capsys.readouterr().out


def test_a_dropped_trigger_is_named_and_fails(capsys, lead):
    on = " ON onboarding_event" if connection.vendor == "postgresql" else ""
    connection.cursor().execute(f"DROP TRIGGER onboarding_event_no_delete{on}")

    with pytest.raises(CommandError, match="1 faults among 1 events"):
        call_command("verify_audit")

    assert "lacks what a migration made: CREATE TRIGGER onboarding" in capsys.readouterr().out


def test_staff_events_that_cannot_be_read_end_no_audit(run, lead, capsys):
    with transaction.atomic():
        staff_history.record(StaffEventType.RENAMED, by=None, at=NOON)
    append_only.unprotect(connection, "banking_staffevent")
    unreadable = "infinity" if connection.vendor == "postgresql" else "2026-99-01 00:00:00"
    with connection.cursor() as cursor:
        cursor.execute("UPDATE banking_staffevent SET occurred_at = %s", [unreadable])

    with pytest.raises(CommandError, match="faults among"):
        call_command("verify_audit")
    assert "the history of staff cannot be read" in capsys.readouterr().out
