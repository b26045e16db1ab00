"""Accountants of the feed, their accesses and referrals."""

import pytest
from django.utils import timezone

from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import Accountant, ClientAccess, Firm, Referral
from banking.services import firms
from tests.banking.feed.test_batches import results

BOOKS = {
    "email": "books@example.com",
    "firstName": "Bo",
    "lastName": "Oaks",
    "userType": "ACCOUNTANT",
}
ACCESS = {
    "accountant": "N-1",
    "business": "B-1",
    "status": "CONNECTED",
    "level": "FULL",
    "invitedAt": "2026-01-10T10:00:00Z",
    "grantedAt": "2026-01-11T10:00:00Z",
}
REFERRAL = {
    "accountant": "N-1",
    "businessName": "Pier Cafe LLC",
    "ownerFirstName": "Cy",
    "ownerLastName": "Dale",
    "email": "Cy@example.com",
    "status": "INVITED",
    "invitedAt": "2026-02-10T10:00:00Z",
    "expiresAt": "2026-03-12T10:00:00Z",
}


@pytest.fixture
def accountant(feed, line, business):
    outcomes = feed(
        business,
        line("users", "U-1", **BOOKS),
        line("accountants", "N-1", user="U-1", firmName="Oaks CPA", partnerReferralCode="OAKS"),
    )
    assert results(outcomes) == ["created"] * 3


def test_an_accountant_is_connected_to_a_client(feed, line, accountant):
    assert results(feed(line("client-accesses", "X-1", **ACCESS))) == ["created"]

    access = ClientAccess.objects.connected(at=timezone.now()).get()
    assert (access.accountant, access.level) == (Accountant.objects.get(), "FULL")


def test_a_business_user_is_no_accountant(feed, line, refusals, accountant):
    feed(line("users", "U-2", **BOOKS | {"userType": "BUSINESS", "email": "ada@example.com"}))

    sent = line("accountants", "N-2", user="U-2", firmName="Oaks", partnerReferralCode="O")

    assert refusals(sent) == [("VALUE_REFUSED", "/data/user")]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"status": "PENDING_TERMS"}, "grantedAt"),
        ({"grantedAt": None}, "grantedAt"),
        ({"status": "REVOKED"}, "revokedAt"),
        ({"revokedAt": "2026-02-01T10:00:00Z"}, "revokedAt"),
    ],
)
def test_dates_fit_the_status_of_an_access(line, refusals, accountant, changed, field):
    sent = line("client-accesses", "X-1", **ACCESS | changed)

    assert refusals(sent) == [("VALUE_REFUSED", f"/data/{field}")]


def test_a_removed_access_is_revoked_and_may_come_back(feed, line, accountant):
    feed(line("client-accesses", "X-1", **ACCESS))

    gone = {"kind": "client-accesses", "externalId": "X-1", "version": 2, "removed": True}

    assert results(feed(gone)) == ["removed"]
    assert ClientAccess.objects.get().status == "REVOKED"
    assert results(feed(line("client-accesses", "X-1", 3, **ACCESS))) == ["updated"]
    assert ClientAccess.objects.get().status == "CONNECTED"


def test_an_access_is_not_moved_to_another_client(feed, line, refusals, business, accountant):
    feed(business | {"externalId": "B-2"}, line("client-accesses", "X-1", **ACCESS))

    moved = line("client-accesses", "X-1", 2, **ACCESS | {"business": "B-2"})

    assert refusals(moved) == [("VALUE_REFUSED", "/data/business")]


def test_a_pair_has_one_access(feed, line, refusals, accountant):
    feed(line("client-accesses", "X-1", **ACCESS))

    assert refusals(line("client-accesses", "X-2", **ACCESS)) == [("ID_KNOWN", "/externalId")]


def test_a_referral_gets_a_code_and_is_completed(feed, line, refusals, accountant):
    assert results(feed(line("referrals", "R-1", **REFERRAL))) == ["created"]
    code = Referral.objects.get().invite_code

    done = REFERRAL | {"status": "COMPLETED"}
    assert refusals(line("referrals", "R-1", 2, **done)) == [("VALUE_REFUSED", "/data/completedAt")]
    done |= {"completedAt": "2026-02-20T10:00:00Z"}
    assert results(feed(line("referrals", "R-1", 2, **done))) == ["updated"]

    referral = Referral.objects.get()
    assert (referral.invite_code, referral.email) == (code, "cy@example.com")
    stored = reading.find_record(KINDS["referrals"], "R-1")
    assert code.encode() not in stored.data


