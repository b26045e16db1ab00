"""All connection checks together, and those of files, hosts and this machine."""

import io
import threading

import pytest
from botocore.exceptions import EndpointConnectionError
from django import conf
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import OperationalError

from config.connection_checks import anchors, machine, outgoing, parts, scanner, store
from config.connection_checks.findings import Finding
from tests.factories import make_webhook


def refuse():
    raise OSError("[Errno 111] Connection refused")
    yield


def keep_files_and_lose_the_database():
    yield Finding("Files are kept.")
    raise OperationalError("connection refused")


def wait():
    threading.Event().wait(60)
    yield Finding("late")


def test_each_part_is_asked_and_none_hides_another():
    found = parts.check_parts({"good": lambda: iter([Finding("Fine.")]), "bad": refuse})

    assert found["good"] == [Finding("Fine.")]
    assert "Nothing listens there" in found["bad"][0].hint


def test_a_database_that_is_away_is_no_fault_of_another_part():
    [kept, rest] = parts.check_parts({"store": keep_files_and_lose_the_database})["store"]

    assert kept == Finding("Files are kept.")
    assert rest.text == "This check needs the database, which does not answer."


def test_a_part_without_an_answer_in_time_is_a_fault():
    found = parts.check_parts({"slow": wait}, seconds=0.1)

    assert found["slow"][0].text == "There is no answer within 0.1 s."


def test_the_command_prints_each_part_and_ends_with_a_fault(monkeypatch):
    found = {"mail": [Finding("Fine.")], "broker": [Finding("It is away.", "Start it.")]}
    monkeypatch.setattr(parts, "check_parts", lambda: found)
    shown = io.StringIO()

    with pytest.raises(CommandError, match="Connections have 1 fault"):
        call_command("check", live=True, stdout=shown)

    assert "ok    mail: Fine.\nFAULT broker: It is away. Start it.\n" in shown.getvalue()


@pytest.mark.django_db
def test_a_store_that_keeps_files_has_no_fault():
    assert [finding.hint for finding in store.check()] == ["", ""]


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (PermissionError(13, "Permission denied", "/media"), "user of the programs"),
        (EndpointConnectionError(endpoint_url="https://127.0.0.1:1/"), "DOCUMENT_S3_ENDPOINT"),
    ],
    ids=["folder", "S3"],
)
def test_a_store_that_takes_no_files_is_a_fault(monkeypatch, error, hint):
    def fail(*_args):
        raise error

    monkeypatch.setattr(storages["papers"], "save", fail)

    [found] = store.check()

    assert hint in found.hint


@pytest.mark.django_db
def test_a_webhook_whose_host_cannot_be_reached_is_a_fault(settings):
    settings.ALLOW_LOOPBACK = True
    make_webhook(server_url="http://127.0.0.1:1/")

    [found] = outgoing.check_webhooks()

    assert "Nothing listens there" in found.hint


def test_nothing_is_tried_while_nothing_leaves(settings):
    settings.OUTBOUND = False

    assert [*outgoing.check_providers(), *outgoing.check_webhooks()] == [outgoing.HELD] * 2


def test_a_scanner_that_is_away_is_a_fault(settings, tmp_path):
    settings.SCANNER, settings.CLAMD_ADDRESS = "clamd", str(tmp_path / "clamd.ctl")

    [found] = scanner.check()

    assert "Start clamd" in found.hint


def test_anchors_need_a_folder_that_can_be_written(settings, tmp_path):
    settings.ANCHOR_KEY_FILE, settings.ANCHORS = tmp_path / "key", [f"file://{tmp_path}/new"]

    [found] = anchors.check()

    assert found == Finding(f"Anchors can be written to {tmp_path}/new.")


def test_a_machine_without_room_or_static_files_has_faults(settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(conf.settings, "STATIC_ROOT", tmp_path)  # no signal: stores stay
    monkeypatch.setattr(machine, "LEAST_BYTES", 2**80)

    room, files = machine.check()

    assert "Make room" in room.hint
    assert "collectstatic" in files.hint
