"""Drafts: saved step by step, so that no tab undoes another."""

from decimal import Decimal

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.errors import Invalid
from onboarding.models import Application, Event, Lead, Owner
from onboarding.services.applications.attempts import LeadLocked
from onboarding.services.leads import drafts, marks
from tests.factories import NOON

NAMES = ["first_name", "ssn", "city", "business_address.city", "ownership_percent"]


@pytest.fixture
def application(make_application, make_lead):
    lead = make_lead(
        email="ada@example.com",
        first_name="Ada",
        ssn="123456789",
        city="",
        business_address={"line1": "1 Way", "city": "Paris"},
        ownership_percent=Decimal(40),
    )
    return make_application(lead)


@pytest.fixture
def seen(application):
    return marks.remember(Lead.objects.get(), NAMES)


@pytest.fixture
def save(application, seen):
    def save(*, seen=seen, **values):
        values = {name.replace("__", "."): value for name, value in values.items()}
        return drafts.save_lead(application, values, seen=seen, at=NOON)

    return save


def lead():
    return Lead.objects.get()


def test_what_was_filled_in_is_the_applicants(save):
    save(first_name="Eve", city="Boston", business_address__city="Rome")

    assert (lead().first_name, lead().city) == ("Eve", "Boston")
    assert lead().business_address == {"line1": "1 Way", "city": "Rome"}
    assert set(lead().supplied_by) == {"first_name", "city", "business_address"}
    assert sorted(lead().corrected) == ["business_address", "first_name"]


def test_the_event_names_what_changed_and_no_value(save):
    save(ssn="123456788", city="Boston")

    event = Event.objects.get()
    assert event.details == {"changed": ["city", "ssn"]}
    assert (event.role, event.type, event.sequence) == ("APPLICANT", "lead.changed", None)


def test_what_is_only_repeated_changes_nothing(save):
    save(first_name="Ada", ownership_percent=Decimal("40.0"), business_address__city="Paris")

    assert lead().supplied_by == {}
    assert not Event.objects.exists()


def test_a_part_of_an_address_can_be_cleared(save):
    save(business_address__city="")

    assert lead().business_address == {"line1": "1 Way"}


def test_each_question_is_answered_on_its_own(application, save):
    asked = [{"question": "Source of funds?"}, {"question": "Volume?", "question_id": "q2"}]
    Lead.objects.update(edd_answers=asked)
    names = ["edd_answers.0", "edd_answers.1"]
    both = marks.remember(lead(), names)

    save(edd_answers__0="Sales", seen=both)
    save(edd_answers__1="50000", edd_answers__9="Of nothing", seen=both)
    again = save(edd_answers__0="Savings", seen=both)

    assert again.conflicts == ["edd_answers.0"]
    assert lead().edd_answers == [
        {"question": "Source of funds?", "answer": "Sales"},
        {"question": "Volume?", "question_id": "q2", "answer": "50000"},
    ]
    save(edd_answers__0="", seen=marks.remember(lead(), names))
    assert lead().edd_answers[0] == {"question": "Source of funds?"}


def test_marks_of_other_names_are_kept_beside(save, seen):
    save(first_name="Eve", city="Boston")

    again = marks.remember(lead(), ["city"], beside=seen)
    saved = save(first_name="Bea", city="Rome", seen=again)

    assert (saved.conflicts, lead().city) == (["first_name"], "Rome")


def test_what_another_tab_changed_is_not_undone_by_repeating_the_old(save):
    save(first_name="Eve")

    saved = save(first_name="Ada", city="Boston")

    assert (lead().first_name, lead().city, saved.conflicts) == ("Eve", "Boston", [])


def test_two_tabs_that_disagree_are_told(save):
    save(first_name="Eve")

    saved = save(first_name="Bea", city="Boston")

    assert saved.conflicts == ["first_name"]
    assert (lead().first_name, lead().city) == ("Eve", "Boston")
    again = marks.remember(saved.person, NAMES)
    assert save(first_name="Bea", seen=again).conflicts == []
    assert lead().first_name == "Bea"


def test_two_tabs_that_agree_are_left_alone(save):
    save(first_name="Eve")

    assert save(first_name="Eve").conflicts == []


def test_without_marks_the_newest_wins(save):
    save(first_name="Eve")

    assert save(first_name="Bea", seen="tampered").conflicts == []
    assert lead().first_name == "Bea"


def test_values_that_contradict_each_other_are_refused(save, make_owner):
    make_owner(lead(), ownership_percent=70)

    with pytest.raises(Invalid):
        save(ownership_percent=Decimal(31))

    assert lead().ownership_percent == 40


