"""Ids of the core for records that were made here."""

from datetime import timedelta

import pytest

from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import Business, BusinessOwner, FeedChange, FeedInboxLine, FeedRecord, User
from tests.banking.feed.conftest import BUSINESS
from tests.banking.feed.test_batches import codes, results
from tests.banking.services.test_account_opening import draft_owner, open_business

NOBODY = "0190b5a0-0000-7000-8000-000000000001"


@pytest.fixture
def opened(db):
    """A business that was opened here, with an owner who may sign in."""
    return open_business(owners=[draft_owner()]).business


def binding(line, row):
    return line | {"bindTo": str(row.external_id)}


def bind(feed, line, business, name="B-77", version=1):
    """Feed the line that binds an id to a business; return its outcome."""
    return feed(binding(line("businesses", name, version, **BUSINESS), business))[0]


def test_an_id_is_bound_to_a_business_that_was_opened_here(feed, line, opened):
    outcome = bind(feed, line, opened)

    assert (outcome["result"], outcome["id"]) == ("updated", str(opened.external_id))
    assert Business.objects.get().legal_name == BUSINESS["legalName"]
    change = FeedChange.objects.latest("pk")
    assert (change.external_id, change.version, change.result) == ("B-77", 1, "updated")


def test_the_line_may_come_again_and_later_lines_need_no_binding(feed, line, opened):
    bind(feed, line, opened)

    assert bind(feed, line, opened)["result"] == "unchanged"
    newer = line("businesses", "B-77", 2, **BUSINESS | {"legalName": "Harbor Bread LLC"})
    assert results(feed(newer)) == ["updated"]
    assert Business.objects.get().legal_name == "Harbor Bread LLC"


def test_accounts_owners_and_users_get_ids_too(feed, line, opened):
    bind(feed, line, opened)
    owner, user = BusinessOwner.objects.get(), User.objects.get()
    checking = opened.accounts.get(account_type="MAIN_ACCOUNT")
    account = {
        "business": "B-77",
        "accountType": "MAIN_ACCOUNT",
        "name": "Checking",
        "openedAt": checking.opened_at.isoformat(),
    }
    person = {"firstName": "Ada", "lastName": "Example", "email": "ada@example.com"}

    outcomes = feed(
        binding(line("accounts", "A-77", **account), checking),
        binding(
            line("owners", "O-77", business="B-77", role="PRIMARY_OWNER", **person),
            owner,
        ),
        binding(line("users", "U-77", userType="BUSINESS", owner="O-77", **person), user),
    )

    assert results(outcomes) == ["updated"] * 3
    assert User.objects.get().business_owner == owner


def test_the_uuid_still_names_the_business_in_references_and_reads(feed, line, opened):
    bind(feed, line, opened)

    stored = reading.find_record(KINDS["businesses"], str(opened.external_id))
    assert (stored.external_id, stored.version) == ("B-77", 1)
    supplier = {"name": "Mill Co", "createdAt": "2026-01-05T10:00:00Z"}
    assert results(
        feed(line("suppliers", "S-1", business=str(opened.external_id), **supplier))
    ) == ["created"]


@pytest.mark.parametrize("removed", [False, True])
def test_lines_under_the_uuid_are_refused_from_then_on(feed, line, opened, removed):
    bind(feed, line, opened)
    sent = line("businesses", str(opened.external_id), 9, **BUSINESS)
    if removed:
        sent = {**sent, "removed": True}
        del sent["data"]

    (outcome,) = feed(sent)

    assert codes(outcome) == [("ID_KNOWN", "/externalId")]
    assert "B-77" in outcome["errors"][0]["message"]


def test_a_removal_under_the_uuid_of_a_bound_record_removes_nothing(feed, line, opened):
    owner = BusinessOwner.objects.get()
    data = {"firstName": "Ada", "lastName": "Example", "email": "ada@example.com"}
    data |= {"business": str(opened.external_id), "role": "PRIMARY_OWNER"}
    feed(binding(line("owners", "O-77", **data), owner))

    removal = {"kind": "owners", "externalId": str(owner.external_id), "version": 2}
    (outcome,) = feed(removal | {"removed": True})

    assert codes(outcome) == [("ID_KNOWN", "/externalId")]
    assert BusinessOwner.objects.exists()


def test_a_wrong_uuid_is_refused_and_creates_nothing(feed, line, opened):
    wrong = line("businesses", "B-77", **BUSINESS) | {"bindTo": NOBODY}

    assert codes(feed(wrong)[0]) == [("REFERENCE_MISSING", "/bindTo")]
    assert Business.objects.get() == opened


