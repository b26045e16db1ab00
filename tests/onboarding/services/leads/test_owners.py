"""Owners: who is whom, what is kept, and what a merge costs."""

from datetime import date

import pytest

from onboarding.models import Lead, Owner
from onboarding.services.leads import form_drafts
from onboarding.services.leads.form_drafts import Draft, owner_page
from onboarding.services.leads.owners import (
    delete_owners,
    find_owner,
    merge_owners,
    remove_owners,
    save_owners,
)
from tests.factories import NOON, make_owner

GRACE = {"first_name": "Grace", "last_name": "Example"}
BORN = date(1976, 1, 1)


@pytest.fixture
def merge():
    """Merge owners into a lead, save them, and return what was merged."""

    def merge(lead, *sent, keep_applicants=False):
        roll = merge_owners(lead, list(sent), keep_applicants=keep_applicants)
        save_owners(roll)
        return roll

    return merge


@pytest.mark.parametrize(
    ("stored", "sent"),
    [
        ({"email": "g@example.com"}, {"email": "g@example.com"}),
        ({"email": "g@example.com", "ssn": "1", **GRACE}, {"email": "g@example.com", "ssn": "2"}),
        ({"ssn": "1", **GRACE}, {"ssn": "2", **GRACE}),
        ({"id_gov_number": "G1"}, {"id_gov_number": "G1"}),
        ({"passport_number": "X1"}, {"passport_number": "X2"}),
        ({**GRACE}, {**GRACE}),
        ({**GRACE, "email": "g@example.com"}, {**GRACE}),
        ({**GRACE}, {**GRACE, "email": "g@example.com", "ssn": "1"}),
        ({**GRACE, "birth_date": BORN}, {**GRACE}),
        ({"first_name": "Grace"}, {"first_name": "Grace", "last_name": None}),
        ({}, {}),
        ({"title": "CEO"}, {"title": "CTO", "email": None}),
    ],
)
def test_an_owner_is_known_again(stored, sent):
    assert find_owner([Owner(email="other@example.com"), Owner(**stored)], sent) == 1


@pytest.mark.parametrize(
    ("stored", "sent"),
    [
        ({"email": "g@example.com"}, {"email": "h@example.com"}),
        ({"email": "g@example.com", "ssn": "1"}, {"email": "h@example.com", "ssn": "1"}),
        ({"email": "g@example.com", **GRACE}, {"email": "h@example.com", **GRACE}),
        ({"email": "g@example.com"}, {}),
        ({"ssn": "1"}, {}),
        ({"ssn": "1"}, {"passport_number": "1"}),
        ({"ssn": "1"}, {"ssn": "1", **GRACE}),
        ({"ssn": "1"}, {"ssn": "1", "email": "g@example.com"}),
        ({"ssn": "1", "email": "g@example.com"}, {"ssn": "1"}),
        ({"passport_number": "X1"}, {"passport_number": "X1", "first_name": "G"}),
        ({**GRACE, "birth_date": BORN}, {**GRACE, "birth_date": date(1950, 1, 1)}),
        ({**GRACE}, {"first_name": "Grace"}),
        ({**GRACE}, {}),
        ({}, {"email": "g@example.com"}),
    ],
)
def test_somebody_else_is_not_mistaken_for_an_owner(stored, sent):
    assert find_owner([Owner(**stored)], sent) is None


def test_the_email_goes_before_the_number_of_another():
    owners = [Owner(ssn="1"), Owner(email="g@example.com")]

    assert find_owner(owners, {"email": "g@example.com", "ssn": "1"}) == 1


def test_namesakes_that_are_sent_together_stay_apart(make_lead, merge):
    lead = make_lead()

    merge(lead, {**GRACE, "ownership_percent": 30}, {**GRACE, "ownership_percent": 20}, {}, {})
    first = list(lead.owners.order_by("pk").values_list("external_id", "ownership_percent"))
    merge(lead, {**GRACE, "ownership_percent": 30}, {**GRACE, "ownership_percent": 20}, {}, {})

    assert [percent for _, percent in first] == [30, 20, None, None]
    assert list(lead.owners.order_by("pk").values_list("external_id", "ownership_percent")) == first


def test_two_foreigners_without_emails_are_two(make_lead, merge):
    lead = make_lead()

    merge(lead, {"passport_number": "X1"}, {"passport_number": "X2"})

    assert lead.owners.count() == 2


def test_owners_known_by_nothing_but_numbers_keep_their_order(make_lead, merge):
    lead = make_lead()
    sent = [{"ssn": "123456789"}, {"ssn": "123456789", "title": "CEO"}]
    merge(lead, *sent)

    again = merge(lead, *sent)

    assert again.places == [0, 1]
    assert not again.is_changed
    assert [owner.title for owner in lead.owners.order_by("pk")] == ["", "CEO"]


