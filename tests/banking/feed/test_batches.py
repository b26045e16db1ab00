"""Batches of the feed: versions, references, refusals, and what is kept of them."""

from contextlib import contextmanager
from datetime import timedelta
from types import SimpleNamespace

import orjson
import pytest
from django.db import IntegrityError, connection, transaction

from banking.feed import batches, reading
from banking.feed.lines import RawLine, Terms, parse
from banking.feed.registry import KINDS
from banking.models import (
    Account,
    Business,
    BusinessAddress,
    FeedBatch,
    FeedChange,
    FeedChunk,
    FeedInboxLine,
    FeedRecord,
)
from tests.banking.feed.conftest import BUSINESS
from tests.factories import NOON

ACCOUNT = {"accountType": "MAIN_ACCOUNT", "name": "Checking", "openedAt": "2026-01-02T10:00:00Z"}
ADDRESS = {"kind": "REGISTERED", "line1": "1 Main Street", "city": "Austin", "state": "TX"}


def results(outcomes):
    return [outcome["result"] for outcome in outcomes]


def codes(outcome):
    return [(error["codeName"], error["field"]) for error in outcome["errors"]]


def test_a_record_is_created_then_unchanged_updated_and_stale(feed, business):
    newer = business | {"version": 2, "data": BUSINESS | {"legalName": "Harbor Bread LLC"}}

    outcomes = [feed(line)[0]["result"] for line in [business, business, newer, business]]

    assert outcomes == ["created", "unchanged", "updated", "stale"]
    assert Business.objects.get().legal_name == "Harbor Bread LLC"
    assert FeedRecord.objects.get().version == 2
    assert list(FeedChange.objects.values_list("result", flat=True)) == ["created", "updated"]


def test_the_outcome_names_line_kind_id_and_the_uuid_of_the_tools(feed, business):
    (outcome,) = feed(business)

    assert outcome == {
        "line": 1,
        "kind": "businesses",
        "externalId": "B-1",
        "result": "created",
        "id": str(Business.objects.get().external_id),
    }


def test_a_version_may_move_up_without_a_change(feed, business):
    feed(business)

    assert results(feed(business | {"version": 5})) == ["unchanged"]
    assert results(feed(business | {"version": 4})) == ["stale"]


def test_a_version_is_not_used_for_other_data(feed, business):
    feed(business)

    (outcome,) = feed(business | {"data": BUSINESS | {"legalName": "Other LLC"}})

    assert (outcome["result"], codes(outcome)) == ("refused", [("VERSION_REUSED", "/version")])


def test_a_version_may_be_a_timestamp(feed, business):
    feed(business | {"version": "2026-03-01T00:00:00Z"})

    assert results(feed(business | {"version": "2026-02-01T00:00:00+00:00"})) == ["stale"]


def test_records_refer_to_earlier_lines_of_the_same_batch(feed, line, business):
    outcomes = feed(
        business,
        line("accounts", "A-1", business="B-1", **ACCOUNT),
        line("addresses", "D-1", business="B-1", **ADDRESS),
    )

    assert results(outcomes) == ["created"] * 3
    assert Account.objects.get(business__isnull=False).business == Business.objects.get()
    assert BusinessAddress.objects.get().city == "Austin"


def test_good_lines_go_in_although_others_are_refused(feed, line, business):
    outcomes = feed(
        b"no json",
        business,
        b'["a list"]',
        line("castles", "C-1", name="Camelot"),
        line("accounts", "A-9", business="B-none", **ACCOUNT),
        business | {"externalId": "B-2", "environment": "production"},
        business | {"externalId": "B-3", "data": BUSINESS | {"colour": "red", "email": 7}},
        business | {"externalId": "B-4", "data": {"legalName": "Half LLC"}},
    )

    assert results(outcomes) == ["refused", "created", *["refused"] * 6]
    assert codes(outcomes[0]) == codes(outcomes[2]) == [("NOT_JSON", None)]
    assert codes(outcomes[3]) == [("UNKNOWN_KIND", "/kind")]
    assert codes(outcomes[4]) == [("REFERENCE_MISSING", "/data/business")]
    assert outcomes[4]["errors"][0]["message"] == (
        "There is no record B-none of the kind businesses."
    )
    assert codes(outcomes[5]) == [("OTHER_ENVIRONMENT", "/environment")]
    assert set(codes(outcomes[6])) == {
        ("UNKNOWN_FIELD", "/data/colour"),
        ("VALUE_REFUSED", "/data/email"),
    }
    assert set(codes(outcomes[7])) == {
        ("FIELD_MISSING", "/data/businessType"),
        ("FIELD_MISSING", "/data/email"),
        ("FIELD_MISSING", "/data/createdAt"),
    }


