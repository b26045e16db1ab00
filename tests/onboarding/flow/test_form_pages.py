"""Typed values outlive errors, the end of a session, a switch of language, and leaving."""

from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from onboarding.models import FlowSession, FormDraft, Lead
from onboarding.services.access import links
from tests.onboarding.flow.conftest import CODE
from tests.onboarding.flow.test_owners import RIGHT as OWNER
from tests.onboarding.flow.test_review import NAME, TICKED, whole
from tests.onboarding.flow.test_you import RIGHT, text
from tests.random_values import without_random_values

__all__ = ["whole"]
SSN = "223-45-6789"
WRONG = RIGHT | {"first_name": "Ada", "phone_number": "12"}


def end_session():
    FlowSession.objects.update(expires_at=timezone.now())


def come_back(flow):
    flow.send()
    return flow.send("code", {"code": CODE})


def shown(flow, page="you"):
    form = flow.get(page).context["form"]
    return {name: form[name].value() or "" for name in form.fields}


def test_errors_are_answered_by_a_redirect_and_stay_on_reload(flow):
    answer = flow.send("you", WRONG)

    assert (answer.status_code, answer["Location"]) == (303, flow.path("you"))
    for _ in range(2):
        page = flow.get("you")
        assert set(page.context["form"].errors) == {"phone_number"}
        assert 'value="12"' in text(page)
    assert flow.lead.city == "New York"


def test_a_draft_is_gone_once_all_is_saved(flow):
    flow.send("you", WRONG)

    answer = flow.send("you", shown(flow) | {"phone_number": "202-555-0123", "ssn": ""})

    assert answer["Location"] == flow.path("business")
    assert not FormDraft.objects.exists()


def test_of_a_draft_only_the_wrong_fields_are_kept(flow):
    flow.send("you", WRONG)
    Lead.objects.update(city="Boston")

    assert shown(flow)["city"] == "Boston"
    assert shown(flow)["phone_number"] == "12"


def test_a_post_after_the_end_of_the_session_keeps_its_values(flow):
    end_session()

    answer = flow.send("you", RIGHT | {"first_name": "Augusta", "ssn": SSN})
    start = flow.client.get(answer["Location"])
    entered = come_back(flow)
    page = flow.get("you")

    assert "Your session ended" in text(start)
    assert flow.lead.first_name == "Ada"
    assert entered["Location"] == flow.path("you")
    assert "We kept what you typed here" in text(page)
    assert 'value="Augusta"' in text(page)
    assert page.context["form"].errors == {}


def test_a_kept_number_is_not_shown_and_is_saved_when_left_blank(flow):
    end_session()
    flow.send("you", RIGHT | {"first_name": "Ada", "ssn": SSN})
    come_back(flow)

    page = text(flow.get("you"))
    flow.send("you", shown(flow) | {"ssn": ""})

    assert "We kept the number ending in 6789 that you entered" in page
    assert "223" not in without_random_values(page)
    assert flow.lead.ssn == SSN.replace("-", "")
    assert not FormDraft.objects.exists()


def test_nothing_of_a_draft_lies_in_clear(flow):
    end_session()
    flow.send("you", RIGHT | {"first_name": "Augusta", "ssn": SSN})

    [encrypted] = FormDraft.objects.extra(select={"raw": "content"}).values_list("raw", flat=True)

    assert encrypted.startswith("e2.")
    assert SSN not in encrypted
    assert "Augusta" not in encrypted


@pytest.mark.parametrize("key", ["", "wrong"])
def test_who_never_had_the_session_leaves_no_draft_and_is_told(flow, key):
    end_session()
    flow.client = Client()
    flow.client.cookies["applicant"] = key

    answer = flow.send("you", RIGHT)

    assert answer["Location"] == flow.path() + "?ended=lost"
    assert (
        "before we could save all of your last step"
        in flow.client.get(answer["Location"]).content.decode()
    )
    assert not FormDraft.objects.exists()


def test_a_forged_post_after_the_end_of_the_session_leaves_no_draft(flow):
    end_session()
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = flow.client.cookies

    assert strict.post(flow.path("you"), RIGHT).status_code == 403
    assert not FormDraft.objects.exists()


