"""Verifying anchors: what was done to them, and what they say of the rows."""

from datetime import timedelta

import pytest

from foundation.anchoring import anchors
from foundation.anchoring.verification import Verification
from tests.factories import NOON, later, make_anchor_key
from tests.timestamp_server import serve_timestamps


@pytest.fixture
def anchored(settings, anchor_folder, make_application, make_event):
    """Two anchors of one event each."""
    make_event(make_application(), "application.created")
    make(settings)
    make_event(make_application(), "application.created")
    make(settings, at=later(days=1))
    return anchor_folder


def make(settings, *, at=NOON, **values):
    destinations = anchors.parse_destinations(settings.ANCHORS, lock=settings.ANCHOR_LOCK)
    return anchors.make(destinations, key_file=settings.ANCHOR_KEY_FILE, at=at, **values)


def report(settings, *, key_file=None, at=None, **values):
    """Return the faults and the other lines of a verification."""
    destinations = anchors.parse_destinations(settings.ANCHORS, lock=settings.ANCHOR_LOCK)
    key_file, at = key_file or settings.ANCHOR_KEY_FILE, at or later(days=1)
    lines = list(Verification(destinations.stores, key_file=key_file, at=at, **values).lines())
    return (
        [line.text for line in lines if line.is_fault],
        [line.text for line in lines if not line.is_fault],
    )


def replace(path, content):
    path.chmod(0o644)
    path.write_bytes(content)


def test_what_was_checked_and_what_is_not_covered_is_said(
    settings, anchored, make_event, make_application
):
    make_event(make_application(), "application.created")

    faults, seen = report(settings)

    since = "not covered, since newer than anchor 2 of 2026-03-03T12:00"
    assert faults == []
    assert seen == [
        f"anchors 1 to 2 checked in {anchored.as_uri()}",
        f"{since}: 0 rows of access_log",
        f"{since}: 0 rows of access_log_limits",
        f"{since}: 1 rows of events",
        f"{since}: 1 rows of histories",
        f"{since}: 0 rows of ledger",
        f"{since}: 0 rows of staff_events",
    ]


def test_another_key_is_found(settings, anchored, tmp_path):
    faults, _ = report(settings, key_file=make_anchor_key(tmp_path / "other.pem"))

    fault = "no key of the key file that counts for this anchor signed it"
    assert f"anchor 1 in {anchored.as_uri()}: {fault}" in faults
    assert f"there is no anchor in {anchored.as_uri()}" in faults


def test_a_missing_anchor_is_found(settings, anchored):
    (anchored / "000001.json").unlink()

    assert report(settings)[0] == [f"anchor 1 is missing in {anchored.as_uri()}"]


def test_an_anchor_that_one_store_lacks_is_checked_with_the_other(settings, anchored, tmp_path):
    second = tmp_path / "second"
    settings.ANCHORS = [second.as_uri(), *settings.ANCHORS]
    make(settings, at=later(days=1))
    (second / "000003.json").unlink()

    faults, seen = report(settings)

    assert faults == [f"anchor 3 is missing in {second.as_uri()}"]
    assert f"anchors 1 to 3 checked in {second.as_uri()}, {anchored.as_uri()}" in seen


def test_stores_that_were_rolled_back_lack_what_the_auditor_kept(settings, anchored, tmp_path):
    kept = tmp_path / "kept.json"
    kept.write_bytes((anchored / "000002.json").read_bytes())
    assert report(settings, kept=[kept])[0] == []
    for path in anchored.glob("000002*"):
        path.unlink()

    assert report(settings)[0] == []
    [fault] = report(settings, kept=[kept])[0]
    assert fault == f"anchor 2 is missing in {anchored.as_uri()}: see {kept}"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (lambda statement: statement.replace(b"2026", b"2025"), "is another than"),
        (lambda statement: b"{}", "format"),
    ],
)
def test_what_the_auditor_kept_is_what_the_stores_have(
    settings, anchored, tmp_path, content, fault
):
    kept = tmp_path / "kept.json"
    kept.write_bytes(content((anchored / "000001.json").read_bytes()))

    [found] = report(settings, kept=[kept])[0]

    assert fault in found