def test_a_second_id_of_a_record_is_refused_and_leaves_the_others(feed, line, business):
    twice = line("addresses", "D-2", business="B-1", **ADDRESS)

    outcomes = feed(business, line("addresses", "D-1", business="B-1", **ADDRESS), twice)

    assert results(outcomes) == ["created", "created", "refused"]
    assert codes(outcomes[2]) == [("ID_KNOWN", "/externalId")]
    assert "D-1" in outcomes[2]["errors"][0]["message"]
    assert BusinessAddress.objects.count() == 1


def test_a_broken_rule_is_named(feed, line, business):
    entry = {"business": "B-1", "number": "123456789", "status": "REGISTERED"}

    _, refused = feed(business, line("duns-registrations", "N-1", **entry))

    rule = "dunsregistration_facts_match_status"
    assert refused["errors"][0]["message"] == f"{batches.BROKEN_RULE} The rule: {rule}."


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL names its rules")
def test_a_broken_rule_without_a_name_is_told_by_its_columns(feed, line, business):
    item = {"business": "B-1", "name": "Bread", "unitPriceCents": 100}

    *_, refused = feed(
        business, line("service-items", "I-1", **item), line("service-items", "I-2", **item)
    )

    columns = "banking_serviceitem.business_id, banking_serviceitem.name"
    assert refused["errors"][0]["message"] == f"{batches.BROKEN_RULE} The rule: {columns}."


def test_a_line_that_is_too_long_is_refused_and_the_next_one_read(feed, business, settings):
    settings.FEED_LINE_MAX_BYTES = 1000

    outcomes = feed(b'{"data": "' + b"x" * 100_000 + b'"}', b"", business)

    assert [(one["line"], one["result"]) for one in outcomes] == [(1, "refused"), (3, "created")]
    assert codes(outcomes[0]) == [("LINE_TOO_LONG", None)]


@pytest.mark.parametrize("number", [b"9" * 20, b"-" + b"9" * 20, b"NaN", b"1e999"])
def test_a_number_of_any_size_is_refused_in_its_field(feed, line, business, number):
    item = {"business": "B-1", "name": "Bread", "unitPriceCents": 700}
    wrong = orjson.dumps(line("service-items", "SI-1", **item)).replace(b"700", number)

    outcomes = feed(business, wrong, line("service-items", "SI-2", **item))

    assert results(outcomes) == ["created", "refused", "created"]
    assert codes(outcomes[1]) == [("VALUE_REFUSED", "/data/unitPriceCents")]


def test_an_atomic_batch_goes_in_whole_or_not_at_all(feed, line, business):
    address = line("addresses", "D-1", business="B-1", **ADDRESS)
    bad = line("addresses", "D-2", business="B-none", **ADDRESS)

    outcomes = feed(business, address, bad, is_atomic=True)

    assert results(outcomes) == ["refused"] * 3
    assert [codes(one)[0][0] for one in outcomes] == [
        "ROLLED_BACK",
        "ROLLED_BACK",
        "REFERENCE_MISSING",
    ]
    assert not Business.objects.exists()
    assert results(feed(business, address, is_atomic=True)) == ["created", "created"]


def test_an_atomic_batch_has_a_limit(feed, business, settings):
    settings.FEED_ATOMIC_LINES = 2

    outcomes = feed(
        *[business | {"externalId": f"B-{number}"} for number in range(5)], is_atomic=True
    )

    assert {codes(one)[0][0] for one in outcomes} == {"TOO_MANY_LINES"}
    assert not Business.objects.exists()


def test_an_atomic_batch_has_a_limit_of_bytes(feed, business, monkeypatch):
    monkeypatch.setattr(batches, "ATOMIC_BYTES", 2 * len(orjson.dumps(business)))

    taken = [
        feed(
            *[business | {"externalId": f"{count}{number}"} for number in range(count)],
            is_atomic=True,
        )
        for count in (2, 5)
    ]

    assert [{one["result"] for one in outcomes} for outcomes in taken] == [{"created"}, {"refused"}]
    assert Business.objects.count() == 2


