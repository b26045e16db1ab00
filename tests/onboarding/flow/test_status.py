"""The status: each of the eleven, what happened, what is wanted, and the withdrawal."""

import re
from datetime import date

import pytest
from django.conf import settings
from django.utils import timezone

from banking.choices import AccountStatus, BusinessOwnerRole
from banking.services import invitations
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, IdentityStatus, LegalText
from onboarding.event_types import EventType
from onboarding.flow.forms.questions import name_of
from onboarding.models import Application, Consent, Event, FormDraft, Lead
from onboarding.services.applications import lifecycle
from onboarding.services.events import history
from onboarding.services.events.history import CHECKS
from tests.factories import (
    NOON,
    make_account,
    make_business_owner,
    make_document,
    make_note,
    make_owner,
)
from tests.onboarding.flow.test_form_pages import come_back, end_session
from tests.onboarding.flow.test_typing import type_in

HEADINGS = {
    Status.CREATED: "You have not submitted your application yet",
    Status.IN_PROGRESS: "You have not submitted your application yet",
    Status.SUBMITTED: "Thank you, we have your application",
    Status.ID_VERIFICATION: "Send proof of identity",
    Status.DOCUMENTS_REQUIRED: "Please send us documents",
    Status.IN_REVIEW: "We are reviewing your application",
    Status.APPROVED_TEMPORARY: "Your account is open temporarily",
    Status.APPROVED: "Your account is open",
    Status.DENIED: "We cannot open this account",
    Status.EXPIRED: "This application has expired",
    Status.WITHDRAWN: "This application was withdrawn",
}
WITHDRAWABLE = {status for status in Status if Status.WITHDRAWN in status.moves}
NOW = timezone.now()


@pytest.fixture
def partner(make_partner):
    return make_partner(
        name="Acme Inc",
        display_name="Acme Books",
        support_email="help@acme.example.com",
        return_url="https://acme.example.com/home",
    )


@pytest.fixture
def flow(make_flow, make_lead, partner):
    """An applicant of a partner whom one can ask."""
    flow = make_flow(make_lead(partner, first_name="Ada", business_name="Bakery LLC"))
    flow.come_in()
    return flow


def page(response):
    assert response.status_code == 200
    return response.content.decode()


def stand(status):
    Application.objects.update(status=status, status_changed_at=NOW)


@pytest.mark.parametrize("status", Status)
def test_every_status_is_told_in_plain_words(flow, status):
    stand(status)

    text = page(flow.get("status"))

    assert f"<h1>{HEADINGS[status]}</h1>" in text
    assert f'data-status="{status}"' in text
    assert "help@acme.example.com" in text
    assert 'href="https://acme.example.com/home"' in text


@pytest.mark.parametrize(
    ("language", "why"),
    [("en", "It was not completed in time"), ("es", "No se completó a tiempo")],
)
def test_an_application_that_was_submitted_may_expire_as_well(flow, language, why):
    stand(Status.EXPIRED)  # documents did not come in time

    text = page(flow.client.get(flow.path("status"), headers={"Accept-Language": language}))

    assert why in text


@pytest.mark.parametrize("status", Status)
def test_only_what_may_be_withdrawn_offers_it(flow, status):
    stand(status)

    text = page(flow.get("status"))

    assert (flow.path("withdraw") in text) is (status in WITHDRAWABLE)


def test_what_happened_is_listed_in_its_order_without_the_houses_own_business(flow):
    application = flow.application
    for event_type in (EventType.CONSENTED, EventType.SUBMITTED, EventType.IN_REVIEW):
        history.record(application, event_type, by=CHECKS, at=NOW)
    stand(Status.IN_REVIEW)

    events = flow.get("status").context["events"]

    assert [str(words) for words, _ in events] == [
        "You started the application", "You signed and submitted it", "The review started",
    ]  # fmt: skip


@pytest.mark.parametrize("status", [Status.ID_VERIFICATION, Status.DOCUMENTS_REQUIRED])
def test_what_is_wanted_has_a_last_day(flow, status):
    stand(status)

    deadline = flow.application.deadline

    assert f"before {deadline:%B }{deadline.day}, {deadline.year}" in page(flow.get("status"))


def test_before_the_submission_it_says_what_is_missing_and_leads_back(flow):
    text = page(flow.get("status"))

    assert "Date of birth is missing." in text
    assert f'href="{flow.path("review")}"' in text


