"""Making anchors: where they go, and what stops them."""

import pytest
from django.core import mail

from foundation.anchoring import anchors, exclusion, keys, stores
from foundation.anchoring.anchors import NotAnchored
from foundation.anchoring.statements import Statement, digest
from foundation.anchoring.stores import StoreFault
from foundation.anchoring.verification import Verification
from onboarding.models import Event
from tests.factories import NOON, later, make_anchor_key
from tests.mail_server import serve_mail
from tests.timestamp_server import serve_timestamps


@pytest.fixture
def make(settings, anchor_folder):
    """Make an anchor at the locations of the settings."""

    def make(*, at=NOON, **values):
        destinations = anchors.parse_destinations(settings.ANCHORS, lock=settings.ANCHOR_LOCK)
        values = {"key_file": settings.ANCHOR_KEY_FILE, "at": at, **values}
        return anchors.make(destinations, **values)

    return make


@pytest.fixture
def event(make_application, make_event):
    return make_event(make_application(), "application.created")


def endings(folder):
    return sorted(path.suffix for path in folder.iterdir())


def test_an_anchor_is_a_statement_its_signature_and_its_records(event, make, anchor_folder):
    made = make()

    content = (anchor_folder / "000001.json").read_bytes()
    assert made.faults == []
    assert endings(anchor_folder) == [".json", ".records", ".sig"]
    assert Statement.from_bytes(content) == made.statement
    (records,) = anchor_folder.glob("*.records")
    assert str(event.lead.external_id) in records.read_text()


def test_an_anchor_has_the_rows_since_the_last_one(event, make, anchor_folder):
    first = make().statement
    second = make(at=later(days=1)).statement

    assert (first.number, first.records) == (1, 2)  # the history, and the range of events
    assert (second.number, second.records) == (2, 0)
    assert second.previous == digest((anchor_folder / "000001.json").read_bytes())
    assert second.ranges["histories"] == (event.pk, event.pk)


def test_of_two_at_once_the_second_is_refused_and_no_fault_remains(
    event, make, anchor_folder, settings, in_threads
):
    made = in_threads(lambda _: make(), range(3))

    refused = [one for one in made if isinstance(one, NotAnchored)]
    found = anchors.parse_destinations(settings.ANCHORS, lock=settings.ANCHOR_LOCK).stores
    run = Verification(found, key_file=settings.ANCHOR_KEY_FILE, at=NOON)
    assert [line.text for line in run.lines() if line.is_fault] == []
    assert len(list(anchor_folder.glob("*.json"))) == 3 - len(refused)
    assert {str(one) for one in refused} <= {"another process is making an anchor now"}


def test_nothing_is_anchored_while_another_process_does(make, anchor_folder, settings, db):
    with (
        exclusion.alone(settings.ANCHOR_KEY_FILE),
        pytest.raises(NotAnchored, match="another process"),
    ):
        make()

    assert make().statement.number == 1


def test_nothing_leaves_a_copy(make, anchor_folder, settings, db):
    settings.OUTBOUND = False

    with pytest.raises(NotAnchored, match="OUTBOUND is off"):
        make()

    assert not anchor_folder.exists() or not list(anchor_folder.iterdir())


def test_progress_is_reported(monkeypatch, event, make):
    monkeypatch.setattr(anchors, "REPORT_EVERY", 1)
    reports = []

    make(report=reports.append)

    assert reports == [1, 2]


def test_a_timestamp_is_kept_beside_the_statement(settings, make, anchor_folder, tmp_path, db):
    with serve_timestamps(tmp_path) as server:
        settings.ANCHORS = [*settings.ANCHORS, f"rfc3161:{server.url}"]
        made = make()

    assert made.faults == []
    assert ".tst" in endings(anchor_folder)


def test_a_server_that_is_away_does_not_stop_the_anchor(settings, make, anchor_folder, db):
    settings.ANCHORS = [*settings.ANCHORS, "rfc3161:http://127.0.0.1:9/"]

    (fault,) = make().faults

    assert "127.0.0.1:9" in fault
    assert (anchor_folder / "000001.json").is_file()


def test_the_auditor_is_mailed_the_statement_and_its_signature(settings, make, anchor_folder, db):
    with serve_mail() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_USE_TLS = False
        settings.ANCHORS = [*settings.ANCHORS, "mailto:auditor@example.com"]
        made = make()

    (sent,) = server.received
    files = {part.get_filename(): part.get_content() for part in sent.iter_attachments()}
    assert made.faults == []
    assert sent["To"] == "auditor@example.com"
    assert made.statement.root in sent.get_body().get_content()
    assert all((anchor_folder / name).read_bytes() == files[name] for name in files)
    assert len(files) == 2