def test_a_day_after_its_end_a_session_keeps_nothing(flow, settings):
    FlowSession.objects.update(expires_at=timezone.now() - settings.FORM_DRAFT_LIFETIME)

    answer = flow.send("you", RIGHT)

    assert not FormDraft.objects.exists()
    assert "Your session ended before we could save" in text(flow.client.get(answer["Location"]))
    assert "Your session ended" not in text(flow.get())


def test_a_draft_is_shown_in_its_own_application_alone(flow, make_flow):
    end_session()
    flow.send("you", RIGHT | {"first_name": "Augusta"})
    other = make_flow()
    FormDraft.objects.update(application=other.pk)
    other.come_in()

    assert "Augusta" not in text(other.get("you"))


def test_save_and_leave_saves_without_asking_for_the_rest(flow):
    answer = flow.send("you", {"first_name": "Augusta", "phone_number": "12", "then": "leave"})
    come_back(flow)
    form = flow.get("you").context["form"]

    assert answer["Location"] == flow.path()
    assert answer.cookies["applicant"].value == ""
    assert flow.lead.first_name == "Augusta"
    assert set(form.errors) == {"phone_number"}
    assert form["phone_number"].value() == "12"


@pytest.mark.parametrize(
    ("page", "values", "kept"),
    [
        ("you", RIGHT | {"first_name": "Augusta"}, "Augusta"),
        ("business", {"business_name": "Other LLC"}, "Other LLC"),
        ("owners/add", {"first_name": "Grace"}, "Grace"),
        ("review", {"signed_name": "Ada Exa"}, "Ada Exa"),
    ],
)
def test_the_language_is_switched_and_what_was_typed_stays(flow, page, values, kept):
    answer = flow.send(page, values | {"then": "es"})
    after = flow.client.get(answer["Location"])

    assert answer.cookies["language"].value == "es"
    assert answer["Location"] == flow.path(page)
    assert '<html lang="es">' in text(after)
    assert f'value="{kept}"' in text(after)
    assert not after.context["form"].errors


HALF_A_DAY = {"birth_date": ["12", "10", ""]}


@pytest.mark.parametrize("then", ["es", "en"])
def test_a_switch_of_language_does_not_complain_of_half_a_date(flow, then):
    switched = flow.post("you", RIGHT | HALF_A_DAY | {"then": then})

    assert switched.context["form"].errors == {}
    assert "<title>Error" not in text(switched)
    assert 'value="12"' in text(switched)
    assert '<p class="note note-mark" role="status">' in text(switched)  # it is not saved yet
    assert flow.lead.city == RIGHT["city"]


@pytest.mark.parametrize(
    ("page", "back"),
    [("business", "business"), ("owners/add", "owners/add")],
)
def test_back_does_not_complain_of_half_a_date(flow, page, back):
    field = {"business": "incorporation_date", "owners/add": "birth_date"}[page]

    flow.send(page, {field: HALF_A_DAY["birth_date"], "then": "back"})
    again = flow.get(back)

    assert again.context["form"].errors == {}
    assert 'value="12"' in text(again)
    assert "You typed something that is not saved yet" in text(flow.get("review"))


def test_half_a_date_that_a_script_sent_is_no_error(flow):
    body = urlencode(HALF_A_DAY, doseq=True)

    flow.client.patch(flow.path("you"), body, content_type="application/x-www-form-urlencoded")

    assert flow.get("you").context["form"].errors == {}


def test_an_error_that_was_shown_is_shown_in_the_other_language_too(flow):
    flow.send("you", WRONG)

    switched = flow.post("you", shown(flow) | HALF_A_DAY | {"then": "es"})

    assert set(switched.context["form"].errors) == {"phone_number"}
    saved = flow.post("you", shown(flow) | HALF_A_DAY)
    assert set(saved.context["form"].errors) == {"phone_number", "birth_date"}


def test_nothing_is_called_unsaved_after_a_switch_of_language_that_saved_all(flow):
    flow.send("you", RIGHT | {"first_name": "Augusta", "then": "es"})

    assert flow.lead.first_name == "Augusta"
    assert not FormDraft.objects.exists()