def test_large_lines_make_short_chunks(feed, business, monkeypatch):
    monkeypatch.setattr(batches, "CHUNK_BYTES", 2 * len(orjson.dumps(business)))

    outcomes = feed(*[business | {"externalId": f"B-{number}"} for number in range(7)])

    assert results(outcomes) == ["created"] * 7
    assert list(FeedChunk.objects.order_by("pk").values_list("first_line", flat=True)) == [1, 4, 7]


def test_a_new_field_of_a_kind_changes_no_digest(business, monkeypatch):
    raw, kind = RawLine(1, orjson.dumps(business), 0), KINDS["businesses"]

    class Extended(kind.schema):
        nickname: str = ""

    before = parse(raw, Terms()).digest
    monkeypatch.setattr(kind, "schema", Extended)

    assert parse(raw, Terms()).digest == before


def test_a_line_waits_for_the_record_that_it_refers_to(feed, line, business):
    account = line("accounts", "A-1", business="B-1", **ACCOUNT)
    card = line(
        "cards",
        "C-1",
        account="A-1",
        productType="DEBIT_PHYSICAL",
        cardholderName="Ada Reyes",
        last4="1234",
        network="VISA",
        status="ACTIVE",
        createdAt="2026-01-03T10:00:00Z",
    )

    outcomes = feed(card, account, wait=timedelta(minutes=30))

    assert results(outcomes) == ["pending", "pending"]
    assert results(feed(business)) == ["created"]
    assert Account.objects.filter(cards__last4="1234").exists()
    assert not FeedInboxLine.objects.exists()


def test_a_waiting_line_that_is_refused_leaves_the_line_that_it_waited_for(feed, line, business):
    address = line("addresses", "D-1", business="B-1", **ADDRESS)
    feed(address, address | {"externalId": "D-2"}, wait=timedelta(minutes=30))

    assert results(feed(business)) == ["created"]
    assert BusinessAddress.objects.count() == 1
    assert "D-1" in FeedInboxLine.objects.get().fault


def test_the_accounts_of_the_bank_are_no_records(feed, line, business):
    feed(business, line("accounts", "A-1", business="B-1", **ACCOUNT))
    own = Account.objects.filter(business=None).first()
    data = {"transactionType": "FEE", "status": "POSTED", "amountCents": -1}

    (outcome,) = feed(
        line(
            "transactions",
            "T-1",
            account=str(own.external_id),
            occurredAt="2026-02-10T15:00:00Z",
            **data,
        )
    )

    assert codes(outcome) == [("REFERENCE_MISSING", "/data/account")]


def test_waiting_lines_are_encrypted_and_expire(feed, line):
    from banking.feed import waiting

    feed(line("accounts", "A-1", business="B-1", **ACCOUNT), wait=timedelta(minutes=30))

    assert waiting.expire(at=NOON) == 0
    assert waiting.expire(at=NOON + timedelta(minutes=30)) == 1
    assert FeedInboxLine.objects.get().fault == (
        "The record B-1 of the kind businesses did not come within the waiting time."
    )


def test_a_removed_record_stays_removed_for_older_lines(feed, line, business):
    address = line("addresses", "D-1", 3, business="B-1", **ADDRESS)
    removal = {"kind": "addresses", "externalId": "D-1", "version": 4, "removed": True}
    feed(business, address)

    assert results(feed(removal, removal, address)) == ["removed", "unchanged", "stale"]
    assert not BusinessAddress.objects.exists()
    assert orjson.loads(FeedRecord.objects.get(kind="addresses").removed_data)["city"] == "Austin"
    assert results(feed(address | {"version": 5})) == ["created"]


def test_a_business_is_not_removed(feed, business):
    feed(business)

    (outcome,) = feed({"kind": "businesses", "externalId": "B-1", "version": 2, "removed": True})

    assert codes(outcome) == [("NOT_REMOVABLE", None)]


def test_records_of_an_application_are_named_by_their_uuid(feed, line, make_business):
    ours = make_business()
    name = str(ours.external_id)

    outcomes = feed(
        line("addresses", "D-1", business=name, **ADDRESS), line("businesses", name, **BUSINESS)
    )

    assert results(outcomes) == ["created", "updated"]
    ours.refresh_from_db()
    assert ours.legal_name == BUSINESS["legalName"]


