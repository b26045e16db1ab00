"""The step about the owners."""

import uuid
from datetime import date
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, FormDraft, Lead, Owner
from onboarding.services.access import sessions
from tests.factories import NOON
from tests.onboarding.flow.conftest import errors

RIGHT = {
    "first_name": "Grace",
    "last_name": "Example",
    "email": "grace@example.com",
    "phone_number": "202-555-0124",
    "birth_date": "1976-01-01",
    "ssn": "223-45-6781",
    "address_country": "US",
    "address_line1": "2 Cobol Street",
    "address_city": "Arlington",
    "address_state": "VA",
    "address_postal_code": "22201",
    "ownership_percent": "25",
}


@pytest.fixture
def owner(flow, make_owner):
    return make_owner(flow.lead, first_name="Grace", ownership_percent=Decimal("30.5"))


@pytest.fixture
def stranger(make_owner):
    """An owner of another lead."""
    return make_owner(first_name="Charles")


def text(response):
    return response.content.decode()


def page_of(owner, then=""):
    return f"owners/{owner.external_id}{then}"


def test_the_list_shows_who_owns_what(flow, owner):
    Lead.objects.update(ownership_percent=Decimal(40))

    response = flow.get("owners")

    shown = [(member.name, member.share) for member in response.context["members"]]
    assert shown == [("Ada", "40%"), ("Grace", "30.5%")]
    assert ">70.5%</output>" in text(response)
    assert "Incomplete" in text(response)


def test_more_owners_cost_no_more_queries(flow, owner, make_owner):
    def queries():
        with CaptureQueriesContext(connection) as asked:
            flow.get("owners")
        return len(asked)

    queries()  # the first visit is remembered
    one = queries()
    for _ in range(5):
        make_owner(flow.lead)

    assert queries() == one


def test_an_applicant_among_the_owners_counts_once(flow, make_owner):
    Lead.objects.update(ownership_percent=Decimal(40))
    make_owner(flow.lead, email="ada@example.com", ownership_percent=Decimal(60))

    response = flow.get("owners")

    assert response.context["shares"].shown == "60%"
    assert [member.is_applicant for member in response.context["members"]] == [True, True]


def test_shares_are_written_as_the_reader_does(flow, owner):
    flow.client.cookies["language"] = "es"

    assert "30,5%" in text(flow.get("owners"))


def test_an_owner_is_added(flow):
    response = flow.fill_in("owners/add", **RIGHT)

    owner = Owner.objects.get()
    assert (response.status_code, response["Location"]) == (303, flow.path("owners"))
    assert (owner.full_name, owner.ssn, owner.phone_number) == (
        "Grace Example", "223456781", "+12025550124",
    )  # fmt: skip
    assert owner.address["line1"] == "2 Cobol Street"
    assert owner.ownership_percent == 25
    assert flow.application.lead.updated_at > NOON


def test_an_owner_who_is_sent_twice_is_one(flow):
    flow.fill_in("owners/add", **RIGHT)

    assert flow.fill_in("owners/add", **RIGHT).status_code == 303
    assert Owner.objects.count() == 1


def test_an_email_belongs_to_one_owner(flow):
    flow.fill_in("owners/add", **RIGHT)

    response = flow.fill_in("owners/add", **RIGHT | {"first_name": "Alan"})

    assert errors(response) == {"email": "Another owner already uses this email address."}
    assert Owner.objects.count() == 1


def test_the_applicant_is_on_the_list_already(flow):
    response = flow.fill_in("owners/add", **RIGHT | {"email": "Ada@example.com"})

    assert "your own" in errors(response)["email"]
    assert not Owner.objects.exists()


def test_what_is_right_of_a_new_owner_is_saved(flow):
    response = flow.fill_in("owners/add", **RIGHT | {"birth_date": "2020-01-01"})

    owner = Owner.objects.get()
    assert (owner.first_name, owner.ssn, owner.birth_date) == ("Grace", "223456781", None)
    assert set(errors(response)) == {"birth_date"}
    assert "ending in 6781" in text(response)
    assert "223-45" not in text(response)
    assert f'action="{flow.path(page_of(owner))}"' in text(response)