@pytest.mark.parametrize("status", [Status.SUBMITTED, Status.APPROVED, Status.WITHDRAWN])
def test_nothing_is_saved_after_the_submission(application, save, status):
    Application.objects.update(status=status)

    with pytest.raises(LeadLocked):
        save(first_name="Eve")
    with pytest.raises(LeadLocked):
        drafts.save_owner(application, None, {"email": "o@example.com"}, seen="", at=NOON)
    with pytest.raises(LeadLocked):
        drafts.choose_control_person(application, None, at=NOON)
    with pytest.raises(LeadLocked):
        drafts.remove_owner(application, str(application.external_id), at=NOON)


def test_an_owner_is_added_and_changed(application):
    values = {"email": "grace@example.com", "first_name": "Grace", "address.city": "Rome"}
    added = drafts.save_owner(application, None, values, seen="", at=NOON).person

    drafts.save_owner(application, added.external_id, {"title": "CTO"}, seen="", at=NOON)

    owner = Owner.objects.get()
    assert (owner.first_name, owner.title, owner.address) == ("Grace", "CTO", {"city": "Rome"})
    assert owner.supplied_by["first_name"] == "APPLICANT"
    assert [event.details["ubo_id"] for event in Event.objects.all()] == [
        str(added.external_id)
    ] * 2


def test_an_owner_who_makes_it_too_much_is_refused(application):
    values = {"email": "o@example.com", "ownership_percent": Decimal(61)}

    with pytest.raises(Invalid):
        drafts.save_owner(application, None, values, seen="", at=NOON)

    assert not Owner.objects.exists()


def test_a_new_owner_needs_an_email(application):
    with pytest.raises(Invalid):
        drafts.save_owner(application, None, {"first_name": "Grace"}, seen="", at=NOON)

    assert not Owner.objects.exists()


def test_another_leads_owner_is_nobody(application, make_owner):
    stranger = make_owner()

    with pytest.raises(Owner.DoesNotExist):
        drafts.save_owner(application, stranger.external_id, {"title": "CTO"}, seen="", at=NOON)
    with pytest.raises(Owner.DoesNotExist):
        drafts.choose_control_person(application, stranger.external_id, at=NOON)
    drafts.remove_owner(application, stranger.external_id, at=NOON)

    assert Owner.objects.get() == stranger


def test_an_owner_is_removed_once(application, make_owner):
    owner = make_owner(application.lead)

    for _ in range(2):
        drafts.remove_owner(application, owner.external_id, at=NOON)

    assert not Owner.objects.exists()
    assert Event.objects.get().details["removed"] is True


def test_one_person_controls_the_business(application, make_owner):
    owner, other = make_owner(application.lead), make_owner(application.lead)

    drafts.choose_control_person(application, owner.external_id, at=NOON)
    drafts.choose_control_person(application, other.external_id, at=NOON)

    marked = [person.is_control_person for person in [lead(), *Owner.objects.order_by("pk")]]
    assert marked == [False, False, True]
    drafts.choose_control_person(application, None, at=NOON)
    assert lead().is_control_person


def test_of_two_tabs_at_once_none_is_lost(in_threads, application, seen):
    drafts_of = {"first_name": "Eve", "city": "Boston", "business_address.city": "Rome"}

    def save(item):
        name, value = item
        mine = Application.objects.get(pk=application.pk)
        return drafts.save_lead(mine, {name: value}, seen=seen, at=NOON).conflicts

    assert in_threads(save, drafts_of.items()) == [[], [], []]
    assert (lead().first_name, lead().city) == ("Eve", "Boston")
    assert lead().business_address == {"line1": "1 Way", "city": "Rome"}
    assert list(Event.objects.values_list("number", flat=True)) == [1, 2, 3]


@pytest.mark.parametrize("typed", ["123456789", "223456789", "323456789"])
def test_a_number_cannot_be_guessed_by_a_page_that_did_not_show_it(save, seen, typed):
    save(ssn="223456789")  # since then, `seen` is stale

    answers = [save(ssn=typed, seen=seen).conflicts for _ in range(12)]

    assert answers == [[]] * 12
    assert lead().ssn == typed
    assert Event.objects.count() == 13


@pytest.mark.parametrize(
    ("typed", "corrected"), [("123456789", []), ("223456789", ["ssn"])], ids=["same", "other"]
)
def test_a_typed_number_makes_the_same_event_whether_the_partner_sent_it(save, typed, corrected):
    save(ssn=typed)

    assert Event.objects.get().details == {"changed": ["ssn"]}
    assert (lead().ssn, lead().supplied_by) == (typed, {"ssn": "APPLICANT"})
    assert lead().corrected == corrected


def test_a_removed_owners_documents_prove_nothing(application, make_owner, make_document):
    owner = make_owner(application.lead)
    same = {"sha256": "a" * 64, "file_name": "id.pdf", "llc_file_type": "PASSPORT"}
    make_document(application.lead, **same)
    his = make_document(application.lead, owner=owner, **same)

    drafts.remove_owner(application, owner.external_id, at=NOON)

    his.refresh_from_db()
    assert (his.status, his.owner) == ("REPLACED", None)