def test_what_was_signed_can_be_read_again(flow):
    stand(Status.SUBMITTED)
    Consent.objects.create(
        application=flow.application,
        text=LegalText.PRIVACY_NOTICE,
        version="2026-11",
        language="en",
        signed_name="Ada Example",
        agreed_at=NOW,
    )

    text = page(flow.get("status"))

    assert "Signed by Ada Example" in text
    assert f'<a href="{flow.path("legal/PRIVACY_NOTICE")}">Privacy notice</a>' in text


def test_questions_that_were_asked_later_are_answered_there(flow):
    asked = [{"question": "Source of funds?"}, {"question": "Employees?"}]
    Lead.objects.update(edd_answers=asked)
    stand(Status.IN_REVIEW)
    first, second = flow.get("status").context["form"].fields

    response = flow.post("answers", {first: " Sales ", second: ""})

    assert (response.status_code, response["Location"]) == (303, flow.path("status"))
    assert [one.get("answer") for one in flow.lead.edd_answers] == ["Sales", None]
    assert list(flow.get("status").context["form"].fields) == [second]


def test_an_answer_that_is_too_long_is_told(flow):
    Lead.objects.update(edd_answers=[{"question": "Source of funds?"}])
    stand(Status.IN_REVIEW)
    (name,) = flow.get("status").context["form"].fields

    text = page(flow.post("answers", {name: "x" * 256}))

    assert f'href="#id_{name}"' in text
    assert "x" * 256 in text


@pytest.mark.parametrize("status", [Status.DENIED, Status.APPROVED])
def test_nothing_is_asked_once_it_is_decided(flow, status):
    Lead.objects.update(edd_answers=[{"question": "Source of funds?"}])
    stand(status)

    assert "Source of funds?" not in page(flow.get("status"))
    assert flow.post("answers", {})["Location"] == flow.path("status")


def test_whoever_reloads_the_answers_is_led_to_the_status(flow):
    assert flow.get("answers")["Location"] == flow.path("status")


@pytest.mark.parametrize("status", [Status.IN_PROGRESS, Status.SUBMITTED, Status.IN_REVIEW])
def test_an_applicant_withdraws_after_a_second_thought(flow, status):
    stand(status)

    asked = page(flow.get("withdraw"))
    response = flow.post("withdraw")

    assert "We will tell Acme Books" in asked
    assert (response.status_code, response["Location"]) == (303, flow.path("status"))
    assert flow.application.status == Status.WITHDRAWN
    assert Event.objects.latest("number").type == EventType.WITHDRAWN
    assert HEADINGS[Status.WITHDRAWN] in page(flow.get("status"))


@pytest.mark.parametrize("status", sorted(set(Status) - WITHDRAWABLE))
def test_what_cannot_be_withdrawn_is_shown_as_it_stands(flow, status):
    stand(status)

    answers = [flow.get("withdraw"), flow.post("withdraw")]

    assert [one["Location"] for one in answers] == [flow.path("status")] * 2
    assert flow.application.status == status


def test_a_withdrawal_twice_is_told_once(flow):
    flow.post("withdraw")
    flow.post("withdraw")

    assert Event.objects.filter(type=EventType.WITHDRAWN).count() == 1


def test_a_decision_meanwhile_stands(flow):
    stand(Status.IN_REVIEW)
    flow.get("withdraw")
    stand(Status.APPROVED)

    flow.post("withdraw")

    assert flow.application.status == Status.APPROVED


def test_moves_of_others_show_at_once(flow):
    stand(Status.SUBMITTED)
    application = flow.application

    lifecycle.move(application, Status.IN_REVIEW, by=CHECKS, at=NOW)

    assert HEADINGS[Status.IN_REVIEW] in page(flow.get("status"))


def test_whoever_must_prove_identity_is_named_and_does_it_there(flow):
    asked = {"identity_status": IdentityStatus.REQUESTED}
    owner = make_owner(flow.lead, first_name="Grace", last_name="Hopper", **asked)
    make_owner(flow.lead, first_name="Alan", last_name="Turing")
    Lead.objects.update(**asked)
    stand(Status.ID_VERIFICATION)

    response = flow.get("status")

    assert response.context["unproved"] == ["Ada", "Grace Hopper"]
    assert [slot.owner for slot in response.context["slots"]] == [None, owner, None]
    assert 'type="file"' in page(response)