def test_an_accountant_with_clients_stays_with_the_user(feed, line, refusals, accountant):
    feed(line("client-accesses", "X-1", **ACCESS))
    feed(line("users", "U-2", **BOOKS | {"email": "thief@example.com"}))

    sent = line("accountants", "N-1", 2, user="U-2", firmName="Oaks", partnerReferralCode="OAKS")
    assert refusals(sent) == [("VALUE_REFUSED", "/data/user")]
    removal = {"kind": "accountants", "externalId": "N-1", "version": 2, "removed": True}
    assert refusals(removal) == [("NOT_REMOVABLE", None)]


def colleague(line, number, **values):
    user = BOOKS | {"email": f"books{number}@example.com"}
    data = {"user": f"U-{number}", "firmName": "Oaks CPA", "partnerReferralCode": f"C{number}"}
    return [
        line("users", f"U-{number}", **user),
        line("accountants", f"N-{number}", **data | values),
    ]


def test_accountants_of_one_firm_are_colleagues_and_the_first_manages_it(feed, line, business):
    sent = [*colleague(line, 1, firm="F-1"), *colleague(line, 2, firm="F-1"), *colleague(line, 3)]

    assert set(results(feed(business, *sent, line("client-accesses", "X-1", **ACCESS)))) == {
        "created"
    }

    first, second, other = Accountant.objects.order_by("pk")
    assert first.firm == second.firm != other.firm
    assert [one.is_manager for one in (first, second, other)] == [True, False, True]
    now = timezone.now()
    found = [
        ClientAccess.objects.readable_by(one, at=now).count() for one in (first, second, other)
    ]
    assert found == [1, 1, 0]
    kind = KINDS["accountants"]
    assert kind.represent(first)["firm"] == "F-1"
    assert kind.represent(other)["firm"] is None


def test_a_firm_has_one_access_to_a_business(feed, line, refusals, business):
    feed(business, *colleague(line, 1, firm="F-1"), *colleague(line, 2, firm="F-1"))
    feed(line("client-accesses", "X-1", **ACCESS))

    again = line("client-accesses", "X-2", **ACCESS | {"accountant": "N-2"})

    assert refusals(again) == [("CONFLICT", None)]


def test_no_line_brings_a_removed_person_back(feed, line, business):
    feed(business, *colleague(line, 1, firm="F-1"), *colleague(line, 2, firm="F-1"))
    feed(line("client-accesses", "X-1", **ACCESS))
    first, second = Accountant.objects.order_by("pk")
    Accountant.objects.update(is_manager=True)
    firms.remove(first, by=second, at=timezone.now())
    values = {"user": "U-1", "firmName": "Oaks & Co", "partnerReferralCode": "C1", "firm": "F-1"}

    assert results(feed(line("accountants", "N-1", 2, **values))) == ["updated"]

    first.refresh_from_db()
    assert first.firm != second.firm
    assert first.firm.name == "Oaks & Co"
    revoked = {"status": "REVOKED", "revokedAt": "2026-02-01T10:00:00Z"}
    assert results(feed(line("client-accesses", "X-1", 2, **ACCESS | revoked))) == ["updated"]
    assert second.firm.accesses.get().status == "REVOKED"


def test_a_line_renames_a_firm_that_it_names_and_no_firm_of_others(feed, line, business):
    feed(*colleague(line, 1, firm="F-1"), *colleague(line, 2, firm="F-1"))
    values = {"user": "U-2", "partnerReferralCode": "C2"}

    feed(line("accountants", "N-2", 2, **values, firmName="Other"))
    assert Accountant.objects.first().firm.name == "Oaks CPA"
    feed(line("accountants", "N-2", 3, **values, firmName="Oaks & Co", firm="F-1"))
    assert Accountant.objects.first().firm.name == "Oaks & Co"


def test_a_line_that_is_refused_makes_and_renames_no_firm(feed, line, refusals, business):
    feed(business, *colleague(line, 1, firm="F-1"))
    feed(line("client-accesses", "X-1", **ACCESS))  # the accountant stays with the user now
    feed(line("users", "U-2", **BOOKS | {"email": "books2@example.com"}))
    data = {"firmName": "Elms", "partnerReferralCode": "C1"}

    same_user = line("accountants", "N-9", user="U-1", firm="F-9", **data)
    other_user = line("accountants", "N-1", 2, user="U-2", firm="F-1", **data)

    assert refusals(same_user)
    assert refusals(other_user) == [("VALUE_REFUSED", "/data/user")]
    assert list(Firm.objects.values_list("name", "core_id")) == [("Oaks CPA", "F-1")]
