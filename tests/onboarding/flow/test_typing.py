"""A script sends what is typed before it is posted; two windows and large values lose nothing."""

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from onboarding.flow.pages import SECONDS
from onboarding.models import Application, FlowSession, FormDraft, Lead
from tests.onboarding.flow.test_code_before_signature import Frame
from tests.onboarding.flow.test_form_pages import come_back, end_session, shown
from tests.onboarding.flow.test_owners import RIGHT as OWNER
from tests.onboarding.flow.test_review import NAME, TICKED, whole
from tests.onboarding.flow.test_you import RIGHT, text

__all__ = ["whole"]
FORM = "application/x-www-form-urlencoded"


def type_in(flow, page, values, client=None, **options):
    body = urlencode(values)
    return (client or flow.client).patch(flow.path(page), body, content_type=FORM, **options)


def test_what_is_typed_is_there_after_a_reload_and_not_saved(flow):
    answer = type_in(flow, "you", {"first_name": "Augusta"})
    page = flow.get("you")

    assert answer.status_code == 204
    assert 3500 < int(answer[SECONDS]) <= 3600
    assert page.context["form"]["first_name"].value() == "Augusta"
    assert not page.context["form"].errors
    assert "We kept what you typed here" in text(page)
    assert flow.lead.first_name == "Ada"


def test_what_is_typed_is_saved_by_the_next_post_and_the_draft_is_gone(flow):
    type_in(flow, "you", {"first_name": "Augusta", "ssn": "223-45-6789"})

    flow.send("you", RIGHT | shown(flow) | RIGHT | {"first_name": "Augusta", "ssn": ""})

    assert (flow.lead.first_name, flow.lead.ssn) == ("Augusta", "223456789")
    assert not FormDraft.objects.exists()


def test_what_is_typed_after_the_end_of_the_session_is_kept(flow):
    type_in(flow, "you", {"first_name": "Augusta"})
    end_session()

    answer = type_in(flow, "you", {"last_name": "Byron"})
    entered = come_back(flow)

    assert answer["Location"] == f"{flow.path()}?ended=kept"
    assert entered["Location"] == flow.path("you")
    assert shown(flow)["first_name"] == "Augusta"
    assert shown(flow)["last_name"] == "Byron"


def test_a_number_typed_before_the_end_of_the_session_outlasts_a_post_without_it(flow):
    type_in(flow, "you", {"ssn": "223-45-6789"})
    end_session()
    flow.send("you", RIGHT | {"first_name": "Ada", "ssn": ""})
    come_back(flow)

    flow.send("you", shown(flow))

    assert flow.lead.ssn == "223456789"


def test_a_typed_change_of_a_value_that_the_partner_changed_too_is_told(flow):
    seen = shown(flow)["seen_marks"]
    type_in(flow, "you", {"first_name": "Augusta", "seen_marks": seen})
    Lead.objects.update(first_name="Adah")

    page = flow.fill_in("you")

    assert "It is now “Adah”" in text(page)
    assert page.context["form"]["first_name"].value() == "Augusta"


def test_two_windows_lose_nothing_of_each_other(flow):
    second = shown(flow)  # opened before anything was typed
    type_in(flow, "you", {"first_name": "Augusta"})

    flow.send("you", second | RIGHT | {"first_name": "Ada", "last_name": "Byron"})

    assert flow.lead.last_name == "Byron"
    assert shown(flow)["first_name"] == "Augusta"
    flow.send("you", shown(flow))
    assert flow.lead.first_name == "Augusta"
    assert not FormDraft.objects.exists()


def test_what_a_window_typed_and_took_back_is_not_kept(flow):
    page = shown(flow)
    type_in(flow, "you", {"first_name": "Augusta"})

    flow.send("you", page | RIGHT | {"first_name": "Ada", "drafted": "first_name"})

    assert not FormDraft.objects.exists()


def test_a_wrong_value_that_was_shown_again_can_be_cleared(flow):
    flow.send("you", {"phone_number": "12", "first_name": "Ada"})

    flow.send("you", shown(flow) | {"phone_number": "", "then": "leave"})
    come_back(flow)

    assert shown(flow)["phone_number"] == ""


def test_a_value_of_a_megabyte_is_told_and_the_rest_is_kept(flow):
    answer = flow.send("you", RIGHT | {"first_name": "x" * 1024**2, "phone_number": "12"})
    page = flow.client.get(answer["Location"])

    assert set(page.context["form"].errors) == {"first_name", "phone_number"}
    assert page.context["form"]["phone_number"].value() == "12"
    assert flow.lead.city == "New York"


@pytest.mark.parametrize("sent", ["wrong", "none", "other"])
def test_who_has_no_session_of_the_application_types_nothing(flow, make_flow, sent):
    other = make_flow()
    other.come_in()
    client = {"wrong": Client(), "none": Client(), "other": other.client}[sent]
    if sent == "wrong":
        client.cookies["applicant"] = "wrong"

    answer = type_in(flow, "you", {"first_name": "Mallory"}, client)

    assert answer.status_code == 303
    assert not FormDraft.objects.exists()


def test_a_session_of_the_partner_sees_no_number_that_was_typed(flow):
    type_in(flow, "you", {"ssn": "223-45-6789"})

    page = text(Frame(flow).get("you"))

    assert "223-45" not in page
    assert "22345" not in page


