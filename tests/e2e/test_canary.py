"""Canaries: personal numbers and secrets go in everywhere and must come out nowhere in clear."""

import base64
import io
import json
import logging
import re
from functools import cache
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from structlog.stdlib import ProcessorFormatter

from config import logs
from foundation.database import prepared_statements
from onboarding.models import IdempotencyRecord, Lead
from onboarding.services.leads import registration
from tests.factories import document_data, lead_body, make_api_key
from tests.onboarding.conftest import PartnerApi

pytestmark = pytest.mark.django_db(transaction=True)
NUMBERS = {  # each is used in this module alone
    "ssn": "509-83-4217",
    "ein": "46-8307219",
    "passportNumber": "K7340915826",
    "idGovNumber": "BX-5502913874",
}
OWNERS_NUMBERS = {
    "ssn": "517-29-8046",
    "passportNumber": "L8816402739",
    "idGovNumber": "CY-6613025948",
}
CANARIES = [*NUMBERS.values(), *OWNERS_NUMBERS.values()]
EMAIL = "canary.applicant@example.com"
SECRET = "sk_sb_canary-of-a-secret-that-nobody-has"
PERSONAL = ["ssn", "birthDate", "phoneNumber", "passportNumber", "idGovNumber", "idExpirationDate"]
KINDS = ["as text", "as number", "as list", "as object", "as key", "as malformed text"]


@cache
def spellings(canary):
    """Return the ways in which a canary would be legible."""
    bare = re.sub(r"[^A-Za-z0-9]", "", canary)
    plain = {canary, bare, canary.lower(), bare.lower()}
    encoded = {base64.b64encode(text.encode()).decode().rstrip("=") for text in plain}
    return plain | encoded | {text.encode().hex() for text in plain}


def found(text, canaries):
    """Return the canaries that are legible in a text or in bytes."""
    haystack = text.decode("latin-1") if isinstance(text, bytes) else text
    return [canary for canary in canaries if any(each in haystack for each in spellings(canary))]


@pytest.fixture
def log():
    """Return what the house's handler writes, at the level that tells most."""
    stream = io.StringIO()
    formatter = logs.configuration(style="json", level="DEBUG")["formatters"]["structured"]
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        ProcessorFormatter(
            processors=formatter["processors"], foreign_pre_chain=formatter["foreign_pre_chain"]
        )
    )
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


class Recorder(PartnerApi):
    """A partner that keeps every answer, headers included."""

    def __init__(self, issued):
        super().__init__(issued)
        self.answers = []

    def call(self, method, path, body=None, **headers):
        response = super().call(method, path, body, **headers)
        self.answers.append(response.serialize())
        return response


@pytest.fixture
def partner(log, settings):
    settings.RATE_LIMIT_FACTOR = 1000
    connection.force_debug_cursor = True
    yield Recorder(make_api_key())
    connection.force_debug_cursor = False