def test_an_owner_who_could_be_added_is_found_at_their_own_page(flow):
    answer = flow.send("owners/add", OWNER | {"phone_number": "12", "ssn": SSN})
    owner = flow.lead.owners.get()

    assert answer["Location"] == flow.path(f"owners/{owner.external_id}")
    assert shown(flow, f"owners/{owner.external_id}")["phone_number"] == "12"
    assert shown(flow, "owners/add")["phone_number"] == ""


def test_an_owner_without_an_email_keeps_all_that_was_typed(flow):
    flow.send("owners/add", OWNER | {"email": "", "ssn": SSN})

    page = flow.get("owners/add")

    assert set(page.context["form"].errors) == {"email"}
    assert page.context["form"]["first_name"].value() == OWNER["first_name"]
    assert "ending in 6789" in text(page)


def test_of_a_signature_after_the_end_of_the_session_nothing_is_kept_or_promised(whole):
    state = whole.get("review").context["form"].state
    end_session()

    signed = {"seen": state, "language": "en", "signed_name": NAME, **TICKED}
    answer = whole.send("review", signed)
    start = text(whole.client.get(answer["Location"]))
    come_back(whole)

    assert "Get a new code, then check that step" in start
    assert not FormDraft.objects.exists()
    assert_blank(whole)
    assert whole.application.submitted_at is None


def test_ticks_and_name_are_shown_again_in_their_session_alone(whole):
    state = whole.get("review").context["form"].state
    partial = {"PRIVACY_NOTICE": TICKED["PRIVACY_NOTICE"], "signed_name": NAME}
    whole.send("review", {"seen": state, "language": "en", **partial})

    for _ in range(2):
        page = text(whole.get("review"))
        assert page.count(" checked") == 1
        assert f'value="{NAME}"' in page
    end_session()
    come_back(whole)

    assert_blank(whole)


def test_leaving_the_signature_keeps_nothing_and_promises_nothing(whole):
    page = text(whole.get("review"))
    whole.send("review", {"signed_name": NAME, **TICKED, "then": "leave"})

    assert "Save and exit" not in page
    assert not FormDraft.objects.exists()
    come_back(whole)
    assert_blank(whole)


def test_ticks_are_not_shown_again_for_an_application_that_has_changed(whole):
    state = whole.get("review").context["form"].state
    whole.send("review", {"seen": state, "language": "en", "signed_name": "12", **TICKED})
    whole.lead.save()

    page = text(whole.get("review"))

    assert " checked" not in page
    assert 'value="12"' in page


def assert_blank(flow):
    """Assert that the page of the signature has no ticks, no name and no errors."""
    shown = flow.get("review")
    assert " checked" not in text(shown)
    assert not shown.context["form"]["signed_name"].value()
    assert not shown.context["form"].errors


def test_in_a_frame_a_post_after_the_end_of_the_session_keeps_its_values(make_flow, make_lead):
    flow = make_flow(make_lead(first_name="Ada", email="ada@example.com"))
    root = f"/connect/v1/frame/{flow.lead.external_id}"

    def enter():
        token = links.regrant(flow.application, at=timezone.now()).token
        sent = {"token": token, "language": "en"}
        return flow.client.post(f"{root}/session", sent, content_type="application/json").json()

    key = enter()["session"]
    end_session()

    headers = {"Authorization": f"Bearer {key}"}
    answer = flow.client.post(f"{root}/business", {"business_name": "Bread"}, headers=headers)
    again = enter()
    headers = {"Authorization": f"Bearer {again['session']}"}
    page = text(flow.client.get(again["location"], headers=headers))

    assert answer.status_code == 401
    assert again["location"] == f"{root}/business"
    assert 'value="Bread"' in page
    assert "We kept what you typed here" in page


def test_after_the_end_of_the_session_only_owners_of_the_application_have_drafts(flow, make_owner):
    end_session()

    for owner_id in (uuid4(), make_owner().external_id):
        answer = flow.send(f"owners/{owner_id}", OWNER)
        assert answer["Location"] == f"{flow.path()}?ended=lost"

    assert not FormDraft.objects.exists()


LETTER = ContentFile(b"%PDF-1.7 letter", name="letter.pdf")


