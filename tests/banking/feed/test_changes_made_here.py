"""Changes that people make here, as the bank's systems read them, and what a later line may do."""

from datetime import timedelta

import orjson
import pytest
from django.utils import timezone

from banking.choices import AccessLevel
from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import (
    Accountant,
    AccountantInvitation,
    Business,
    ClientAccess,
    FeedChange,
    Plan,
    Referral,
    Subscription,
)
from banking.services import (
    accountant_invitations,
    clients,
    price_changes,
    row_changes,
    staff_changes,
)
from mcp_server.services import client_accesses
from tests import factories
from tests.banking.feed.kinds.test_accountants import ACCESS, REFERRAL, accountant
from tests.banking.feed.kinds.test_plans import PLAN
from tests.banking.feed.test_batches import results
from tests.banking.services.test_account_opening import open_business

__all__ = ["accountant"]


@pytest.fixture
def access(feed, line, accountant):
    """An access that the core sent in version 1."""
    feed(line("client-accesses", "X-1", **ACCESS))
    return ClientAccess.objects.get()


def newest(kind="client-accesses"):
    """Return the newest change of a kind."""
    changes = FeedChange.objects.filter(kind=kind).order_by("-pk")
    return changes.values_list("external_id", "version", "result").first()


def invite(business):
    owner = factories.make_business_owner(business, user=factories.make_user()).user
    return accountant_invitations.invite(
        business,
        email=Accountant.objects.get().user.email,
        level=AccessLevel.FULL,
        ends_at=None,
        by=owner,
        at=timezone.now(),
    ).invitation


def test_an_access_that_the_owner_ended_is_told_under_the_id_of_the_core(access):
    client_accesses.end_access(access, at=timezone.now())

    assert newest() == ("X-1", 1, "updated")
    stored = reading.find_record(KINDS["client-accesses"], "X-1")
    assert b"REVOKED" in stored.data


def test_no_line_connects_an_access_that_the_owner_ended(feed, line, refusals, access):
    client_accesses.end_access(access, at=timezone.now())

    same, newer = (
        line("client-accesses", "X-1", **ACCESS),
        line("client-accesses", "X-1", 2, **ACCESS),
    )

    assert results(feed(same)) == ["stale"]
    assert refusals(newer) == [("VALUE_REFUSED", "/data/status")]
    waiting = ACCESS | {"status": "PENDING_TERMS", "grantedAt": None}
    assert refusals(line("client-accesses", "X-1", 3, **waiting)) == [
        ("VALUE_REFUSED", "/data/status")
    ]
    assert ClientAccess.objects.get().status == "REVOKED"


def test_the_core_may_take_over_that_an_access_has_ended(feed, line, refusals, access):
    client_accesses.end_access(access, at=timezone.now())
    ended = ACCESS | {"status": "REVOKED", "revokedAt": "2026-02-01T10:00:00Z"}

    assert results(feed(line("client-accesses", "X-1", 2, **ended))) == ["updated"]
    assert refusals(line("client-accesses", "X-1", 3, **ACCESS)) == [
        ("VALUE_REFUSED", "/data/status")
    ]


def test_a_new_invitation_by_the_owner_gives_the_access_again(feed, line, access):
    client_accesses.end_access(access, at=timezone.now())

    invite(access.business)

    assert newest() == ("X-1", 1, "updated")
    assert ClientAccess.objects.get().status == "PENDING_TERMS"
    assert results(feed(line("client-accesses", "X-1", 2, **ACCESS))) == ["updated"]
    assert ClientAccess.objects.get().invitation == AccountantInvitation.objects.get()


def test_an_access_given_here_is_told_under_its_uuid(feed, line, accountant):
    invitation = invite(Business.objects.get())

    access = ClientAccess.objects.get()
    uuid = str(access.external_id)
    assert newest() == (uuid, 0, "created")
    assert (
        b'"accountant":"N-1","business":"B-1"'
        in reading.find_record(KINDS["client-accesses"], uuid).data
    )
    accountant_invitations.accept(access, shown=[], by=access.accountant.user, at=timezone.now())
    assert newest() == (uuid, 0, "updated")
    assert AccountantInvitation.objects.get() == invitation