def everything_stored():
    """Return every column of every row as text."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            for row in cursor.fetchall():
                yield from (
                    bytes(cell) if isinstance(cell, memoryview) else str(cell) for cell in row
                )


def database_files():
    """Return the bytes of the database and of its log; none where a server has them."""
    if connection.vendor == "sqlite":
        for path in Path(connection.settings_dict["NAME"]).parent.glob("test.sqlite3*"):
            yield path.read_bytes()


def assert_nothing_is_legible(partner, log, *, also=()):
    """Search what was answered, logged and stored; `also` may be answered, but not more."""
    secrets = [*also, partner.authorization.rpartition(":")[2], SECRET]
    for answer in partner.answers:
        assert not found(answer, [*CANARIES, partner.authorization, SECRET])
    assert not found(log.getvalue(), [*CANARIES, *secrets, EMAIL])
    for cell in everything_stored():
        assert not found(cell, [*CANARIES, *secrets])
    for content in database_files():
        assert not found(content, [*CANARIES, *secrets])


def body(**values):
    owner = {"email": "canary.owner@example.com", "firstName": "Olga", **OWNERS_NUMBERS}
    given = {"email": EMAIL, **NUMBERS, "uboList": [owner], **values}
    return {**lead_body(), "uniqueId": None, "metadata": None, **given}


def misplaced(canary, kind):
    """Return a value that holds the canary where none, or another, is expected."""
    digits = int(re.sub(r"\D", "", canary))
    return {
        "as text": canary,
        "as number": digits,
        "as list": [canary, digits],
        "as object": {canary: {"ssn": canary}},
        "as key": {canary: None},
        "as malformed text": f"{canary}\u0000{canary}",
    }[kind]


def test_the_search_finds_what_is_there(partner, log):
    partner.put("lead", body(firstName="Legible7340915826"))

    canary = "Legible7340915826"
    customer_id = Lead.objects.get().external_id
    partner.get(f"lead/{customer_id}")

    assert any(found(cell, [canary]) for cell in everything_stored())
    assert found(partner.answers[-1], [canary])
    assert str(customer_id) in log.getvalue()
    if connection.vendor == "sqlite":
        assert any(found(content, [canary]) for content in database_files())
    assert found(f"x{base64.b64encode(b'K7340915826').decode()}", CANARIES) == ["K7340915826"]
    assert found(b"-- 509834217 --", CANARIES) == ["509-83-4217"]


def test_the_last_four_are_shown(partner):
    customer_id = partner.put("lead", body()).json()["customerId"]

    lead = partner.get(f"lead/{customer_id}").json()

    assert [lead["lead"][name][-4:] for name in NUMBERS] == ["4217", "7219", "5826", "3874"]
    assert [lead["owners"][0][name][-4:] for name in OWNERS_NUMBERS] == ["8046", "2739", "5948"]


def test_no_operation_repeats_or_stores_them_in_clear(partner, log):
    keyed = {"Idempotency_Key": NUMBERS["ssn"]}
    created = partner.put("lead", body(), **keyed).json()
    replayed = partner.put("lead", body(), **keyed).json()
    lead = f"lead/{created['customerId']}"
    for accept in ("application/json", "*/*"):
        partner.put("lead", body(firstName="Eve"), Accept=accept)
        partner.put("lead?validateOnly=true", body(), Accept=accept)
        partner.put("lead?validateOnly=true", body(email="canary.other@example.com"))
        partner.post(lead, body(lastName="Example"), Accept=accept, **keyed)
        partner.post(lead, body(ssn=OWNERS_NUMBERS["ssn"]), Accept=accept, **keyed)
        partner.put(f"{lead}/upload", {"documentDataList": [document_data()]}, **keyed)
        partner.get(lead, Accept=accept)
        partner.get("lead", Accept=accept)
    renewed = partner.post(f"{lead}/session", body()).json()
    for answer in (created, renewed):
        partner.answers.append(partner.client.get(answer["location"]).serialize())
    partner.delete(lead)
    partner.put("lead", body())

    doors = [
        answer[name] for answer in (created, replayed, renewed) for name in ("token", "location")
    ]
    doors += [door.rpartition("/")[2] for door in doors]
    assert IdempotencyRecord.objects.exists()
    assert_nothing_is_legible(partner, log, also=doors)


@pytest.mark.parametrize("kind", KINDS)
def test_no_refusal_repeats_them(partner, log, kind):
    lead = f"lead/{partner.create(email=EMAIL)['customerId']}"
    for canary in CANARIES:
        value = misplaced(canary, kind)
        right = ["passportNumber", "idGovNumber"] if kind == "as text" else []
        person = {name: value for name in PERSONAL if name not in right}
        owner = {"email": "canary.owner@example.com", **person}
        for sent in (
            {"email": EMAIL, **person, "ein": value, "uboList": [owner, {**owner, "email": value}]},
            {"email": value, "uboList": [value]},
            {"email": EMAIL, "uboList": value},
        ):
            partner.put("lead", sent)
            partner.put("lead?validateOnly=true", sent)
            partner.post(lead, sent, Accept="application/xml")

    assert_nothing_is_legible(partner, log)


@pytest.mark.parametrize("canary", NUMBERS.values())
def test_no_place_where_they_do_not_belong_repeats_them(partner, log, canary):
    lead = f"lead/{partner.create(email=EMAIL)['customerId']}"
    bodies = [
        {"email": EMAIL, canary: "unknown"},
        {"email": EMAIL, "businessAddress": {canary: canary}},
        {"email": EMAIL, "metadata": {canary: 5}},
        {"email": EMAIL, "state": canary, "country": canary, "postalCode": canary * 3},
        {"email": EMAIL, "businessType": canary, "naicsCode": canary, "duns": f"{canary}0"},
        {"email": EMAIL, "ownershipPercent": canary, "isControlPerson": canary},
        {"email": EMAIL, "documentUrls": [canary, {canary: 1}]},
        {"email": EMAIL, "documentDataList": [{"content": f"%{canary}", "contentType": canary}]},
        {"documentDataList": [document_data(llcFileType=canary, contentType=canary)]},
        {"documentDataList": canary},
        canary,
        [canary],
        f'{{"ssn": "{canary}"'.encode(),
        f'{{"ssn": "{canary}", "ssn": "{canary}"}}'.encode(),
        f'{{"{canary}": NaN}}'.encode(),
        f'{{"ssn": {canary}}}'.encode(),
        canary.encode("utf-16"),
        b'{"ssn": "' + canary.encode() + b'\xff"}',
        b'{"ssn": "' + canary.encode() + b'", "x": "' + b" " * 300_000 + b'"}',
    ]
    for sent in bodies:
        for method, path in (("PUT", "lead"), ("POST", lead), ("PUT", f"{lead}/upload")):
            partner.call(method, path, sent)
            partner.call(method, path, sent, Accept="application/xml", Accept_Language="es")

    assert_nothing_is_legible(partner, log)


@pytest.mark.parametrize("canary", NUMBERS.values())
def test_no_path_query_or_header_is_repeated(partner, log, canary):
    lead = f"lead/{partner.create(email=EMAIL)['customerId']}"
    for path in (f"lead/{canary}", f"lead/{canary}/upload", f"lead/{canary}/session", canary,
                 f"lead/a/{canary}", f"meta/{canary}"):  # fmt: skip
        for method in ("GET", "PUT", "POST", "DELETE", "PATCH"):
            partner.call(method, path, {"email": EMAIL}, Idempotency_Key=f"k{canary}")
            partner.call(method, path, Accept="application/xml")
    for name in ("status", "email", "uniqueId", "updatedSince", "limit", "cursor", "ssn",
                 "validateOnly", canary):  # fmt: skip
        partner.get(f"lead?{name}={canary}")
        partner.put(f"lead?{name}={canary}", {"email": EMAIL})
        partner.get(f"{lead}?{name}={canary}")
        partner.get(f"meta/errors?{name}={canary}")
    for name in ("Idempotency-Key", "Accept", "Accept-Language", "Content-Type", "User-Agent",
                 "X-Correlation-Id", "Cookie", "Referer", "X-Forwarded-For", canary):  # fmt: skip
        partner.put("lead", {"email": EMAIL}, **{name: canary})
        partner.get(lead, **{name: canary})

    assert_nothing_is_legible(partner, log)


@pytest.mark.parametrize(
    "authorization",
    [
        f"Vestibule ak_sb_unknown:{SECRET}",
        f"Vestibule {SECRET}",
        f"Vestibule {SECRET}:{SECRET}",
        f"Vestibule ak_live_1:{SECRET}",
        f"Basic {base64.b64encode(SECRET.encode()).decode()}",
        f"Bearer {SECRET}",
        SECRET,
    ],
)
def test_no_wrong_credential_is_repeated(partner, log, authorization):
    for accept in ("application/json", "application/xml"):
        partner.put("lead", body(), Authorization=authorization, Accept=accept)
        partner.get("lead", Authorization=authorization)
    own = f"Vestibule {partner.key.access_key}:{SECRET}"
    partner.put("lead", body(), Authorization=own)

    assert_nothing_is_legible(partner, log, also=[authorization])


def break_saving(monkeypatch, spoil):
    """Spoil each lead before it is stored, new or changed."""
    insert, update = registration.insert, prepared_statements.update

    def insert_spoiled(*rows):
        spoil(rows[0])
        insert(*rows)

    def update_spoiled(row, names, **held):
        if isinstance(row, Lead):
            spoil(row)
            names = sorted({*names, "ownership_percent"})
        return update(row, names, **held)

    monkeypatch.setattr(registration, "insert", insert_spoiled)
    monkeypatch.setattr(prepared_statements, "update", update_spoiled)


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_no_traceback_tells_who_failed(partner, log, monkeypatch, method):
    path = "lead"
    if method == "POST":
        path += "/" + partner.create(email=EMAIL)["customerId"]

    def refuse(lead):
        lead.ownership_percent = 150  # the database refuses the row, and PostgreSQL shows it

    def fail(lead):
        raise RuntimeError(f"cannot save {lead.__dict__} of {body()}")

    with monkeypatch.context() as broken:
        break_saving(broken, refuse)
        refused = partner.call(method, path, body(), Idempotency_Key=NUMBERS["ein"])
    with monkeypatch.context() as broken:
        break_saving(broken, fail)
        failed = partner.call(method, path, body(), Idempotency_Key=NUMBERS["ein"])

    assert (refused.status_code, failed.status_code) == (500, 500)
    events = [json.loads(line) for line in log.getvalue().splitlines()]
    tracebacks = [event["exception"] for event in events if "exception" in event]
    assert any("lead_ownership_percent_0_to_100" in text for text in tracebacks)
    assert any("cannot save" in text for text in tracebacks)
    assert_nothing_is_legible(partner, log)


@pytest.mark.usefixtures("own_store")
def test_no_command_tells_them(partner, log, capsys):
    partner.put("lead", body())
    for command in (["rotate_pii_keys"], ["sweep_documents"], ["purge_expired"]):
        call_command(*command)

    printed = capsys.readouterr()
    assert not found(printed.out + printed.err, CANARIES)
    assert_nothing_is_legible(partner, log)


def test_nobody_else_is_told_them(partner, log):
    answer = partner.put("lead", body()).json()

    stranger = Client(raise_request_exception=False)
    for path in ("/service/api/v1/lead", f"/service/api/v1/lead/{answer['customerId']}",
                 "/service/api/v1/docs", answer["location"], "/readyz", "/status"):  # fmt: skip
        partner.answers.append(stranger.get(path).serialize())

    assert_nothing_is_legible(partner, log, also=[answer["token"], answer["location"]])