@pytest.mark.parametrize(
    ("page", "sent"),
    [
        ("documents", {"files-OTHER": LETTER, "end": "1"}),
        ("documents", {"remove": str(uuid4()), "end": "1"}),
        ("documents", {"next": "1"}),  # the form broke off
        ("withdraw", {}),
        ("review", {"signed_name": "Ada"}),
    ],
)
def test_what_cannot_be_kept_after_the_end_of_the_session_is_not_promised(flow, page, sent):
    end_session()

    answer = flow.send(page, sent)
    start = text(flow.client.get(answer["Location"]))

    assert "before we could save all of your last step" in start
    assert "We kept your answers" not in start


@pytest.mark.parametrize("is_over", [True, False])
@pytest.mark.parametrize(
    ("page", "sent"),
    [
        ("documents", {"next": "1", "end": "1"}),
        ("documents", {"then": "es", "end": "1"}),
        ("review", {"signed_name": " ", "seen": "1", "then": "back"}),
    ],
)
def test_nothing_is_called_lost_if_all_was_saved(flow, page, sent, is_over):
    """The session has ended, or was ended in another window."""
    end_session() if is_over else FlowSession.objects.all().delete()

    answer = flow.send(page, sent)

    assert answer["Location"] == f"{flow.path()}?ended=over"
    assert "Your answers are saved" in text(flow.client.get(answer["Location"]))


def test_a_form_whose_draft_has_all_is_not_called_lost(flow):
    FlowSession.objects.all().delete()

    answer = flow.send("you", RIGHT | {"all_kept": "1"})

    assert answer["Location"] == f"{flow.path()}?ended=over"


def test_a_large_form_without_a_session_is_not_read(flow):
    FlowSession.objects.all().delete()

    answer = flow.send("you", {"line1": "x" * 2**16, "all_kept": "1"})

    assert answer["Location"] == f"{flow.path()}?ended=lost"


def test_a_choice_of_language_after_the_end_of_the_session_is_no_lost_step(flow):
    end_session()

    answer = flow.send("language", {"language": "es"})

    assert answer["Location"] == flow.path()


def test_after_an_owner_was_removed_their_kept_form_leads_nowhere(flow, make_owner):
    page = f"owners/{make_owner(flow.lead).external_id}"
    flow.send(page, OWNER | {"phone_number": "12"})
    end_session()
    flow.send(page, OWNER)
    assert come_back(flow)["Location"] == flow.path(page)

    flow.send(f"{page}/remove")

    assert not FormDraft.objects.exists()
    assert flow.client.get(flow.get()["Location"]).status_code == 200


def test_who_comes_back_is_not_led_to_an_owner_whom_the_partner_has_removed(flow, make_owner):
    end_session()
    flow.send(f"owners/{make_owner(flow.lead).external_id}", OWNER)
    flow.lead.owners.all().delete()

    entered = come_back(flow)

    assert entered["Location"] == flow.path("you")


def test_nothing_is_complete_before_it_was_visited(flow):
    """The step is done when its page was seen and nothing is missing in it."""
    Lead.objects.update(ownership_percent=80)

    page = flow.get("you")

    assert [one.is_done for one in page.context["progress"]] == [False] * 5
    assert "Step 1 of 5" in page.content.decode()
    flow.get("owners")
    done = [one.step for one in flow.get("you").context["progress"] if one.is_done]
    assert done == ["owners"]
    Lead.objects.update(ownership_percent=40)  # leaves room for further owners
    assert not any(one.is_done for one in flow.get("you").context["progress"])


def test_a_step_that_shows_errors_has_no_tick(whole):
    for page in ("you", "business"):
        whole.get(page)
    assert [one.is_done for one in whole.get("you").context["progress"]][:2] == [True, True]

    wrong = whole.fill_in("you", birth_date="2/30/1980")

    assert [one.is_done for one in wrong.context["progress"]][:2] == [False, True]
    elsewhere = whole.get("business").context["progress"]
    assert [one.is_done for one in elsewhere][:2] == [False, True]


def test_a_country_is_shown_again_in_the_readers_language(flow):
    flow.fill_in("you", country="United States", city="", then="es")

    page = flow.get("you").content.decode()
    assert 'value="Estados Unidos"' in page
    assert "United States" not in page