def test_an_accountant_who_signed_up_here_is_told_with_user_and_access(db):
    owner = factories.make_business_owner(user=factories.make_user())
    now = timezone.now()
    sent = accountant_invitations.invite(
        owner.business,
        email="bo@example.com",
        level=AccessLevel.FULL,
        ends_at=None,
        by=owner.user,
        at=now,
    )

    accountant_invitations.sign_up(
        sent.invitation.external_id,
        sent.token,
        first_name="Bo",
        last_name="Oaks",
        firm_name="Oaks CPA",
        password="harbor lantern violet 27",
        at=now,
    )

    kinds = FeedChange.objects.order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["users", "accountants", "client-accesses"]
    accountant = Accountant.objects.get()
    assert newest("accountants") == (str(accountant.external_id), 0, "created")
    stored = reading.find_record(KINDS["client-accesses"], newest()[0])
    assert str(accountant.external_id).encode() in stored.data


def test_a_day_that_ends_an_access_ends_it_for_the_core_too(feed, line, refusals, access):
    ClientAccess.objects.update(ends_at=timezone.now() - timedelta(days=1))

    assert client_accesses.end_accesses_that_are_over(at=timezone.now()) == 1

    assert newest() == ("X-1", 1, "updated")
    assert refusals(line("client-accesses", "X-1", 2, **ACCESS)) == [
        ("VALUE_REFUSED", "/data/status")
    ]


def test_of_an_end_and_a_line_at_once_the_end_stays(feed, line, access, in_threads):
    def run(number):
        if number:
            client_accesses.end_access(access, at=timezone.now())
        else:
            feed(line("client-accesses", "X-1", 2, **ACCESS | {"level": "STATEMENTS_ONLY"}))

    in_threads(run, range(2))

    stored = ClientAccess.objects.get()
    assert (stored.status, stored.ended_here) == ("REVOKED", True)


def test_a_referral_that_the_accountant_withdrew_is_told(feed, line, accountant):
    feed(line("referrals", "R-1", **REFERRAL))

    clients.withdraw_referral(Referral.objects.get(), at=timezone.now())

    assert newest("referrals") == ("R-1", 1, "updated")
    assert results(feed(line("referrals", "R-1", **REFERRAL))) == ["stale"]
    assert Referral.objects.get().status == "EXPIRED"


def test_a_plan_that_staff_changed_is_told_and_the_old_line_is_stale(feed, line):
    feed(line("plans", "P-1", **PLAN))
    plan = Plan.objects.get()
    by = [factories.make_user(user_type="STAFF") for _ in range(2)]

    price = {"price_cents": 1500}
    now = timezone.now()
    change = row_changes.propose(price_changes.PLAN, plan, price, by=by[0], at=now)
    staff_changes.confirm(change, by=by[1], at=now)

    assert newest("plans") == ("P-1", 1, "updated")
    assert b'"priceCents":1500' in reading.find_record(KINDS["plans"], "P-1").data
    assert results(feed(line("plans", "P-1", **PLAN))) == ["stale"]
    assert results(feed(line("plans", "P-1", 2, **PLAN))) == ["updated"]
    assert Plan.objects.get().price_cents == PLAN["priceCents"]


def test_a_record_without_a_uuid_has_its_name_in_the_changes_and_references(feed, line, db):
    plan = Plan.objects.create(code="START", name="Start", price_cents=0, is_default=True)
    checking = open_business()
    name = str(checking.business.external_id)
    plus = Plan.objects.create(code="PLUS", name="Plus", price_cents=900)

    stored = reading.find_record(KINDS["subscriptions"], name)

    data = orjson.loads(stored.data)
    assert newest("subscriptions") == (name, 0, "created")
    assert (stored.id, data["business"], data["plan"]) == (None, name, plan.code)
    data["plan"] = plus.code
    assert results(feed(line("subscriptions", name, **data))) == ["updated"]
    assert Subscription.objects.get().plan == plus
    ach = orjson.loads(reading.find_record(KINDS["payment-rules"], "ACH").data)
    assert results(feed(line("payment-rules", "ACH", **ach | {"feeCents": 7}))) == ["updated"]
    assert reading.find_record(KINDS["payment-rules"], "CASH") is None