@pytest.mark.parametrize("status", Status)
def test_documents_are_sent_there_while_they_are_wanted(flow, status):
    stand(status)

    text = page(flow.get("status"))

    assert ('type="file"' in text) is (status.takes_documents and not status.is_editable)


def test_what_the_bank_wrote_is_read_there_the_newest_first(flow):
    application = flow.application
    make_note(application, text="Page <2> is missing.", is_for_applicant=True)
    make_note(application, text="We called.\n\nNobody answered.", is_for_applicant=True)
    make_note(application, text="A word among us.")
    stand(Status.IN_REVIEW)

    text = page(flow.get("status"))

    assert f"Messages from {settings.BANK_NAME}</h2>" in text
    assert text.index("<p>We called.</p>") < text.index("Page &lt;2&gt; is missing.")
    assert "A word among us." not in text


def test_without_a_word_of_the_bank_there_is_no_heading_for_it(flow):
    assert "Messages from" not in page(flow.get("status"))


@pytest.fixture
def written(flow):
    """An applicant to whom the bank has written."""
    stand(Status.IN_REVIEW)
    make_note(flow.application, text="Which floor is it?", is_for_applicant=True, at=NOON)
    return flow


def send_reply(flow, text, **fields):
    return flow.send("answers", {**fields, "reply": text, "then": "reply"})


def test_a_reply_is_sent_once_and_then_no_longer_in_the_field(written):
    type_in(written, "answers", {"reply": "The third."})

    answer = send_reply(written, "The third.\r\nAt the back.")

    assert answer["Location"] == written.path("status") + "#messages"
    assert written.application.replies.get().text == "The third.\nAt the back."
    assert not FormDraft.objects.exists()
    assert "The third." in page(written.get("status"))
    assert not written.get("status").context["form"]["reply"].value()


LONG = "x" * 1999 + "."  # characters


def test_a_typed_reply_is_there_after_a_reload(written):
    answer = type_in(written, "answers", {"reply": LONG})

    form = written.get("status").context["form"]
    assert answer.status_code == 204
    assert (form["reply"].value(), form.errors) == (LONG, {})
    assert "We kept what you typed here" in page(written.get("status"))
    assert not written.application.replies.exists()


def test_a_typed_reply_is_there_after_a_switch_of_the_language(written):
    answer = written.send("answers", {"reply": "El tercero.", "then": "es"})

    assert answer["Location"] == written.path("status")
    shown = written.get("status")
    assert shown.context["form"]["reply"].value() == "El tercero."
    assert "Su respuesta" in page(shown)


def test_a_reply_that_is_sent_after_the_end_of_the_session_is_kept(written):
    end_session()

    answer = send_reply(written, "The third.")
    come_back(written)

    assert answer["Location"] == f"{written.path()}?ended=kept"
    assert written.get("status").context["form"]["reply"].value() == "The third."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" ", "Write your answer."),
        ("x" * 2001, "Ensure this value has at most 2000 characters (it has 2001)."),
    ],
)
def test_a_reply_that_cannot_be_sent_is_answered_by_an_error(written, text, said):
    send_reply(written, text)

    shown = written.get("status")
    assert "<title>Error:" in page(shown)
    assert shown.context["form"].errors == {"reply": [said]}
    assert not written.application.replies.exists()


def test_an_answer_too_many_is_kept_and_the_page_says_so(written):
    for _ in range(10):
        send_reply(written, "The third.")

    send_reply(written, "One more thing.")

    shown = written.get("status")
    assert "We cannot take another answer to this message." in page(shown)
    assert shown.context["form"]["reply"].value() == "One more thing."
    assert written.application.replies.count() == 10

    make_note(written.application, text="Go on.", is_for_applicant=True, at=timezone.now())
    assert not written.get("status").context["form"].errors
    send_reply(written, "One more thing.")
    assert written.application.replies.count() == 11


def test_a_typed_reply_does_not_hold_up_the_signature(flow):
    make_note(flow.application, text="Which floor is it?", is_for_applicant=True, at=NOON)

    type_in(flow, "answers", {"reply": "The third."})

    assert "The third." in page(flow.get("status"))
    assert flow.path("status") not in page(flow.get("review"))


