"""The pages about trusts and companies that hold a share."""

from decimal import Decimal

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, FormDraft, Holder, Lead
from tests.onboarding.flow.conftest import errors
from tests.onboarding.flow.test_owners import RIGHT, text
from tests.onboarding.flow.test_review import NAME, TICKED, whole

__all__ = ["whole"]  # an applicant with nothing missing but documents
TRUST = {
    "kind": "TRUST",
    "name": "Harbor Family Trust",
    "ein": "20-7654321",
    "share_percent": "40",
    "parent": "",
    "person_applicant": "100",
}


@pytest.fixture
def holder(flow):
    flow.send("owners/holders/add", TRUST)
    return Holder.objects.get()


def page_of(holder, then=""):
    return f"owners/holders/{holder.external_id}{then}"


def test_a_trust_is_added_and_drawn(flow):
    Lead.objects.update(ownership_percent=Decimal(10))
    response = flow.send("owners/holders/add", TRUST)

    shown = text(flow.get("owners"))

    assert response["Location"] == flow.path("owners")
    assert "Harbor Family Trust" in shown
    assert "50%" in shown  # of Ada, in total
    assert "207654321" not in shown


def test_names_of_people_are_not_called_optional(flow):
    shown = flow.get("owners/holders/add").content.decode()

    assert shown.count("(optional)") == 1  # the EIN


@pytest.mark.parametrize("name", ["kind", "name", "share_percent"])
def test_what_is_missing_is_told_and_the_rest_stays_typed(flow, name):
    response = flow.post("owners/holders/add", TRUST | {name: ""})

    assert set(errors(response)) == {name}
    assert response.context["form"]["person_applicant"].value() == "100"
    assert "7654321" not in text(response)
    flow.send("owners/holders/add", TRUST | {"ein": ""})
    assert Holder.objects.get().ein == "207654321"  # typed before


def test_too_much_is_told(flow):
    Lead.objects.update(ownership_percent=Decimal("60.5"))

    response = flow.post("owners/holders/add", TRUST)

    assert "more than 100 percent" in errors(response)["share_percent"]
    assert not Holder.objects.exists()


def test_a_person_is_added_from_the_form_which_is_kept_as_it_was_typed(flow):
    half = TRUST | {"share_percent": "", "person_applicant": "50", "then": "person"}

    left = flow.send("owners/holders/add", half)
    added = flow.fill_in("owners/add", **RIGHT | {"ownership_percent": "0"})
    back = flow.get("owners/holders/add")

    assert left["Location"] == flow.path("owners/add")
    assert added.request["PATH_INFO"] == flow.path("owners/holders/add")
    assert errors(back) == {}
    form = back.context["form"]
    assert (form["name"].value(), form["person_applicant"].value()) == (TRUST["name"], "50")
    owner = flow.lead.owners.get()
    assert f"person_{owner.external_id}" in form.fields
    flow.send(
        "owners/holders/add",
        TRUST | {f"person_{owner.external_id}": "50", "person_applicant": "50", "ein": ""},
    )
    assert Holder.objects.get().stakes.count() == 2
    assert Holder.objects.get().ein == "207654321"


def test_who_is_added_from_the_list_leads_back_to_the_list(flow):
    flow.send("owners/holders/add", TRUST | {"name": ""})

    added = flow.fill_in("owners/add", **RIGHT | {"ownership_percent": "0"})

    assert added.request["PATH_INFO"] == flow.path("owners")


def test_a_trust_with_nobody_behind_it_says_so(flow):
    nobody = TRUST | {"share_percent": "10", "person_applicant": ""}
    flow.send("owners/holders/add", nobody)
    told = text(flow.get("owners"))

    holder = Holder.objects.get()
    flow.send(page_of(holder), nobody | {"is_rest_small": "on"})

    assert "No people named yet" in told
    assert "No people named yet" not in text(flow.get("owners"))


def test_a_holder_is_changed(flow, holder):
    shown = flow.get(page_of(holder)).context["form"]

    flow.send(page_of(holder), TRUST | {"ein": "", "name": "Port Trust"})

    assert (shown["share_percent"].value(), shown["person_applicant"].value()) == ("40", "100")
    stored = Holder.objects.get()
    assert (stored.name, stored.ein) == ("Port Trust", "207654321")


def test_a_holder_is_removed_after_a_question(flow, holder):
    question = text(flow.get(page_of(holder, "/remove")))

    flow.send(page_of(holder, "/remove"))

    assert "Remove Harbor Family Trust?" in question
    assert not Holder.objects.exists()


@pytest.mark.parametrize("then", ["", "/remove"])
def test_a_holder_of_another_lead_is_not_found(flow, make_lead, holder, then):
    Holder.objects.update(lead=make_lead())

    answers = [flow.get(page_of(holder, then)), flow.send(page_of(holder), TRUST)]

    assert {answer.status_code for answer in answers} == {404}


def test_after_the_submission_nothing_changes(flow, holder):
    Application.objects.update(status=Status.SUBMITTED)

    answers = [flow.send(page_of(holder), TRUST), flow.send("owners/holders/add", TRUST)]

    assert {answer["Location"] for answer in answers} == {flow.path("status")}


def test_nobody_signs_while_25_percent_are_unexplained(whole):
    Lead.objects.update(ownership_percent=Decimal(60))
    whole.send("owners/holders/add", TRUST | {"person_applicant": ""})
    seen = whole.lead.updated_at.isoformat()

    response = whole.post("review", {**TICKED, "signed_name": NAME, "seen": seen})

    assert "who is behind each trust or company" in text(response)
    assert whole.application.status == Status.IN_PROGRESS


@pytest.mark.parametrize("name", ["kind", "name", "share_percent"])
def test_a_switch_of_language_keeps_a_half_typed_trust_and_tells_no_error(flow, name):
    half = TRUST | {name: ""}

    switched = flow.post("owners/holders/add", half | {"then": "es"})

    assert errors(switched) == {}
    assert switched.context["form"]["person_applicant"].value() == "100"
    assert not Holder.objects.exists()
    flow.post("owners/holders/add", half)
    assert set(errors(flow.post("owners/holders/add", half | {"then": "en"}))) == {name}


def test_a_switch_of_language_stays_on_the_page_of_the_trust(flow, holder):
    as_shown = TRUST | {"ein": ""}

    answer = flow.send(page_of(holder), as_shown | {"then": "es"})

    assert answer["Location"] == flow.path(page_of(holder))
    assert not FormDraft.objects.exists()
    flow.send(page_of(holder), as_shown | {"name": "Port Trust", "then": "es"})
    assert flow.get(page_of(holder)).context["form"]["name"].value() == "Port Trust"
    assert Holder.objects.get().name == TRUST["name"]