def test_the_uuid_of_a_record_of_another_kind_is_refused(feed, line, opened):
    account = opened.accounts.first()

    wrong = binding(line("businesses", "B-77", **BUSINESS), account)

    assert codes(feed(wrong)[0]) == [("REFERENCE_MISSING", "/bindTo")]


def test_a_second_id_of_a_bound_business_is_refused(feed, line, opened):
    bind(feed, line, opened)

    outcome = bind(feed, line, opened, "B-78")

    assert codes(outcome) == [("ID_KNOWN", "/bindTo")]
    assert "B-77" in outcome["errors"][0]["message"]


def test_of_two_ids_in_one_batch_the_first_is_bound(feed, line, opened):
    outcomes = feed(
        binding(line("businesses", "B-77", **BUSINESS), opened),
        binding(line("businesses", "B-78", **BUSINESS), opened),
    )

    assert results(outcomes) == ["updated", "refused"]
    assert codes(outcomes[1]) == [("ID_KNOWN", "/bindTo")]


def test_the_id_of_another_business_is_refused(feed, line, opened, business):
    feed(business)

    outcome = bind(feed, line, opened, business["externalId"], 2)

    assert codes(outcome) == [("ID_TAKEN", "/externalId")]
    assert Business.objects.get(pk=opened.pk).legal_name == "Analytical Engines LLC"


def test_a_line_for_another_environment_binds_nothing(feed, line, opened):
    sent = binding(line("businesses", "B-77", **BUSINESS), opened)

    (outcome,) = feed(sent | {"environment": "production"})

    assert codes(outcome) == [("OTHER_ENVIRONMENT", "/environment")]
    assert not FeedRecord.objects.exists()


def test_a_line_that_binds_neither_sets_an_id_nor_removes(feed, line, opened):
    sent = binding(line("businesses", "B-77", **BUSINESS), opened)
    removal = {name: value for name, value in sent.items() if name != "data"}

    outcomes = feed(sent | {"id": NOBODY}, removal | {"removed": True})

    assert [codes(outcome)[0][0] for outcome in outcomes] == ["VALUE_REFUSED"] * 2


def test_an_account_of_another_business_is_refused(feed, line, opened, business):
    account = opened.accounts.get(account_type="MAIN_ACCOUNT")
    data = {"accountType": "MAIN_ACCOUNT", "name": "Main", "business": business["externalId"]}
    feed(business)

    sent = line("accounts", "A-77", **data, openedAt=account.opened_at.isoformat())

    assert codes(feed(binding(sent, account))[0]) == [("VALUE_REFUSED", "/data/business")]
    assert not FeedRecord.objects.filter(kind="accounts").exists()


def test_a_kind_without_uuids_is_refused(feed, line, opened):
    plan = line("subscriptions", "P-77", business=str(opened.external_id), plan="X")
    plan["data"] |= {"status": "ACTIVE", "startedDate": "2026-01-02"}

    (outcome,) = feed(binding(plan, opened))

    assert codes(outcome) == [("VALUE_REFUSED", "/bindTo")]


def test_a_record_that_lines_sent_under_the_uuid_gets_the_id_of_the_core(feed, line, opened):
    uuid = str(opened.external_id)
    feed(line("businesses", uuid, 3, **BUSINESS))

    outcomes = [bind(feed, line, opened, version=version)["result"] for version in (2, 3, 3)]

    assert outcomes == ["stale", "updated", "unchanged"]
    record = FeedRecord.objects.get(kind="businesses")
    assert (record.external_id, record.version, record.row_id) == ("B-77", 3, opened.pk)


def test_lines_that_wait_for_the_id_are_written_once_it_is_bound(feed, line, opened):
    supplier = {"name": "Mill Co", "createdAt": "2026-01-05T10:00:00Z"}
    waiting = line("suppliers", "S-1", business="B-77", **supplier)
    assert results(feed(waiting, wait=timedelta(minutes=30))) == ["pending"]

    bind(feed, line, opened)

    assert not FeedInboxLine.objects.exists()
    assert opened.suppliers.count() == 1


def test_a_user_who_is_matched_by_email_has_one_id(feed, line, opened):
    user = {"firstName": "Ada", "lastName": "Example", "email": "ada@example.com"}
    user |= {"userType": "BUSINESS", "owner": str(BusinessOwner.objects.get().external_id)}
    feed(line("users", "U-1", **user))

    (outcome,) = feed(line("users", "U-2", **user))

    assert codes(outcome) == [("ID_KNOWN", "/externalId")]
    assert "U-1" in outcome["errors"][0]["message"]