def test_a_kept_file_that_is_not_there_is_a_fault(settings, anchored, tmp_path):
    [fault] = report(settings, kept=[tmp_path / "none.json"])[0]

    assert "No such file" in fault


def test_no_anchor_at_all_is_a_fault(settings, anchor_folder, db):
    assert report(settings)[0] == [f"there is no anchor in {anchor_folder.as_uri()}"]


def test_an_altered_statement_is_found(settings, anchored):
    path = anchored / "000002.json"
    replace(path, path.read_bytes().replace(b'"number": 2', b'"number": 3'))

    (fault,) = report(settings)[0]

    assert "anchor 2" in fault
    assert "altered, or its signature is missing" in fault


def test_altered_records_are_found(settings, anchored):
    for path in anchored.glob("000001-*.records"):
        replace(path, path.read_bytes().replace(b", 1, ", b", 2, "))

    assert report(settings)[0] == ["anchor 1: its records are missing or altered"]


def test_records_of_one_store_stand_for_those_of_another(settings, anchored, tmp_path):
    second = tmp_path / "second"
    settings.ANCHORS = [second.as_uri(), *settings.ANCHORS]
    make(settings, at=later(days=1))
    for path in second.glob("*.records"):
        path.unlink()

    assert report(settings)[0] == []


def test_a_series_of_another_database_does_not_follow(settings, anchored, tmp_path):
    mine, other = settings.ANCHORS, tmp_path / "other"
    settings.ANCHORS = [other.as_uri()]
    make(settings, at=later(days=3))
    settings.ANCHORS = mine
    for path in [*anchored.glob("000001*")]:
        path.unlink()
    for path in other.glob("000001*"):
        path.rename(anchored / path.name)

    faults, _ = report(settings)

    assert "anchor 2 does not follow anchor 1" in faults
    assert any("leaves out rows of histories" in fault for fault in faults)


def test_stores_that_differ_are_found(settings, anchored, tmp_path):
    mine, other = settings.ANCHORS, tmp_path / "other"
    settings.ANCHORS = [other.as_uri()]
    make(settings)
    make(settings)
    settings.ANCHORS = [*mine, other.as_uri()]

    assert any(fault.startswith("anchor 2 differs between") for fault in report(settings)[0])


def test_anchors_that_are_no_longer_made_are_a_fault(settings, anchored):
    faults, _ = report(settings, at=later(days=1) + timedelta(days=2, hours=1))

    assert faults == ["no anchor was made since 2026-03-03T12:00"]


def test_anchors_before_a_restart_are_not_compared_with_rows(settings, anchored):
    make(settings, at=later(days=1), restart="backup restored")

    (fault,), _ = report(settings)
    faults, seen = report(settings, restarted=[3])

    assert fault.endswith("those before it were not compared with rows: backup restored")
    assert faults == []
    assert seen[0] == fault


def test_a_timestamp_is_told_and_one_that_does_not_fit_is_found(settings, anchored, tmp_path):
    mine = settings.ANCHORS
    with serve_timestamps(tmp_path) as server:
        settings.ANCHORS = [*mine, f"rfc3161:{server.url}"]
        make(settings, at=later(days=1))
    (token,) = anchored.glob("*.tst")

    assert any("anchor 3 has a timestamp of" in line for line in report(settings)[1])
    (other,) = anchored.glob("000001-*.sig")
    token.rename(anchored / f"{other.stem}-1.tst")
    assert any("not one of this statement" in fault for fault in report(settings)[0])


def test_rows_that_this_version_does_not_know_are_a_fault(settings, anchored, monkeypatch):
    monkeypatch.delitem(anchors.SOURCES, "histories")

    assert any("knows no rows named histories" in fault for fault in report(settings)[0])


def test_without_a_key_nothing_is_verified(settings, anchored):
    settings.ANCHOR_KEY_FILE = None

    assert report(settings)[0] == ["ANCHOR_KEY_FILE is not set"]