def test_another_site_types_nothing(flow):
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = flow.client.cookies

    assert type_in(flow, "you", {"first_name": "Mallory"}, strict).status_code == 403
    end_session()
    assert type_in(flow, "you", {"first_name": "Mallory"}, strict).status_code == 403
    assert not FormDraft.objects.exists()


def test_of_a_signature_only_the_name_is_typed(whole):
    type_in(whole, "review", {"signed_name": NAME, **TICKED})

    page = whole.get("review")

    assert f'value="{NAME}"' in text(page)
    assert " checked" not in text(page)
    assert not page.context["form"].errors
    end_session()
    assert come_back(whole)["Location"] != whole.path("review")
    assert NAME not in text(whole.get("review")).split('id="id_signed_name"')[-1]


@pytest.mark.parametrize(
    ("page", "values", "field"),
    [
        ("business", {"business_name": "Bread"}, "business_name"),
        ("owners/add", {"first_name": "Grace"}, "first_name"),
    ],
)
def test_what_is_typed_on_any_step_is_there_again(flow, page, values, field):
    type_in(flow, page, values)

    assert shown(flow, page)[field] == values[field]


def test_what_is_typed_about_a_removed_owner_is_not_kept(flow, make_owner):
    owner = make_owner(flow.lead)
    owner.delete()

    assert type_in(flow, f"owners/{owner.external_id}", {"city": "Bonn"}).status_code == 204
    assert not FormDraft.objects.exists()


def test_cancel_discards_what_was_typed(flow, make_owner):
    owner = f"owners/{make_owner(flow.lead).external_id}"
    for page in ("owners/add", owner):
        type_in(flow, page, {"first_name": "Nobody"})

        answer = flow.send(page, OWNER | {"first_name": "Nobody", "then": "cancel"})

        assert answer["Location"] == flow.path("owners")
        assert shown(flow, page)["first_name"] != "Nobody"
    assert flow.lead.owners.get().first_name != "Nobody"


@pytest.mark.parametrize(
    ("page", "values", "back"),
    [
        ("business", {"business_name": "Bread"}, "you"),
        ("owners/control", {}, "business"),
        ("owners/add", {"first_name": "Grace"}, "owners"),
        ("documents", {"end": "1"}, "owners"),
        ("review", {"signed_name": "Ada"}, "documents"),
    ],
)
def test_back_leads_to_the_page_before_and_loses_nothing(flow, page, values, back):
    answer = flow.send(page, values | {"then": "back"})

    assert answer["Location"] == flow.path(back)
    for name, value in values.items():
        if name != "end":
            assert f'value="{value}"' in text(flow.get(page.removesuffix("/control")))


def test_staying_extends_the_session(flow):
    FlowSession.objects.update(expires_at=timezone.now() + timedelta(minutes=4))

    answer = flow.get("stay")

    assert answer.status_code == 204
    assert 3500 < int(answer[SECONDS]) <= 3600
    end_session()
    assert flow.get("stay")["Location"] == f"{flow.path()}?ended=over"


def test_two_applications_are_open_in_one_browser(flow, make_flow):
    paths = [one.cookies["applicant"]["path"] for one in (flow.come_in(), make_flow().come_in())]

    assert len(set(paths)) == 2


@pytest.mark.parametrize("page", ["you", "documents"])
def test_too_much_at_once_keeps_the_name_of_the_partner(flow, page):
    answer = flow.client.post(flow.path(page), {}, CONTENT_LENGTH=str(10**9))

    assert answer.status_code == 413
    assert flow.lead.partner.shown_name in text(answer)


@pytest.mark.parametrize("end", [end_session, lambda: FlowSession.objects.all().delete()])
def test_too_much_without_a_session_keeps_the_name_of_the_partner(flow, end):
    end()

    answer = flow.client.post(flow.path("documents"), {}, CONTENT_LENGTH=str(10**9))

    assert answer.status_code == 413
    assert flow.lead.partner.shown_name in text(answer)


def test_titles_of_pages_with_errors_begin_with_error(flow):
    flow.send("you", {"phone_number": "12"})

    assert "<title>Error: You" in text(flow.get("you"))
    assert "<title>Business" in text(flow.get("business"))


def test_the_review_names_the_pages_with_typed_values_that_are_not_saved(whole, make_owner):
    owner = make_owner(whole.lead)
    pages = ["business", "owners/add", f"owners/{owner.external_id}"]
    for page in pages:
        type_in(whole, page, {"first_name": "Grace"})

    shown = text(whole.get("review"))

    assert "You typed something that is not saved yet" in shown
    for page in pages:
        assert f'<li><a href="{whole.path(page)}">' in shown


def test_a_draft_of_yesterday_is_not_shown_and_is_replaced(flow):
    type_in(flow, "you", {"first_name": "Augusta", "city": "Boston"})
    FormDraft.objects.update(expires_at=timezone.now())

    assert shown(flow)["first_name"] == "Ada"
    type_in(flow, "you", {"city": "Rome"})
    assert (shown(flow)["first_name"], shown(flow)["city"]) == ("Ada", "Rome")


def test_what_is_typed_after_the_submission_is_shown_nowhere(whole):
    Application.objects.update(status="SUBMITTED", submitted_at=timezone.now())
    type_in(whole, "you", {"first_name": "Mallory"})

    assert whole.get("you")["Location"] == whole.path("status")
    assert whole.get()["Location"] == whole.path("status")
    assert "Mallory" not in text(whole.get("status"))