@pytest.mark.parametrize("known", [{}, GRACE, {"email": "g@example.com"}])
@pytest.mark.parametrize("name", ["ssn", "passport_number", "id_gov_number"])
def test_who_is_found_does_not_depend_on_the_number(known, name):
    owners = [Owner(**known, **{name: "123456789"}), Owner(**{name: "323456789"})]

    found = {find_owner(owners, {**known, name: f"{area}23456789"}) for area in (1, 2, 3)}

    assert found == {0}


def test_two_people_with_one_number_stay_two(make_lead, merge):
    lead = make_lead()
    ada, eve = ({"ssn": "123456789", "first_name": name} for name in ("Ada", "Eve"))

    merge(lead, ada, eve)
    again = merge(lead, ada, eve)

    assert again.places == [0, 1]
    assert [owner.first_name for owner in lead.owners.order_by("pk")] == ["Ada", "Eve"]


def test_no_owner_is_left_when_all_are_cleared(make_lead, merge):
    lead = make_lead()
    merge(lead, {"email": "o@example.com"})

    save_owners(remove_owners(lead))

    assert not lead.owners.exists()


def test_the_draft_of_an_owner_goes_with_the_owner(make_application):
    application = make_application()
    owner, other = make_owner(application.lead), make_owner(application.lead)
    for page in ("you", owner_page(owner.external_id), owner_page(other.external_id)):
        form_drafts.keep(application, page, Draft({"city": ["Boston"]}), at=NOON)

    delete_owners(application.lead.owners.filter(pk=owner.pk))

    left = set(application.form_drafts.values_list("page", flat=True))
    assert left == {"you", owner_page(other.external_id)}


def test_an_owner_who_got_an_email_is_still_the_one_sent_without(make_lead, merge):
    lead = make_lead()
    merge(lead, GRACE)
    lead.owners.update(email="grace@example.com", supplied_by={"email": "APPLICANT"})

    merge(lead, GRACE, keep_applicants=True)

    assert lead.owners.get().email == "grace@example.com"


def test_owners_come_in_the_order_they_were_sent(make_lead, merge):
    lead = make_lead()
    merge(lead, {"email": "a@example.com"})

    roll = merge(lead, {"email": "b@example.com"}, {"email": "a@example.com", "title": "CEO"})

    assert [owner.email for owner in roll.owners] == ["a@example.com", "b@example.com"]
    assert roll.places == [1, 0]
    assert roll.changed == {0: {"title"}}
    assert [owner.email for owner in roll.added] == ["b@example.com"]


def test_what_is_not_sent_is_not_removed(make_lead, merge):
    lead = make_lead()
    merge(lead, {"email": "a@example.com"}, {"email": "b@example.com"})

    roll = merge(lead, {"email": "b@example.com"})

    assert not roll.is_changed
    assert len(roll.owners) == lead.owners.count() == 2


def test_what_the_applicant_changed_is_kept_on_a_create_and_overwritten_by_an_update(
    make_lead, merge
):
    lead = make_lead()
    merge(lead, {"email": "a@example.com", "title": "CEO"})
    lead.owners.update(title="Founder", supplied_by={"title": "APPLICANT"})

    kept = merge(lead, {"email": "a@example.com", "title": "CEO"}, keep_applicants=True)
    title = lead.owners.get().title
    merge(lead, {"email": "a@example.com", "title": "CEO"})

    assert kept.kept == [("uboList", 0, "title")]
    assert not kept.is_changed
    assert title == "Founder"
    assert (lead.owners.get().title, lead.owners.get().supplied_by) == ("CEO", {})


def test_a_cleared_number_clears_its_index(make_lead, merge):
    lead = make_lead()
    merge(lead, {"email": "a@example.com", "ssn": "123456789"})
    assert lead.owners.get().ssn_index

    merge(lead, {"email": "a@example.com", "ssn": None})

    assert (lead.owners.get().ssn, lead.owners.get().ssn_index) == ("", "")


def test_owners_of_a_lead_that_is_not_saved_wait_for_it(make_lead, merge):
    lead = Lead(partner=make_lead().partner, email="new@example.com")
    roll = merge_owners(lead, [{"email": "a@example.com"}], keep_applicants=True)

    lead.save()
    save_owners(roll)

    assert lead.owners.get().email == "a@example.com"


def test_a_merge_costs_three_statements_however_many_owners(
    make_lead, merge, django_assert_num_queries
):
    lead = make_lead()
    merge(lead, *({"email": f"o{number}@example.com"} for number in range(5)))

    with django_assert_num_queries(3):
        merge(lead, *({"email": f"o{number}@example.com", "title": "CEO"} for number in range(8)))

    assert set(lead.owners.values_list("title", flat=True)) == {"CEO"}


def test_owners_of_another_lead_are_not_touched(make_lead, merge):
    lead, other = make_lead(), make_lead()
    merge(other, {"email": "a@example.com"})

    merge(lead, {"email": "a@example.com", "title": "CEO"})

    assert other.owners.get().title == ""


def test_a_new_lead_without_owners_asks_no_database():
    assert merge_owners(Lead(), [], keep_applicants=True).owners == []
