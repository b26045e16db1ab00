"""Drafts of forms: kept for a day, for one page of one application."""

from uuid import uuid4

import pytest

from onboarding.errors import ErrorCode, Fault
from onboarding.models import FormDraft
from onboarding.services.access import sessions
from onboarding.services.leads import form_drafts
from onboarding.services.leads.form_drafts import Draft, owner_page
from tests.factories import NOON, later

DRAFT = Draft(
    {"first_name": ["Ada"]},
    seen="marks",
    conflicts=["city"],
    faults=[Fault(ErrorCode.OWNERSHIP_TOTAL_EXCEEDED, ("ownershipPercent",))],
    version="1",
    is_unsaved=True,
)


@pytest.fixture
def application(make_application):
    return make_application()


def test_a_draft_comes_back_as_it_was_kept_for_a_day(application):
    form_drafts.keep(application, "you", DRAFT, at=NOON)

    assert form_drafts.find(application, "you", at=later(hours=23)) == DRAFT
    assert form_drafts.find(application, "business", at=NOON) is None
    assert form_drafts.find(application, "you", at=later(days=1)) is None


def test_a_newer_draft_takes_the_place_of_the_older(application):
    form_drafts.keep(application, "you", DRAFT, at=NOON)
    form_drafts.keep(application, "you", Draft({"city": ["Boston"]}), at=NOON)

    assert form_drafts.find(application, "you", at=NOON) == Draft({"city": ["Boston"]})


def test_a_draft_of_a_session_is_found_in_that_session_alone(application):
    own, other = (
        form_drafts.session_page(
            "review", sessions.open_session(application, language="en", at=NOON).session
        )
        for _ in range(2)
    )
    form_drafts.keep(application, own, DRAFT, at=NOON)
    form_drafts.keep(application, other, Draft({"city": ["Boston"]}), at=NOON)

    assert form_drafts.find(application, own, at=NOON) == DRAFT


TOO_MUCH = {f"field_{number}": ["x" * form_drafts.VALUE_MAX] for number in range(80)}


@pytest.mark.parametrize("values", [{}, TOO_MUCH])
def test_nothing_and_too_much_are_not_kept(application, values):
    form_drafts.keep(application, "you", DRAFT, at=NOON)
    form_drafts.keep(application, "you", Draft(values), at=NOON)

    assert not FormDraft.objects.exists()


def test_a_value_of_a_megabyte_is_cut_and_the_others_are_kept(application):
    values = {"first_name": ["x" * 1024**2], "city": ["Boston"]}

    form_drafts.keep(application, "you", Draft(values), at=NOON)

    kept = form_drafts.find(application, "you", at=NOON).values
    assert len(kept["first_name"][0]) == form_drafts.VALUE_MAX
    assert kept["city"] == ["Boston"]


def test_fields_of_two_windows_are_both_kept(application):
    for values in ({"first_name": ["Augusta"]}, {"city": ["Boston"]}, {"first_name": ["Eve"]}):
        form_drafts.add(application, "you", Draft(values, is_unsaved=True), at=NOON)

    draft = form_drafts.find(application, "you", at=NOON)
    assert draft == Draft({"first_name": ["Eve"], "city": ["Boston"]}, is_unsaved=True)


def test_a_blank_number_leaves_the_number_of_the_draft(application):
    for number in ("223-45-6789", ""):
        form_drafts.add(application, "you", Draft({"ssn": [number]}), at=NOON)

    assert form_drafts.find(application, "you", at=NOON).values == {"ssn": ["223-45-6789"]}


@pytest.mark.parametrize("moved", ["application", "page"])
def test_a_draft_that_was_moved_is_not_read(application, make_application, moved):
    form_drafts.keep(application, "you", DRAFT, at=NOON)
    other = make_application()
    FormDraft.objects.update(**({"application": other} if moved != "page" else {"page": "owners"}))

    owner, page = (other, "you") if moved != "page" else (application, "owners")
    assert form_drafts.find(owner, page, at=NOON) is None


def test_a_draft_whose_key_is_gone_is_none(application, settings):
    form_drafts.keep(application, "you", DRAFT, at=NOON)
    settings.PII_KEYS = f"other:{'0' * 64}"

    assert form_drafts.find(application, "you", at=NOON) is None


def test_a_draft_whose_key_is_gone_is_replaced(application, settings):
    form_drafts.keep(application, "you", DRAFT, at=NOON)
    settings.PII_KEYS = f"other:{'0' * 64}"

    form_drafts.keep(application, "you", DRAFT, at=NOON)

    assert form_drafts.find(application, "you", at=NOON) == DRAFT


def test_the_page_of_the_form_posted_last_is_found(application):
    form_drafts.keep(application, "you", DRAFT, at=NOON)
    form_drafts.keep(application, "owners", DRAFT, at=later(minutes=1))
    form_drafts.keep(application, "business", Draft({"city": ["Boston"]}), at=later(minutes=2))

    assert form_drafts.find_unsaved_page(application, at=later(minutes=3)) == "owners"
    assert form_drafts.find_unsaved_page(application, at=later(days=2)) is None


def test_remarks_on_what_a_phone_sent_are_no_draft_of_the_applicant(application):
    form_drafts.keep(application, form_drafts.phone_page(uuid4()), DRAFT, at=NOON)

    assert form_drafts.list_pages(application, at=NOON) == []


def test_the_page_of_a_removed_owner_is_passed_over(application, make_owner):
    owner, removed = make_owner(application.lead), make_owner(application.lead)
    for minute, page in enumerate(["you", owner_page(owner.external_id)]):
        form_drafts.keep(application, page, DRAFT, at=later(minutes=minute))
    page = owner_page(removed.external_id)
    form_drafts.keep(application, page, DRAFT, at=later(minutes=2))

    removed.delete()

    found = form_drafts.find_unsaved_page(application, at=later(minutes=3))
    assert found == owner_page(owner.external_id)
    owner.delete()
    assert form_drafts.find_unsaved_page(application, at=later(minutes=3)) == "you"