def test_a_new_owner_who_is_sent_again_corrected_leaves_no_draft(flow):
    flow.fill_in("owners/add", **RIGHT | {"birth_date": "2020-01-01"})

    response = flow.send("owners/add", RIGHT)

    assert response["Location"] == flow.path("owners")
    assert Owner.objects.get().birth_date == date(1976, 1, 1)
    assert not FormDraft.objects.exists()


def test_without_an_email_nobody_is_added_yet(flow):
    response = flow.fill_in("owners/add", **RIGHT | {"email": ""})

    assert set(errors(response)) == {"email"}
    assert "45-6781" not in text(response)
    assert "ending in 6781" in text(response)
    assert not Owner.objects.exists()


def test_more_than_everything_is_told_and_the_rest_is_saved(flow):
    Lead.objects.update(ownership_percent=Decimal("75.5"))

    response = flow.fill_in("owners/add", **RIGHT)

    assert "more than 100%" in errors(response)["ownership_percent"]
    assert response.context["shares"].is_too_much
    assert ">100.5%</output>" in text(response)
    assert (Owner.objects.get().first_name, Owner.objects.get().ownership_percent) == (
        "Grace", None,
    )  # fmt: skip


def test_an_owner_is_changed(flow, owner):
    response = flow.fill_in(page_of(owner), **RIGHT | {"title": "CTO", "role": "PARTNER"})

    owner.refresh_from_db()
    assert (response.status_code, owner.title, owner.role) == (303, "CTO", "PARTNER")
    assert "grace@example.com" in text(flow.get(page_of(owner)))


def test_a_blank_number_of_an_owner_is_kept(flow, owner):
    owner.ssn = "223456781"
    owner.save(update_fields=["ssn"])

    flow.fill_in(page_of(owner), **RIGHT | {"ssn": ""})

    owner.refresh_from_db()
    assert (owner.ssn, owner.last_name) == ("223456781", "Example")


def test_two_tabs_about_one_owner_are_told(flow, owner):
    seen = flow.get(page_of(owner)).context["form"]["seen_marks"].value()
    flow.fill_in(page_of(owner), **RIGHT | {"ownership_percent": "33.3"})

    mine = {"ownership_percent": "20", "seen_marks": seen}
    response = flow.post(page_of(owner), {**RIGHT, **mine})

    assert "“33.3”" in errors(response)["ownership_percent"]


def test_an_owner_is_removed_after_a_question(flow, owner):
    question = flow.get(page_of(owner, "/remove"))
    asked = Owner.objects.count()

    response = flow.post(page_of(owner, "/remove"))

    assert "Remove Grace?" in text(question)
    assert (asked, Owner.objects.count()) == (1, 0)
    assert (response.status_code, response["Location"]) == (303, flow.path("owners"))
    assert flow.post(page_of(owner, "/remove")).status_code == 303


@pytest.mark.parametrize("then", ["", "/remove"])
def test_an_owner_of_another_lead_is_not_found(flow, stranger, then):
    response = flow.get(page_of(stranger, then))

    assert response.status_code == 404
    assert "This owner is not on the list" in text(response)
    assert flow.path("owners") in text(response)
    assert "Charles" not in text(response)


def test_an_owner_of_another_lead_is_neither_changed_nor_removed(flow, stranger):
    changed = flow.post(page_of(stranger), RIGHT)
    removed = flow.post(page_of(stranger, "/remove"))

    stranger.refresh_from_db()
    assert (changed.status_code, removed.status_code) == (404, 303)
    assert stranger.first_name == "Charles"


def test_who_was_removed_meanwhile_is_not_found(flow, owner):
    Owner.objects.all().delete()

    assert flow.get(page_of(owner)).status_code == 404
    assert flow.post(page_of(owner), RIGHT).status_code == 404
    assert not Owner.objects.exists()


def test_there_are_so_many_owners_and_no_more(flow, owner, settings):
    settings.OWNERS_MAX_PER_LEAD = 1

    response = flow.get("owners")

    assert "You cannot add more here" in text(response)
    assert flow.path("owners/add") not in text(response)
    assert flow.get("owners/add")["Location"] == flow.path("owners")
    assert flow.post("owners/add", RIGHT)["Location"] == flow.path("owners")
    assert Owner.objects.get() == owner


