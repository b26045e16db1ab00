"""A partner's whole journey, over HTTP, against the server that `manage.py up` starts."""

import hashlib
import json
from urllib.request import urlopen

import pytest

from banking.services.stores import MARKER
from tests.e2e.serving import served
from tests.factories import PDF, document_data, lead_body

EMAIL = "ada@example.com"
LARGE = b"%PDF-1.7\n".ljust(3 * 1024**2, b"x")
PRIVATE = ["123-45-6789", "123456789", "223-45-6789", "223456789", "12-3456789", "X12345678",
           "P98765432", "A-99887766", "G-11223344"]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("journey")) as server:
        yield server


def in_pieces(body):
    """Yield the body as a client sends it that does not know its length."""
    text = json.dumps(body).encode()
    yield from (text[start : start + 10_000] for start in range(0, len(text), 10_000))


def test_a_partner_leads_an_applicant_from_the_first_call_to_a_second_attempt(server):
    body = lead_body(duns=None)  # which looks like an SSN

    created = server.call("PUT", "lead", body, Idempotency_Key="k1")
    lead = f"lead/{created.json()['customerId']}"
    replayed = server.call("PUT", "lead/", body, Idempotency_Key="k1")
    repeated = server.call("PUT", "lead", {"email": "ADA@example.com", "firstName": "Augusta"})
    updated = server.call("POST", f"{lead}/", {
        "email": EMAIL, "lastName": None, "metadata": {"tier": None},
        "uboList": [{"email": "grace@example.com", "title": "CTO"}],
    })  # fmt: skip
    uploaded = server.call("PUT", f"{lead}/upload", {
        "documentDataList": [
            document_data(LARGE, fileName="large.pdf", llcFileType="OPERATING_AGREEMENT"),
            document_data(fileName="ss4.pdf", llcFileType="SS4_DOCUMENT"),
        ]
    })  # fmt: skip
    chunked = {"documentDataList": [document_data(LARGE, fileName="chunked.pdf")]}
    in_chunks = server.call("PUT", f"{lead}/upload", in_pieces(chunked))
    read = server.call("GET", lead).json()
    listed = server.call("GET", f"lead?email={EMAIL}").json()
    session = server.call("POST", f"{lead}/session").json()
    with urlopen(session["location"], timeout=10) as page:
        shown = page.read().decode()
    withdrawn = server.call("DELETE", lead)
    refused = server.call("POST", lead, {"email": EMAIL, "firstName": "Eve"})
    anew = server.call("PUT", "lead", {"email": EMAIL})

    assert (created.status, replayed.status, repeated.status) == (201, 201, 201)
    assert replayed.headers["idempotent-replayed"] == "true"
    for again in (replayed.json(), repeated.json()):
        assert again["customerId"] == created.json()["customerId"]
        assert again["location"] == created.json()["location"]
        assert again["uboData"] == created.json()["uboData"]

    assert updated.json()["updatedFields"] == ["lastName", "metadata", "uboList"]
    assert updated.json()["metadata"] == {"channel": "web"}

    assert uploaded.status == 200, uploaded.content
    large, ss4 = uploaded.json()["documents"]
    assert (large["sizeBytes"], large["sha256"]) == (len(LARGE), hashlib.sha256(LARGE).hexdigest())
    assert (ss4["sizeBytes"], ss4["duplicate"]) == (len(PDF), False)
    assert in_chunks.status == 200, in_chunks.content
    assert len({path for path in server.files() if path.name != MARKER}) == 4
    assert server.files("spool") == set()

    assert (read["lead"]["firstName"], read["lead"]["lastName"]) == ("Augusta", "")
    assert (read["lead"]["ssn"], read["status"]) == ("••••6789", "CREATED")
    assert [owner["title"] for owner in read["owners"]] == ["CTO", ""]
    assert [summary["customerId"] for summary in listed["leads"]] == [read["customerId"]]
    assert session["location"] == created.json()["location"]
    assert "Analytical Engines LLC" in shown

    assert (withdrawn.status, withdrawn.json()["status"]) == (200, "WITHDRAWN")
    assert (refused.status, refused.json()["errors"][0]["codeName"]) == (409, "APPLICATION_CLOSED")
    assert (anew.status, anew.json()["status"]) == (201, "CREATED")
    assert anew.json()["customerId"] == created.json()["customerId"]
    assert anew.json()["applicationId"] != created.json()["applicationId"]
    second = server.call("GET", lead).json()
    assert (second["attempt"], len(second["documents"])) == (2, len(read["documents"]))


def test_two_partners_do_not_see_each_other(server):
    facts = server.facts
    second = f"{facts['SCHEME_WORD']} {facts['ACCESS_KEY2']}:{facts['SECRET_KEY2']}"
    own = server.call("PUT", "lead", {"email": "shared@example.com"}).json()

    others = server.call("PUT", "lead", {"email": "shared@example.com"}, Authorization=second)
    foreign = server.call("GET", f"lead/{own['customerId']}", Authorization=second)

    assert others.json()["customerId"] != own["customerId"]
    assert foreign.status == 404


def test_what_every_client_sees_is_as_promised(server):
    plain = server.call("PUT", "lead", {"email": "nobody"}, Accept="*/*", X_Request_Id="my-request")
    spanish = server.call("PUT", "lead", {"email": "nobody"}, Accept_Language="es-MX")
    missing = server.call("GET", "lead", Authorization="")

    assert plain.headers["content-type"].startswith("application/xml")
    assert b"<codeName>INVALID_EMAIL</codeName>" in plain.content
    assert (plain.headers["x-request-id"], plain.headers["api-version"]) == ("my-request", "2.0.0")
    assert "correo" in spanish.json()["errors"][0]["localizedMessage"]
    assert missing.status == 401
    assert missing.headers["www-authenticate"].startswith("Vestibule")


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"x" * 300_000, {}, 413),
        (b"{" * 20_000, {}, 400),
        (b'{"email": "\xff@example.com"}', {}, 400),
        (b"{}", {"Content_Type": "text/plain"}, 415),
        (b"{}", {"Content_Length": "50000000"}, 413),
    ],
)
def test_hostile_bodies_are_refused_and_the_server_serves_on(server, body, headers, status):
    assert server.call("PUT", "lead", body, **headers).status == status
    assert server.call("GET", "lead").status == 200


def test_neither_log_nor_database_holds_a_personal_number(server):
    body = lead_body(email="private@example.com", uniqueId=None, duns=None)
    server.call("PUT", "lead", body)

    stored = b"".join(path.read_bytes() for path in server.data.glob("vestibule.sqlite3*"))
    assert "request_finished" in server.log
    for number in PRIVATE:
        assert number not in server.log
        assert number.encode() not in stored
    assert "ada@example.com" not in server.log
    assert server.facts["SECRET_KEY"] not in server.log
    assert server.facts["SECRET_KEY"].encode() not in stored
