"""Limits of one partner: two administrators set them, and they hold from the next call on."""

import pytest

from banking.models import StaffEvent, User
from banking.services import staff_changes
from onboarding.models import Partner, Webhook
from onboarding.services.partners import limits
from onboarding.services.partners.limits import PartnerLimits
from tests.factories import NOON


def test_two_administrators_set_and_unset_them(make_partner):
    rosa, sam = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF") for name in "rs"
    )
    partner = make_partner(name="Coffee Portal")

    change = limits.propose(partner, PartnerLimits(calls_per_minute=5000), by=rosa, at=NOON)
    proposed = Partner.objects.get().calls_per_minute
    staff_changes.confirm(change, by=sam, at=NOON)
    partner.refresh_from_db()
    confirmed = limits.limit_of(partner, "calls_per_minute")
    staff_changes.confirm(
        limits.propose(partner, PartnerLimits(), by=sam, at=NOON), by=rosa, at=NOON
    )

    assert (proposed, confirmed) == (None, 5000)
    assert change.summary == ["Coffee Portal may have 5,000 calls a minute and access key."]
    assert Partner.objects.get().calls_per_minute is None
    assert StaffEvent.objects.filter(details__kind="PARTNER_LIMITS").count() == 4


def test_a_proposal_is_void_if_the_limits_changed_meanwhile(make_partner):
    rosa, sam = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF") for name in "rs"
    )
    partner = make_partner()
    change = limits.propose(partner, PartnerLimits(webhooks_max=20), by=rosa, at=NOON)
    Partner.objects.update(webhooks_max=15)

    with pytest.raises(staff_changes.ChangeVoid):
        staff_changes.confirm(change, by=sam, at=NOON)

    assert Partner.objects.get().webhooks_max == 15


def test_no_limit_is_nought_or_without_bounds(make_partner):
    for wanted in (PartnerLimits(calls_per_minute=0), PartnerLimits(webhooks_max=10**6)):
        with pytest.raises(ValueError, match="must be between"):
            limits.propose(make_partner(), wanted, by=None, at=NOON)


@pytest.mark.usefixtures("limits_on")
def test_they_hold_for_the_next_call_and_are_shown_to_the_partner(api):
    usual = api.get("lead")
    Partner.objects.update(calls_per_minute=7, creates_per_minute=2)

    own = api.get("lead")
    created = [api.put("lead", {"email": "ada@example.com"}) for _ in range(3)]

    assert (usual["RateLimit-Limit"], own["RateLimit-Limit"]) == ("120", "7")
    assert created[0]["RateLimit-Limit"] == "2"
    assert [answer.status_code for answer in created[1:]] == [201, 429]


def test_a_partner_has_its_own_number_of_webhooks(api):
    Partner.objects.update(webhooks_max=1)
    sent = [{"serverUrl": f"https://example.com/{number}"} for number in range(2)]

    statuses = [api.put("webhooks", body).status_code for body in sent]

    assert statuses == [201, 409]
    assert Webhook.objects.count() == 1
