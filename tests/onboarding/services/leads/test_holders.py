"""Trusts and companies that hold a share, and who holds 25 percent through them."""

from decimal import Decimal

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import HolderKind
from onboarding.models import Application, Event, Holder, Lead, Owner, Stake
from onboarding.queries import evidence
from onboarding.queries.holdings import add_up, list_holdings
from onboarding.queries.leads import open_lead_file
from onboarding.services.applications.attempts import LeadLocked
from onboarding.services.leads import drafts, holders
from onboarding.services.leads.holders import HolderDetails
from tests.factories import NOON


@pytest.fixture
def application(make_application, make_lead):
    lead = make_lead(first_name="Ada", ownership_percent=Decimal(40))
    return make_application(lead, status=Status.IN_PROGRESS)


@pytest.fixture
def grace(application, make_owner):
    return make_owner(application.lead, first_name="Grace", ownership_percent=Decimal(0))


def save(application, holder=None, **values):
    details = {"kind": HolderKind.COMPANY, "name": "Harbor LLC", "share_percent": Decimal(60)}
    holder_id = holder.external_id if holder else None
    return holders.save_holder(
        application, holder_id, HolderDetails(**{**details, **values}), at=NOON
    )


def totals(application):
    file = open_lead_file(application)
    shares = add_up(file.people, list_holdings(file.lead, file.people))
    return {one.first_name: shares[one.external_id] for one in file.people}


def test_shares_are_multiplied_through_to_any_depth(application, grace):
    top = save(application, stakes={None: Decimal(10)})
    middle = save(
        application, name="Middle LLC", share_percent=Decimal(50), parent_id=top.external_id
    )
    save(
        application,
        name="Family Trust",
        kind=HolderKind.TRUST,
        share_percent=Decimal(80),
        parent_id=middle.external_id,
        stakes={grace.external_id: Decimal(100)},
    )

    assert totals(application) == {"Ada": 46, "Grace": 24}


@pytest.mark.parametrize(
    ("stake", "is_rest_small", "is_unexplained"),
    [(0, False, True), (50, False, True), ("58.4", False, False), (0, True, False)],
)
def test_25_percent_that_nobody_is_named_for_are_told(
    application, grace, stake, is_rest_small, is_unexplained
):
    stakes = {grace.external_id: Decimal(stake)}
    save(application, stakes=stakes, is_rest_small=is_rest_small)
    lead = Lead.objects.get()

    [holding] = list_holdings(lead, [lead, grace])

    assert holding.is_unexplained == is_unexplained


def test_a_holder_is_changed_and_keeps_its_number(application, grace):
    holder = save(application, ein="123456789", stakes={grace.external_id: Decimal(50)})

    save(application, holder, name="Port LLC", stakes={None: Decimal(25)})

    stored = Holder.objects.get()
    assert (stored.name, stored.ein) == ("Port LLC", "123456789")
    assert list(Stake.objects.values_list("owner", "share_percent")) == [(None, 25)]
    assert {event.type for event in Event.objects.all()} == {"lead.changed"}


@pytest.mark.parametrize("share", ["60.0001", "100"])
def test_more_than_the_whole_business_is_refused(application, share):
    with pytest.raises(holders.SharesExceeded):
        save(application, share_percent=Decimal(share))

    assert not Holder.objects.exists()


def test_more_than_a_whole_holder_is_refused(application, grace):
    with pytest.raises(holders.SharesExceeded):
        save(application, stakes={grace.external_id: Decimal(60), None: Decimal(41)})


def test_a_holder_is_not_held_by_itself(application):
    top = save(application)
    below = save(application, name="Below LLC", parent_id=top.external_id)

    for parent in (top, below):
        with pytest.raises(holders.CircularHolding):
            save(application, top, parent_id=parent.external_id)


def test_there_are_so_many_holders_and_no_more(application, monkeypatch):
    monkeypatch.setattr(holders, "MOST", 1)
    save(application)

    with pytest.raises(holders.TooManyHolders):
        save(application)


def test_holders_and_owners_of_other_leads_are_not_found(application, make_owner, make_lead):
    other = Holder.objects.create(
        lead=make_lead(), kind="TRUST", name="Other", share_percent=1, created_at=NOON
    )

    with pytest.raises(Holder.DoesNotExist):
        save(application, other)
    with pytest.raises(Holder.DoesNotExist):
        save(application, parent_id=other.external_id)
    with pytest.raises(Owner.DoesNotExist):
        save(application, stakes={make_owner().external_id: Decimal(1)})
    holders.remove_holder(application, other.external_id, at=NOON)
    assert Holder.objects.get() == other


def test_what_a_removed_holder_is_held_by_goes_too(application, grace):
    top = save(application)
    save(application, name="Below", parent_id=top.external_id, stakes={None: Decimal(1)})

    holders.remove_holder(application, top.external_id, at=NOON)

    assert not Holder.objects.exists()
    assert not Stake.objects.exists()


def test_a_removed_owner_holds_nothing(application, grace):
    save(application, stakes={grace.external_id: Decimal(50)})

    drafts.remove_owner(application, str(grace.external_id), at=NOON)

    assert totals(application) == {"Ada": 40}


def test_after_the_submission_nothing_changes(application):
    holder = save(application)
    Application.objects.update(status=Status.SUBMITTED)

    with pytest.raises(LeadLocked):
        save(application, holder)
    with pytest.raises(LeadLocked):
        holders.remove_holder(application, holder.external_id, at=NOON)


def test_the_digests_follow_the_holders(application):
    def digests():
        file = open_lead_file(application)
        return evidence.compute_answers_digest(file.people), evidence.compute_digest(application)

    before = digests()
    holder = save(application)
    with_holder = digests()
    save(application, holder, ein="123456789")
    with_number = digests()
    holders.remove_holder(application, holder.external_id, at=NOON)
    after = digests()

    answers, whole = zip(before, with_holder, with_number, after, strict=True)
    assert len(set(answers)) == 3
    assert answers[0] == answers[3]
    assert len(set(whole)) == 3
