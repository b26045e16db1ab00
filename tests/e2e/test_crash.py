"""Crashes: a worker that is killed loses no answer for ever, and leaves no file behind."""

import secrets

import pytest

from tests.e2e.serving import Unanswered, served
from tests.factories import document_data, lead_body

SMALL = b"%PDF-1.7 small"
LARGE = b"%PDF-1.7\n".ljust(3 * 1024**2, b"x")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("crash"), "tests.e2e.mortal_web") as server:
        yield server


@pytest.fixture
def crash(server):
    """Make a call during which its worker is killed, and wait for another in its place."""

    def crash(method, path, body, *, moment, **headers):
        workers = server.workers()
        with pytest.raises(Unanswered):
            server.call(method, path, body, X_Die=moment, **headers)
        server.recover(workers)

    return crash


@pytest.fixture
def upload(server):
    """Return the path of the uploads to a lead of the test's own."""
    lead = server.call("PUT", "lead", {"email": f"{secrets.token_hex(4)}@example.com"})
    return f"lead/{lead.json()['customerId']}/upload"


def leads_of(server, email):
    return server.call("GET", f"lead?email={email}").json()["leads"]


def documents_of(server, upload):
    return server.call("GET", upload.removesuffix("/upload")).json()["documents"]


@pytest.mark.parametrize("key", ["k1", None])
def test_a_create_whose_answer_was_lost_gives_the_same_lead_again(server, crash, key):
    email = f"lost-{key}@example.com".lower()
    body = lead_body(email=email, uniqueId=f"lost-{key}")

    crash("PUT", "lead", body, moment="answering", **({"Idempotency_Key": key} if key else {}))
    (committed,) = leads_of(server, email)
    with_key = server.call("PUT", "lead", body, Idempotency_Key=key or "k2")
    without = server.call("PUT", "lead", body)

    assert (with_key.status, without.status) == (201, 201)
    assert with_key.headers.get("idempotent-replayed") == ("true" if key else None)
    for answer in (with_key.json(), without.json()):
        assert answer["customerId"] == committed["customerId"]
        assert answer["applicationId"] == committed["applicationId"]
    assert without.json()["uboData"] == with_key.json()["uboData"]
    assert without.json()["location"] == with_key.json()["location"]
    assert len(leads_of(server, email)) == 1
    assert len(documents_of(server, f"lead/{committed['customerId']}")) == 2


def test_what_dead_uploads_left_is_swept_and_they_can_be_repeated(server, crash, upload):
    before = server.files()
    small, large = ({"documentDataList": [document_data(content)]} for content in (SMALL, LARGE))

    crash("PUT", upload, small, moment="writing", Idempotency_Key="k3")
    early = server.call("PUT", upload, small, Idempotency_Key="k3")
    crash("PUT", upload, large, moment="writing")
    crash("PUT", upload, large, moment="reading")
    orphans, stale = server.files() - before, server.files("spool")
    report = server.manage("sweep_documents", "--older-than", "0", "--yes")
    quarantined = server.files("media/quarantine")
    swept = server.files() - quarantined, server.files("spool")
    again = [server.call("PUT", upload, body) for body in (small, large)]

    assert early.status == 409
    assert 1 <= int(early.headers["retry-after"]) <= 30  # until the lease of the dead call ends
    assert (len(orphans), len(stale)) == (2, 1)
    assert report.splitlines()[-1] == (
        "moved 2 files without a row to quarantine, put 0 back, deleted 0 from it "
        "and 1 stale uploads"
    )
    assert len(quarantined) == 2
    assert "lacks its file" not in report
    assert swept == (before, set())
    assert [each.json()["documents"][0]["duplicate"] for each in again] == [False, False]
    sizes = [item["sizeBytes"] for item in documents_of(server, upload)]
    assert sizes == [len(SMALL), len(LARGE)]
    assert len(server.files() - quarantined - before) == 2
