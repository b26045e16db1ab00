"""Doubtful answers that were confirmed, in words for staff."""

from decimal import Decimal

import pytest

from onboarding.queries.leads import open_lead_file
from onboarding.services.leads import marks
from onboarding.services.leads.confirmed_answers import OTHERS, list_confirmed, shares_of


@pytest.fixture
def lead(make_lead):
    address = {"line1": "12 Main Street", "line2": "PMB 7", "state": "CA", "postal_code": "10001"}
    return make_lead(
        **address, business_type="MMLLC", ownership_percent=Decimal(100), business_address=address
    )


@pytest.fixture
def listed(make_application, lead):
    def listed(**confirmed):
        file = open_lead_file(make_application(lead))
        marks.confirm(lead, confirmed)
        return list_confirmed(file.lead, file)

    return listed


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("postal_code", "CA 10001", "The ZIP code is of another state: home address, CA 10001"),
        (
            "business_address.line1",
            "12 Main Street PMB 7",
            "The address may be a rented mailbox: business address, 12 Main Street PMB 7",
        ),
        (
            "ownership_percent",
            "MMLLC 100",
            "The type has several owners, and the share is 100 percent",
        ),
        ("business_type", "MMLLC 0", "The type has one owner, and others are listed"),
        (
            "postal_code",
            "NY 90210",
            "The ZIP code is of another state: home address, changed since it was confirmed",
        ),
    ],
)
def test_what_was_confirmed_is_said_with_its_value(listed, name, value, words):
    assert listed(**{name: value}) == [words]


def test_nothing_confirmed_is_nothing_said(listed):
    assert listed() == []


def test_the_answer_about_further_owners_rests_on_the_shares(make_application, lead, make_owner):
    file = open_lead_file(make_application(lead))
    marks.confirm(lead, {OTHERS: shares_of(file)})
    before = list_confirmed(lead, file)
    make_owner(lead, ownership_percent=Decimal(0))

    after = list_confirmed(lead, open_lead_file(file.application))

    assert before == ["Nobody else owns 25 percent or more, or controls the business"]
    assert "changed since" in after[0]


def test_an_owner_confirms_too(make_application, lead, make_owner):
    owner = make_owner(lead, address={"state": "CA", "postal_code": "10001"})
    marks.confirm(owner, {"address.postal_code": "CA 10001"})
    file = open_lead_file(make_application(lead))

    assert list_confirmed(owner, file) == [
        "The ZIP code is of another state: home address, CA 10001"
    ]