def test_a_mail_server_that_is_away_does_not_stop_the_anchor(settings, make, monkeypatch, db):
    def refuse(_mail):
        raise ConnectionRefusedError("no mail server")

    monkeypatch.setattr(mail.EmailMessage, "send", refuse)
    settings.ANCHORS = [*settings.ANCHORS, "mailto:auditor@example.com"]

    assert make().faults == ["mail to an auditor: no mail server"]


def test_a_store_that_was_away_is_given_what_it_missed(settings, make, tmp_path, db):
    make()
    second = tmp_path / "second"
    settings.ANCHORS = [*settings.ANCHORS, second.as_uri()]
    made = make()

    assert made.faults == []
    assert sorted(path.name for path in second.glob("*.json")) == ["000001.json", "000002.json"]


def test_a_store_that_cannot_be_written_does_not_stop_the_other(
    settings, make, monkeypatch, tmp_path, db
):
    blocked = tmp_path / "second"
    write = stores.Folder.write

    def refuse(store, *arguments, **values):
        if store.path == blocked:
            raise StoreFault(f"{store.location}: full")
        write(store, *arguments, **values)

    monkeypatch.setattr(stores.Folder, "write", refuse)
    settings.ANCHORS = [*settings.ANCHORS, blocked.as_uri()]

    assert make().faults == [f"{blocked.as_uri()}: full"]
    settings.ANCHORS = [blocked.as_uri()]
    with pytest.raises(NotAnchored, match="full"):
        make()


def test_a_run_that_was_interrupted_is_made_up_for(make, monkeypatch, anchor_folder, db):
    write = stores.Folder.write

    def interrupt(store, name, *arguments, **values):
        if name.endswith(".json"):
            raise KeyboardInterrupt
        write(store, name, *arguments, **values)

    with monkeypatch.context() as patched:
        patched.setattr(stores.Folder, "write", interrupt)
        with pytest.raises(KeyboardInterrupt):
            make()

    assert make(at=later(hours=1)).statement.number == 1


def test_a_database_that_was_rolled_back_is_not_anchored(event, make, anchor_folder):
    make()
    Event.objects.all().delete()

    with pytest.raises(NotAnchored, match="events ends at id 0, but was anchored up to"):
        make()


def test_a_database_restored_on_purpose_is_anchored_anew(event, make, anchor_folder):
    make()
    Event.objects.all().delete()

    statement = make(restart="backup of 2 March restored").statement

    assert statement.restart == "backup of 2 March restored"
    assert statement.number == 2
    assert statement.ranges["histories"] == (0, 0)


def test_an_anchor_is_not_made_after_one_that_another_key_signed(make, tmp_path, db):
    make()

    with pytest.raises(NotAnchored, match="no key that counts for it signed anchor 1"):
        make(key_file=make_anchor_key(tmp_path / "other.pem"))


@pytest.mark.parametrize("is_signed", [True, False])
def test_a_planted_anchor_stops_it_and_the_message_says_what_to_do(
    make, anchor_folder, is_signed, db
):
    make()
    planted = (anchor_folder / "000001.json").read_bytes().replace(b'"number": 1', b'"number": 999')
    (anchor_folder / "000999.json").write_bytes(planted)
    if is_signed:
        (anchor_folder / stores.file_name(999, stores.SIGNATURE, of=planted)).write_bytes(b"x" * 64)

    with pytest.raises(NotAnchored, match=r"anchor 999 in .*runbook\.md, A planted anchor"):
        make()
    for path in anchor_folder.glob("000999*"):
        path.unlink()

    assert make().statement.number == 2


def test_a_signed_file_that_is_no_statement_stops_it_as_a_planted_anchor_does(
    settings, make, anchor_folder, db
):
    make()
    report = b'{"format": "a report"}'
    signature = keys.load(settings.ANCHOR_KEY_FILE).sign(report)
    (anchor_folder / "000002.json").write_bytes(report)
    (anchor_folder / stores.file_name(2, stores.SIGNATURE, of=report)).write_bytes(signature)

    with pytest.raises(NotAnchored, match=r"anchor 2 in .*no statement.*A planted anchor"):
        make()


def test_without_a_key_or_a_store_no_anchor_is_made(settings, make, db):
    with pytest.raises(NotAnchored, match="ANCHOR_KEY_FILE"):
        make(key_file=None)
    settings.ANCHORS = ["mailto:auditor@example.com"]
    with pytest.raises(NotAnchored, match="names neither"):
        make()


def test_a_location_of_no_known_kind_is_refused(settings):
    with pytest.raises(StoreFault, match="ftp"):
        anchors.parse_destinations(["ftp://example.com/"], lock=settings.ANCHOR_LOCK)