def test_a_reply_and_answers_to_questions_wait_for_each_other(written):
    stand(Status.DOCUMENTS_REQUIRED)
    Lead.objects.update(edd_answers=[{"question": "Why cash?"}])
    name = name_of("Why cash?")

    send_reply(written, "The third.", **{name: "Customers pay"})
    form = written.get("status").context["form"]
    assert (form[name].value(), form["reply"].value()) == ("Customers pay", None)

    written.send("answers", {name: "Customers pay cash.", "reply": "And"})
    assert written.lead.edd_answers[0]["answer"] == "Customers pay cash."
    assert written.get("status").context["form"]["reply"].value() == "And"
    assert written.application.replies.count() == 1


def test_why_a_file_was_rejected_stands_beside_it(flow):
    rejected = {"status": DocumentStatus.REJECTED, "status_reason": "Page 2 is missing."}
    make_document(flow.lead, **rejected)
    stand(Status.DOCUMENTS_REQUIRED)

    assert '<p class="reason">Reason: Page 2 is missing.</p>' in page(flow.get("status"))


def test_a_denial_is_explained_in_the_words_of_staff(flow):
    stand(Status.DENIED)
    Application.objects.update(applicant_text="We do not serve casinos.")

    assert "<p>We do not serve casinos.</p>" in page(flow.get("status"))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "still has money or pending payments in it."),
        ({"status": AccountStatus.CLOSED, "closed_at": NOW}, "is closed."),
    ],
)
def test_a_denial_says_what_becomes_of_the_account(flow, values, said):
    stand(Status.DENIED)
    Application.objects.update(account=make_account(**values))

    assert f"Your temporary account {said}" in page(flow.get("status"))


def test_a_temporary_approval_names_its_last_day(flow):
    stand(Status.APPROVED_TEMPORARY)
    Lead.objects.update(business_type="LLC")
    Application.objects.update(expiration_date=date(2026, 12, 24))

    shown = page(flow.get("status"))

    assert "The temporary approval ends on December 24, 2026." in shown
    assert "Needed by December 24, 2026" in shown
    assert "December 25" not in shown


def test_times_without_a_script_are_in_the_zone_of_the_business(flow):
    stand(Status.IN_REVIEW)
    Lead.objects.update(business_address={"state": "CA", "country": "US"})

    assert re.search(r":\d\d [AP]M P[SD]T", page(flow.get("status")))


@pytest.mark.parametrize("status", [Status.APPROVED, Status.APPROVED_TEMPORARY])
def test_how_to_sign_in_is_told_once_the_account_is_open(flow, status):
    stand(status)
    account = make_account()
    owner = make_business_owner(
        account.business, email="ada@example.com", role=BusinessOwnerRole.PRIMARY_OWNER
    )
    Application.objects.update(account=account)

    pages = [page(flow.get("status"))]
    user = invitations.give_sign_in(owner, at=NOON)
    pages.append(page(flow.get("status")))
    invitations.accept(user, "copper-otter-9-lamp", at=NOON)
    pages.append(page(flow.get("status")))

    said = [
        "We could not set up your sign-in",
        "a link to choose a password",
        "and your password",
    ]
    assert [[one in text for one in said] for text in pages] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]
    for text, how in zip(pages[1:], said[1:], strict=True):
        assert text.index(how) < text.index("After you sign in")


@pytest.mark.parametrize("status", [Status.APPROVED, Status.APPROVED_TEMPORARY])
def test_an_open_account_is_shown_with_what_to_do_next(flow, status):
    stand(status)
    account = make_account(name="Everyday", account_number="314074639787")
    owner = make_business_owner(
        account.business, email="ada@example.com", role=BusinessOwnerRole.PRIMARY_OWNER
    )
    Application.objects.update(account=account)
    invitations.accept(invitations.give_sign_in(owner, at=NOON), "copper-otter-9-lamp", at=NOON)

    text = page(flow.get("status"))

    assert "<dd>Everyday</dd>" in text
    assert "<dd>••••9787</dd>" in text
    assert "314074639787" not in text
    assert f"<dd>{account.routing_number}</dd>" in text
    assert '<a class="button" href="/account">Sign in</a>' in text
    assert "invite your accountant" in text


def test_a_closed_account_is_not_shown_as_open(flow):
    stand(Status.APPROVED)
    closed = {"status": AccountStatus.CLOSED, "closed_at": NOW}
    Application.objects.update(account=make_account(**closed))

    assert "Routing number" not in page(flow.get("status"))