def test_an_address_of_an_application_is_named_by_its_business_and_kind(feed, line, make_business):
    ours = make_business()
    stored = BusinessAddress.objects.create(business=ours, kind="MAILING", line1="2 Hill Road")
    name = f"{ours.external_id}.MAILING"
    data = {**ADDRESS, "business": str(ours.external_id), "kind": "MAILING"}

    read = reading.find_record(KINDS["addresses"], name.upper())
    (outcome,) = feed(line("addresses", name, **data))

    assert (read.version, orjson.loads(read.data)["line1"]) == (None, "2 Hill Road")
    assert outcome["result"] == "updated"
    stored.refresh_from_db()
    assert stored.line1 == ADDRESS["line1"]


@pytest.mark.parametrize("name", ["{}", "{}.REGISTERED", "{}.", "{}.MAILING.1", ".MAILING", "x.y"])
def test_a_name_that_no_address_has_finds_none(make_business, name):
    ours = make_business()
    BusinessAddress.objects.create(business=ours, kind="MAILING", line1="2 Hill Road")

    assert reading.find_record(KINDS["addresses"], name.format(ours.external_id)) is None


def test_the_kind_of_the_path_holds(feed, business):
    unnamed = {key: value for key, value in business.items() if key != "kind"}

    assert results(feed(unnamed, kind="businesses")) == ["created"]
    assert codes(feed(business, kind="cards")[0]) == [("OTHER_KIND", "/kind")]


def test_a_kind_without_scope_is_refused(feed, business):
    (outcome,) = feed(business, permits=lambda kind: kind == "cards")

    assert outcome["errors"][0]["message"] == "The key lacks the scope businesses:write."


def test_results_are_kept(feed, business):
    outcomes = feed(business, b"no json")

    batch = FeedBatch.objects.get()
    kept = b"".join(batches.read_results(batch)).splitlines()
    assert [orjson.loads(one) for one in kept] == outcomes
    assert (batch.counts, batch.line_count) == ({"created": 1, "refused": 1}, 2)
    assert batch.finished_at == NOON


@pytest.mark.parametrize("is_atomic", [False, True])
def test_a_chunk_whose_first_commit_fails_is_counted_once(feed, business, monkeypatch, is_atomic):
    faults = iter([IntegrityError("A record that a line refers to was removed meanwhile.")])

    @contextmanager
    def failing_once():
        with transaction.atomic():
            yield
            for fault in faults:
                raise fault

    monkeypatch.setattr(batches, "transaction", SimpleNamespace(atomic=failing_once))
    outcomes = feed(business, business | {"externalId": "B-2"}, is_atomic=is_atomic)

    assert results(outcomes) == ["created"] * 2
    batch = FeedBatch.objects.get()
    assert (batch.counts, batch.line_count) == ({"created": 2}, 2)
    assert batch.chunks.count() == 1


@pytest.mark.parametrize("size", [1, 2, 500])
def test_chunks_of_any_size_give_the_same(feed, line, business, settings, size):
    settings.FEED_CHUNK_LINES = size
    account = line("accounts", "A-1", business="B-1", **ACCOUNT)

    assert results(feed(business, account, business, account)) == [
        "created",
        "created",
        "unchanged",
        "unchanged",
    ]


def test_a_line_without_a_version_is_named_in_its_outcome(feed):
    line = {"kind": "businesses", "externalId": "B-1", "data": BUSINESS}

    (outcome,) = feed(line)

    assert (outcome["kind"], outcome["externalId"]) == ("businesses", "B-1")
    assert codes(outcome) == [("FIELD_MISSING", "/version")]
    (outcome,) = feed(b'{"kind": 7, "externalId": ["B-1"], "version": 1e999}')
    assert (outcome["kind"], outcome["externalId"]) == (None, None)


@pytest.mark.parametrize("version", ["x", -1, 2**63, "2026-01-02T09:00:00", None, True, 1.5])
def test_a_version_that_is_none_is_one_fault(feed, business, version):
    (outcome,) = feed(business | {"version": version})

    assert codes(outcome) == [("VALUE_REFUSED", "/version")]