def test_the_applicant_controls_the_business_unless_somebody_else_does(flow, owner):
    before = flow.get("owners").context["form"]["person"].value()

    response = flow.post("owners/control", {"person": str(owner.external_id), "others": "NO"})

    assert before == "applicant"
    assert (response.status_code, response["Location"]) == (303, flow.path("documents"))
    owner.refresh_from_db()
    assert (owner.is_control_person, flow.lead.is_control_person) == (True, False)
    assert flow.get("owners").context["form"]["person"].value() == str(owner.external_id)


@pytest.mark.parametrize("person", ["", "nobody", str(uuid.UUID(int=1))])
def test_who_controls_the_business_is_on_the_list(flow, stranger, person):
    for wrong in (person, str(stranger.external_id)):
        response = flow.post("owners/control", {"person": wrong, "others": "NO"})

        assert errors(response) == {"person": "Choose the person who controls the business."}
        assert 'href="#id_person_0"' in text(response)
    assert flow.lead.is_control_person is None


def test_the_answer_has_no_page_of_its_own(flow):
    assert flow.get("owners/control")["Location"] == flow.path("owners")


def test_in_a_frame_every_link_stays_there(flow, owner):
    opened = sessions.open_session(
        flow.application, language="en", at=owner.created_at, is_embedded=True
    )
    root = f"/connect/v1/frame/{flow.lead.external_id}"
    headers = {"Authorization": f"Bearer {opened.key}"}

    page = text(flow.client.get(f"{root}/owners", headers=headers))

    assert f'href="{root}/{page_of(owner)}"' in page
    assert f'action="{root}/owners/control"' in page
    assert "/apply/" not in page


@pytest.mark.parametrize("then", ["", "/remove"])
def test_after_the_submission_owners_lead_to_the_status(flow, owner, then):
    Application.objects.update(status=Status.SUBMITTED)
    pages = [page_of(owner, then), "owners/add", "owners/control"]

    answers = [flow.post(page, {**RIGHT, "person": "applicant"}) for page in pages]
    answers += [flow.get(page) for page in pages[:2]]

    assert {answer["Location"] for answer in answers} == {flow.path("status")}
    assert Owner.objects.get().first_name == "Grace"
    assert flow.lead.is_control_person is None


class TestFurtherOwners:
    """While shares leave room for 25 percent, the applicant is asked for further owners."""

    def send(self, flow, answer):
        return flow.post("owners/control", {"person": "applicant", "others": answer})

    def test_the_answer_is_needed_and_kept_for_these_shares(self, flow, make_owner):
        Lead.objects.update(ownership_percent=Decimal(40))

        assert set(errors(self.send(flow, ""))) == {"others"}
        assert self.send(flow, "NO").status_code == 303
        assert flow.get("owners").context["form"]["others"].value() == "NO"
        make_owner(flow.lead, ownership_percent=Decimal(10))
        assert flow.get("owners").context["form"]["others"].value() is None

    def test_who_says_yes_is_told_to_add_them(self, flow):
        assert "Add everyone" in errors(self.send(flow, "YES"))["others"]

    def test_shares_that_leave_no_room_are_not_asked_about(self, flow, owner):
        Lead.objects.update(ownership_percent=Decimal("44.6"))

        assert "others" not in flow.get("owners").context["form"].fields

    def test_the_review_asks_before_the_signature(self, flow):
        Lead.objects.update(ownership_percent=Decimal(40))

        missing = flow.get("review").context["missing"]

        assert f"{flow.path('owners')}#id_others" in [one.url for one in missing]


def test_a_switch_of_language_asks_nobody_for_the_control_person(flow, owner):
    flow.send("owners/control", {"then": "es"})

    assert errors(flow.get("owners")) == {}
    flow.post("owners/control", {"others": "NO", "then": "en"})
    listed = flow.get("owners")
    assert errors(listed) == {}
    assert listed.context["form"]["others"].value() == "NO"


def test_a_switch_of_language_does_not_keep_what_was_chosen_before(flow, owner):
    Lead.objects.update(ownership_percent=Decimal(40))
    shown = flow.get("owners").context["form"]["person"].value()

    flow.send("owners/control", {"person": shown, "then": "es"})

    assert "Conservamos lo que escribi" not in flow.get("owners").content.decode()
