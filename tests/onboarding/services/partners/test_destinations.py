"""Where applicants are led, which two administrators decide. The screen's tests have more."""

import pytest

from banking.models import StaffChange, User
from banking.services import staff_changes
from onboarding.models import Partner
from onboarding.services.partners import destinations
from tests.factories import NOON

ORIGIN = "https://app.example.com"


@pytest.fixture
def rosa(db):
    return User.objects.create_user("rosa@example.com", user_type="STAFF")


def confirm(change):
    sam = User.objects.create_user("sam@example.com", user_type="STAFF")
    staff_changes.confirm(change, by=sam, at=NOON)


def test_an_origin_is_added_when_a_second_administrator_confirms_it(rosa, make_partner):
    partner = make_partner(embed_origins=["https://other.example.com"])
    change = destinations.propose(partner, [ORIGIN], by=rosa, at=NOON)
    before = Partner.objects.get().embed_origins

    confirm(change)

    assert before == ["https://other.example.com"]
    assert Partner.objects.get().embed_origins == [*before, ORIGIN]


def test_a_partner_with_another_name_meanwhile_gets_no_origin(rosa, make_partner):
    change = destinations.propose(make_partner(), [ORIGIN], by=rosa, at=NOON)
    Partner.objects.update(name="Another")

    with pytest.raises(staff_changes.ChangeVoid):
        confirm(change)

    assert Partner.objects.get().embed_origins == []


def test_a_new_return_url_takes_effect_when_a_second_administrator_confirms_it(rosa, make_partner):
    partner = make_partner(return_url="https://app.example.com/", support_email="a@example.com")
    values = {"return_url": "https://new.example.com/done"}
    change = destinations.propose(partner, values=values, by=rosa, at=NOON)
    before = Partner.objects.get().return_url

    confirm(change)

    assert change.summary == [f"Applicants of {partner} return to https://new.example.com/done."]
    assert before == "https://app.example.com/"
    after = Partner.objects.get()
    assert (after.return_url, after.support_email) == (values["return_url"], "a@example.com")


def test_two_present_values_are_replaced_in_whatever_order_the_database_keeps_keys(
    rosa, make_partner
):
    partner = make_partner(return_url="https://app.example.com/", support_email="a@example.com")
    values = {"support_email": "b@example.com", "return_url": "https://new.example.com/"}
    change = destinations.propose(partner, values=values, by=rosa, at=NOON)
    reordered = {**change.payload, "values": dict(sorted(values.items()))}
    StaffChange.objects.update(payload=reordered)  # as jsonb does on PostgreSQL

    confirm(change)

    after = Partner.objects.get()
    assert {name: getattr(after, name) for name in values} == values


def test_a_value_that_changed_meanwhile_voids_the_proposal(rosa, make_partner):
    values = {"support_email": "help@example.com"}
    change = destinations.propose(make_partner(), values=values, by=rosa, at=NOON)
    Partner.objects.update(support_email="other@example.com")

    with pytest.raises(staff_changes.ChangeVoid):
        confirm(change)

    assert Partner.objects.get().support_email == "other@example.com"


def test_a_proposal_from_before_there_were_values_is_confirmed(rosa, make_partner):
    partner = make_partner()
    change = staff_changes.propose(
        destinations.DESTINATIONS,
        payload={"partner": partner.pk, "origins": [ORIGIN]},
        summary=["An origin."],
        by=rosa,
        at=NOON,
    )

    confirm(change)

    assert Partner.objects.get().embed_origins == [ORIGIN]
