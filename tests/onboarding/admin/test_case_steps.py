"""The steps of a case: each by whom it is allowed, by POST alone, refusals and typed text shown."""

import html
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from banking.models import User
from onboarding.admin import file_tokens
from onboarding.admin.case_forms import ApproveTemporarilyForm
from onboarding.admin.case_steps import SHOWN_FOR, STEPS
from onboarding.choices import (
    ApplicationStatus,
    CheckCode,
    CheckResult,
    CheckSource,
    DocumentStatus,
    ProposalKind,
    ProposalStatus,
)
from onboarding.event_types import EventType
from onboarding.models import DocumentRule
from onboarding.queries import evidence
from tests.factories import NOON, later, make_account
from tests.onboarding.cases import make_reviewer

OLD = timezone.now() - timedelta(days=1)
SSN = "123-45-6789"
VIEW = [
    "view_application",
    "view_lead",
    "view_owner",
    "view_document",
    "view_check",
    "view_note",
    "view_proposal",
    "view_event",
]
REVIEWER = [*VIEW, "open_document", "review_application", "decide_application"]


@pytest.fixture
def application(make_lead, make_application):
    """An application that staff review, of a lead with a number."""
    lead = make_lead(
        business_name="Harbor Coffee LLC",
        business_type="LLC",
        first_name="Ada",
        last_name="Byron",
        ssn=SSN,
    )
    now = timezone.now()
    return make_application(
        lead,
        at=now - timedelta(days=1),
        status=ApplicationStatus.IN_REVIEW,
        submitted_at=now,
        review_began_at=now,
        due_at=now + timedelta(hours=2),
    )


@pytest.fixture
def staff(make_staff):
    """Return a client of staff with these permissions."""
    return lambda *codenames: make_staff(*codenames)


@pytest.fixture
def reviewer(application, make_staff):
    """A client of somebody who may review and decide, and has claimed the case."""
    client = make_staff(*REVIEWER)
    claim(application, client)
    return client


def user_of(client):
    return User.objects.get(pk=client.session["_auth_user_id"])


def claim(application, client):
    application.claimed_by = user_of(client)
    application.claimed_until = timezone.now() + timedelta(minutes=20)
    application.save()


def path_of(application, step="change"):
    return f"/admin/onboarding/application/{application.pk}/{step}/"


def page_of(answer):
    return html.unescape(re.sub(r"\s+", " ", answer.content.decode()))


def messages_of(client, application):
    page = page_of(client.get(path_of(application)))
    return re.findall(r'<p class="answer answer-(\w+)"[^>]*>(.*?)</p>', page)


def buttons_of(client, application):
    """Return which steps the page offers."""
    page = page_of(client.get(path_of(application)))
    return set(re.findall(rf'action="/admin/onboarding/application/{application.pk}/(\w+)/', page))


@pytest.mark.parametrize(
    ("step", "codename"), [*((name, one.permission) for name, one in STEPS.items())]
)
def test_a_step_takes_its_permission_and_a_post(application, staff, step, codename):
    others = {"review_application", "decide_application", "confirm_application"} - {codename}

    assert staff(*VIEW, *others).post(path_of(application, step)).status_code == 403
    assert staff(codename).post(path_of(application, step)).status_code == 403
    allowed = staff(*VIEW, codename)
    assert allowed.post(path_of(application, step)).status_code in {302, 409, 422}
    assert allowed.get(path_of(application, step)).status_code == 405
    assert allowed.head(path_of(application, step)).status_code == 405


def test_a_viewer_is_offered_no_step(application, staff):
    assert buttons_of(staff(*VIEW), application) == set()


def test_a_case_is_claimed_and_released(application, staff, make_check_run):
    make_check_run(application, at=timezone.now())
    client = staff(*REVIEWER)
    assert buttons_of(client, application) == {"claim", "note"}

    answer = client.post(path_of(application, "claim"))

    application.refresh_from_db()
    assert answer["Location"] == path_of(application)
    assert application.claimed_by == user_of(client)
    assert {"release", "deny", "approve", "request_documents"} <= buttons_of(client, application)

    client.post(path_of(application, "release"))

    application.refresh_from_db()
    assert application.claimed_by is None


def test_whom_somebody_was_faster_than_reads_so(application, staff, reviewer):
    late = staff(*REVIEWER)

    answer = late.post(path_of(application, "claim"))

    assert answer.status_code == 409
    assert "Someone else has claimed this case until" in page_of(answer)


def test_a_case_is_handed_to_somebody(application, staff):
    other = user_of(staff(*REVIEWER))
    client = staff(*REVIEWER, "reassign_application")

    client.post(path_of(application, "reassign"), {"to": other.pk, "note": "She knows the firm."})

    application.refresh_from_db()
    assert (application.claimed_by, application.assignee) == (other, other)
    assert application.notes.get().text == "She knows the firm."


def test_a_case_of_a_colleague_is_not_handed_over(application, staff):
    other = staff(*REVIEWER)
    other.post(path_of(application, "claim"))

    answer = staff(*REVIEWER).post(path_of(application, "reassign"), {"to": user_of(other).pk})

    assert answer.status_code == 409
    assert "This case is not assigned to you" in page_of(answer)


def test_a_question_is_asked_and_answered_on_the_case(application, reviewer, staff):
    colleague = staff(*REVIEWER)
    asked = {"to": user_of(colleague).pk, "question": "Same person?"}
    form = page_of(reviewer.get(path_of(application, "change")))
    offered = form.partition('id="escalate-to"')[2].partition("</select>")[0]
    assert f'value="{user_of(colleague).pk}"' in offered
    assert f'value="{user_of(reviewer).pk}"' not in offered

    page = page_of(reviewer.post(path_of(application, "escalate"), asked, follow=True))
    assert "The question was sent." in page
    assert "Waits for an answer" in page
    escalation = application.escalations.get()
    assert 'name="escalation"' in page_of(colleague.get(path_of(application, "change")))
    said = {"escalation": escalation.pk, "text": "Another birth date."}
    page = page_of(colleague.post(path_of(application, "answer"), said, follow=True))

    assert "Another birth date." in page
    assert "Waits for an answer" not in page
    application.refresh_from_db()
    assert application.returned_at is not None


def test_a_question_of_another_case_is_not_answered(application, reviewer, make_application):
    other = make_application(status="IN_REVIEW")
    question = other.escalations.create(
        question="Why?", asked_by=user_of(reviewer), asked_at=timezone.now()
    )
    said = {"escalation": question.pk, "text": "So."}

    assert reviewer.post(path_of(application, "answer"), said).status_code == 422


def test_a_case_is_handed_to_reviewers_only(application, staff):
    other = user_of(staff(*VIEW))
    client = staff(*REVIEWER, "reassign_application")

    assert client.post(path_of(application, "reassign"), {"to": other.pk}).status_code == 422


def test_a_decision_that_one_may_make_is_made(application, reviewer, make_check_run, make_check):
    make_check(make_check_run(application, at=timezone.now()))

    reviewer.post(
        path_of(application, "approve_temporarily"),
        {
            "internal_text": "All is well.",
            "expiration_date": f"{timezone.now() + timedelta(days=9):%Y-%m-%d}",
        },
    )

    application.refresh_from_db()
    assert application.status == ApplicationStatus.APPROVED_TEMPORARY
    assert messages_of(reviewer, application) == [
        ("success", "The application is approved temporarily.")
    ]


def test_a_decision_waits_for_checks_of_what_came_in_and_keeps_what_was_typed(
    application, reviewer, make_check_run
):
    make_check_run(application)  # before the review began

    answer = reviewer.post(path_of(application, "approve"), {"internal_text": "All is well."})

    assert answer.status_code == 409
    assert "New data has come in since the last checks. Run the checks again." in page_of(answer)
    assert "All is well." in page_of(answer)
    assert "approve" not in buttons_of(reviewer, application)
    assert "rerun_checks" in buttons_of(reviewer, application)


def shown_note_of(page):
    return re.findall(r'name="shown_note" value="(\d+)"', page)[0]


def test_a_note_of_a_colleague_stops_an_approval_from_an_older_page(
    application, reviewer, make_check_run, make_note
):
    DocumentRule.objects.all().delete()
    make_check_run(application, at=timezone.now())
    make_note(application, text="An older note.")
    said = {"internal_text": "All is well."}
    said["shown_note"] = shown_note_of(page_of(reviewer.get(path_of(application))))
    make_note(application, text="My own note.", by=user_of(reviewer))
    colleague = make_reviewer(first_name="Bob", last_name="Stone")
    make_note(application, text="STOP, <fraud>.", by=colleague)

    refused = reviewer.post(path_of(application, "approve"), said)
    page = page_of(refused)
    again = reviewer.post(
        path_of(application, "approve"), {**said, "shown_note": shown_note_of(page)}
    )

    assert refused.status_code == 409
    sentence = "Bob Stone has added a note since you opened this page. Read it, then decide."
    assert f'{sentence} <a href="#notes">Show the notes</a><br><q>STOP, <fraud>.</q>' in page
    assert "All is well." in page
    assert again.status_code == 302
    application.refresh_from_db()
    assert application.status == ApplicationStatus.APPROVED


def test_a_temporary_approval_ends_on_a_day_to_come(application, reviewer, make_check_run):
    make_check_run(application, at=timezone.now())

    answer = reviewer.post(
        path_of(application, "approve_temporarily"),
        {"internal_text": "A reason to keep.", "expiration_date": "2020-01-01"},
    )

    assert answer.status_code == 422
    page = page_of(answer)
    assert "Choose a day after today, within one year." in page
    assert "A reason to keep." in page
    assert re.search(r'<details class="choice choice-good" name="step" open>', page)


def test_a_temporary_approval_can_end_tomorrow_in_new_york(application, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: later(hours=13))  # the next day in UTC has begun
    tomorrow = f"{NOON.date() + timedelta(days=1):%Y-%m-%d}"
    sent = {"internal_text": "All is well.", "expiration_date": tomorrow}

    form = ApproveTemporarilyForm(sent, application=application, name="approve_temporarily")

    assert form.is_valid()
    assert form.fields["expiration_date"].widget.attrs["min"] == tomorrow


def test_the_documents_to_open_are_beside_the_approval(
    application, reviewer, make_check_run, make_document
):
    DocumentRule.objects.all().delete()
    make_check_run(application, at=timezone.now())
    bill = make_document(
        application.lead, llc_file_type="UTILITY_BILL", file_name="bill.pdf", uploaded_at=OLD
    )
    make_document(application.lead, status=DocumentStatus.ACCEPTED, uploaded_at=OLD)
    button = f'form="open-{bill.pk}"'

    refused = reviewer.post(path_of(application, "approve"), {"internal_text": "All is well."})
    before = page_of(reviewer.get(path_of(application)))
    reviewer.post(f"/admin/onboarding/document/{bill.pk}/open/")
    after = page_of(reviewer.get(path_of(application)))
    reviewer.post(path_of(application, "approve"), {"internal_text": "All is well."})

    assert refused.status_code == 409
    sentence = "Open or accept these documents before you approve: Utility bill (bill.pdf)."
    assert sentence in page_of(refused)
    assert (before.count('data-opened-by="'), before.count(button)) == (1, 1)
    assert f'id="open-{bill.pk}" action="/admin/onboarding/document/{bill.pk}/open/"' in before
    assert "data-opened-by" not in after
    application.refresh_from_db()
    assert application.status == ApplicationStatus.APPROVED


def test_the_documents_to_open_take_one_more_statement(
    application, reviewer, make_check_run, make_document, django_assert_num_queries
):
    make_check_run(application, at=timezone.now())
    make_document(application.lead, uploaded_at=OLD, status=DocumentStatus.ACCEPTED)
    with CaptureQueriesContext(connection) as judged:
        reviewer.get(path_of(application))
    make_document(application.lead, uploaded_at=OLD)

    with django_assert_num_queries(len(judged) + 1):
        reviewer.get(path_of(application))


def test_a_denial_asks_for_reasons_and_is_proposed(application, reviewer):
    answer = reviewer.post(path_of(application, "deny"), {"internal_text": "A parking lot."})
    assert answer.status_code == 422
    assert "A parking lot." in page_of(answer)

    reviewer.post(
        path_of(application, "deny"),
        {"internal_text": "A parking lot.", "reasons": ["NOT_VERIFIED", "NOT_ELIGIBLE"]},
    )

    proposal = application.proposals.get()
    assert (proposal.kind, proposal.status) == (ProposalKind.DENY, ProposalStatus.OPEN)
    assert proposal.reason_codes == ["NOT_VERIFIED", "NOT_ELIGIBLE"]
    assert messages_of(reviewer, application) == [
        ("success", "Proposed. A second person must confirm it.")
    ]
    assert "withdraw" in buttons_of(reviewer, application)
    assert not {"confirm", "deny"} & buttons_of(reviewer, application)


def propose(application, make_proposal, **values):
    application.refresh_from_db()
    digest = evidence.compute_digest(application)
    values = {"reason_codes": ["NOT_VERIFIED"], "evidence_digest": digest, **values}
    return make_proposal(application, kind=ProposalKind.DENY, proposed_at=timezone.now(), **values)


@pytest.mark.django_db(transaction=True)
def test_a_second_person_confirms(application, staff, make_proposal):
    proposal = propose(application, make_proposal)
    second = staff(*VIEW, "confirm_application")
    assert {"confirm", "refuse"} <= buttons_of(second, application)

    second.post(path_of(application, "confirm"), {"proposal": proposal.pk})

    application.refresh_from_db()
    assert application.status == ApplicationStatus.DENIED


@pytest.mark.django_db(transaction=True)
def test_a_note_stops_a_confirmation_from_an_older_page(
    application, staff, make_proposal, make_note
):
    proposal = propose(application, make_proposal)
    second = staff(*VIEW, "confirm_application")
    said = {"proposal": proposal.pk}
    said["shown_note"] = shown_note_of(page_of(second.get(path_of(application))))
    make_note(application, by=proposal.proposed_by)

    answer = second.post(path_of(application, "confirm"), said)

    assert answer.status_code == 409
    assert "has added a note since you opened this page. Read it, then decide." in page_of(answer)
    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.OPEN


@pytest.mark.django_db(transaction=True)
def test_what_was_proposed_on_other_data_is_not_confirmed(application, staff, make_proposal):
    proposal = propose(application, make_proposal, evidence_digest="0" * 64)
    second = staff(*VIEW, "confirm_application")

    answer = second.post(path_of(application, "confirm"), {"proposal": proposal.pk})

    assert answer.status_code == 409
    assert "Something has changed since this was proposed" in page_of(answer)
    application.refresh_from_db()
    assert application.status == ApplicationStatus.IN_REVIEW


def test_a_decided_case_says_what_a_claim_is_for(application, staff):
    reviewer = staff(*REVIEWER)
    path = f"/admin/onboarding/application/{application.pk}/change/"
    assert "Claim the case to work on it." in page_of(reviewer.get(path))
    application.status, application.decided_at = ApplicationStatus.DENIED, timezone.now()
    application.save()

    page = page_of(reviewer.get(path))

    assert "The case is decided. To change anything, claim it." in page
    assert "Claim the case to work on it." not in page


@pytest.mark.django_db(transaction=True)
def test_a_case_whose_account_is_still_open_is_not_reopened(application, staff, make_proposal):
    application.status, application.decided_at = ApplicationStatus.DENIED, timezone.now()
    application.account = make_account()
    application.save()
    digest = evidence.compute_digest(application)
    proposal = make_proposal(application, kind=ProposalKind.REOPEN, evidence_digest=digest)
    second = staff(*VIEW, "confirm_application")

    answer = second.post(path_of(application, "confirm"), {"proposal": proposal.pk})

    assert answer.status_code == 409
    assert "The account of this attempt is still open" in page_of(answer)
    path = f"/admin/banking/account/{application.account_id}"
    assert f'<a href="{path}/change/">Show the account</a>' in answer.content.decode()
    clerk = staff(*VIEW, "confirm_application", "add_bankoperation")
    linked = clerk.post(path_of(application, "confirm"), {"proposal": proposal.pk})
    assert f'<a href="{path}/close/">Close it with payout</a>' in linked.content.decode()
    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.OPEN


def test_a_proposal_of_another_case_is_not_settled_here(
    application, make_application, staff, make_proposal
):
    other = make_proposal(make_application(status=ApplicationStatus.IN_REVIEW))
    second = staff(*VIEW, "confirm_application")

    answer = second.post(path_of(application, "confirm"), {"proposal": other.pk})

    assert answer.status_code == 422


def test_a_proposal_is_refused_for_a_reason(application, staff, make_proposal):
    proposal = propose(application, make_proposal)
    second = staff(*VIEW, "confirm_application")

    second.post(path_of(application, "refuse"), {"proposal": proposal.pk, "note": "It is a shop."})

    proposal.refresh_from_db()
    assert (proposal.status, proposal.settled_note) == (ProposalStatus.REFUSED, "It is a shop.")


def test_who_proposed_takes_it_back(application, reviewer, make_proposal):
    proposal = propose(application, make_proposal, proposed_by=user_of(reviewer))

    reviewer.post(path_of(application, "withdraw"), {"proposal": proposal.pk})

    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.WITHDRAWN


def test_documents_are_asked_for_each_for_a_reason(application, reviewer, make_owner):
    grace = make_owner(application.lead, first_name="Grace", last_name="Hopper")
    other = make_owner()
    step = path_of(application, "request_documents")
    of_grace = f"PASSPORT:{grace.external_id}"
    said = {
        "what-1": "UTILITY_BILL",
        "reason-1": "The address differs.",
        "what-2": of_grace,
        "standard-2": "The one that we have has expired.",
        "what-3": "IRS_EIN_LETTER",
    }

    twice = reviewer.post(step, {**said, "what-3": of_grace})
    nothing = reviewer.post(step, {"reason-1": "The address differs."})
    stranger = reviewer.post(step, {"what-1": f"PASSPORT:{other.external_id}"})
    reviewer.post(step, said)

    assert [one.status_code for one in (twice, nothing, stranger)] == [422, 422, 422]
    application.refresh_from_db()
    assert application.status == ApplicationStatus.DOCUMENTS_REQUIRED
    asked = [
        (one["llc_file_type"], one.get("ubo_id"), one["reason"])
        for one in application.document_requests
    ]
    assert sorted(asked, key=str) == [
        ("IRS_EIN_LETTER", None, "To confirm the EIN of the business."),
        ("PASSPORT", str(grace.external_id), "The one that we have has expired."),
        ("UTILITY_BILL", None, "The address differs."),
    ]


def test_people_are_asked_who_they_are(application, reviewer, make_owner):
    owner = make_owner(application.lead, first_name="Grace")
    stranger = make_owner()
    step = path_of(application, "request_identity")
    assert reviewer.post(step, {"people": [str(stranger.external_id)]}).status_code == 422

    reviewer.post(step, {"people": [str(owner.external_id)]})

    application.refresh_from_db()
    owner.refresh_from_db()
    assert application.status == ApplicationStatus.ID_VERIFICATION
    assert owner.identity_status == "REQUESTED"


def test_who_lost_the_case_loses_no_text(application, reviewer):
    application.claimed_until = timezone.now() - timedelta(minutes=1)
    application.save()

    answer = reviewer.post(
        path_of(application, "request_documents"),
        {"what-1": "UTILITY_BILL", "reason-1": "A long explanation."},
    )

    assert answer.status_code == 409
    assert "Claim the case first. You have not claimed it, or your claim has ended." in page_of(
        answer
    )
    assert "A long explanation." in page_of(answer)


def test_who_lost_the_case_reads_why_a_document_was_to_be_rejected(
    application, staff, make_document
):
    document = make_document(application.lead)

    answer = staff(*REVIEWER).post(
        path_of(application, "reject_document"), {"document": document.pk, "reason": "Too dark."}
    )

    assert answer.status_code == 409
    assert 'value="Too dark."' in page_of(answer)


def test_a_note_is_kept_and_mailed_to_nobody(application, reviewer):
    assert reviewer.post(path_of(application, "note"), {"text": " "}).status_code == 422

    reviewer.post(path_of(application, "note"), {"text": "For us.", "is_for_applicant": "on"})

    assert list(application.notes.values_list("text", "is_for_applicant")) == [("For us.", False)]
    assert not application.mails.exists()


ITEMS = [
    CheckCode.IDENTITY_CONFIRMED,
    CheckCode.BUSINESS_REGISTERED,
    CheckCode.ADDRESS_CONFIRMED,
    CheckCode.ACTIVITY_PLAUSIBLE,
]


@pytest.fixture
def asked(application, make_check_run, make_check):
    """The run of checks that asks staff for all items."""
    run = make_check_run(application, at=timezone.now())
    for code in ITEMS:
        make_check(run, code=code, source=CheckSource.MANUAL, result=CheckResult.WARN)
    return run


def answers_to(run):
    """Return the newest answers of staff by their code."""
    return {one.code: one for one in run.checks.exclude(by=None).order_by("pk")}


@pytest.mark.parametrize("result", ["PASS", "WARN", "FAIL"])
def test_an_item_is_ticked(application, reviewer, asked, result):
    step, said = path_of(application, "tick"), {"result-ADDRESS_CONFIRMED": result}

    refused = reviewer.post(step, said)
    answer = reviewer.post(step, {**said, "note-ADDRESS_CONFIRMED": "A parking lot."})

    assert refused.status_code == 422
    assert "Enter what you found" in page_of(refused)
    assert answer["Location"].endswith("#checks")
    tick = asked.checks.last()
    assert (tick.result, tick.note, tick.by) == (result, "A parking lot.", user_of(reviewer))


def test_all_items_are_answered_in_one_form(application, reviewer, asked, make_document):
    card = make_document(application.lead, llc_file_type="PASSPORT")
    said = {
        "open": ITEMS,
        "document-IDENTITY_CONFIRMED": card.pk,
        "note-BUSINESS_REGISTERED": "Active in the register.",
        "note-ADDRESS_CONFIRMED": "A parking lot.",
        "result-ADDRESS_CONFIRMED": "FAIL",
        "rest": "PASS",
    }

    refused = reviewer.post(path_of(application, "tick"), said)
    answer = reviewer.post(
        path_of(application, "tick"), {**said, "note-ACTIVITY_PLAUSIBLE": "A café."}
    )

    assert refused.status_code == 422
    assert "Enter what you found, or choose the document that shows it." in page_of(refused)
    assert answer.status_code == 302
    found = answers_to(asked)
    assert {code: one.result for code, one in found.items()} == {
        "IDENTITY_CONFIRMED": "PASS",
        "BUSINESS_REGISTERED": "PASS",
        "ADDRESS_CONFIRMED": "FAIL",
        "ACTIVITY_PLAUSIBLE": "PASS",
    }
    assert found["IDENTITY_CONFIRMED"].details == {"document_id": str(card.external_id)}
    page = page_of(reviewer.get(path_of(application)))
    assert f'href="#document-{card.external_id}"' in page


def test_the_rest_that_is_passed_has_no_item_that_was_answered_before(application, reviewer, asked):
    step = path_of(application, "tick")
    reviewer.post(step, {"result-ADDRESS_CONFIRMED": "FAIL", "note-ADDRESS_CONFIRMED": "Empty."})

    sent = {f"note-{code}": "Seen." for code in ITEMS if code != "ADDRESS_CONFIRMED"}
    reviewer.post(step, {**sent, "open": ITEMS[:2] + ITEMS[3:], "rest": "PASS"})

    assert answers_to(asked)["ADDRESS_CONFIRMED"].result == "FAIL"


def test_an_item_that_rests_on_a_document_of_another_lead_is_refused(
    application, reviewer, asked, make_document
):
    said = {"result-IDENTITY_CONFIRMED": "PASS", "document-IDENTITY_CONFIRMED": make_document().pk}

    assert reviewer.post(path_of(application, "tick"), said).status_code == 422


def test_only_who_has_the_case_is_offered_ticks(application, staff, asked):
    client = staff(*REVIEWER)
    said = {"result-ADDRESS_CONFIRMED": "FAIL", "note-ADDRESS_CONFIRMED": "A parking lot."}
    assert "tick" not in buttons_of(client, application)

    answer = client.post(path_of(application, "tick"), said)
    claim(application, client)

    assert answer.status_code == 409
    assert "Claim the case first" in page_of(answer)
    assert "A parking lot." in page_of(answer)
    assert not answers_to(asked)
    assert "tick" in buttons_of(client, application)


def test_what_nobody_ticks_is_refused(application, reviewer, make_check_run, make_check):
    make_check(make_check_run(application))
    step = path_of(application, "tick")

    said = {"result-COMPLETENESS": "PASS", "note-COMPLETENESS": "Complete."}
    answer = reviewer.post(step, said)
    not_asked = reviewer.post(
        step, {"result-ADDRESS_CONFIRMED": "PASS", "note-ADDRESS_CONFIRMED": "Seen there."}
    )

    assert (answer.status_code, not_asked.status_code) == (422, 409)
    assert "is not a check that staff can complete here" in page_of(not_asked)


def test_a_refused_answer_of_the_viewer_is_shown_in_the_viewer(
    application, reviewer, make_document
):
    document = make_document(application.lead, detected_type="image/png")
    token = file_tokens.issue(user_of(reviewer), document)
    sent = {"document": document.pk, "token": token, "pane": "1"}

    refused = reviewer.post(path_of(application, "reject_document"), sent)
    accepted = reviewer.post(path_of(application, "accept_document"), sent)

    assert refused.status_code == 422
    assert "Choose a reason, or write one." in page_of(refused)
    assert "viewer-page" in page_of(refused)
    assert f"/document/{document.pk}/view/" in accepted["Location"]
    assert "The document was accepted." in page_of(reviewer.get(accepted["Location"]))
    without_opening = reviewer.post(
        path_of(application, "accept_document"), {**sent, "token": "x"}, follow=True
    )
    assert without_opening.status_code == 403


def test_documents_are_accepted_rejected_and_renamed(application, reviewer, make_document):
    good, bad = (make_document(application.lead, llc_file_type="PASSPORT") for _ in range(2))

    reviewer.post(path_of(application, "accept_document"), {"document": good.pk})
    reviewer.post(
        path_of(application, "reject_document"), {"document": bad.pk, "reason": "It is blurred."}
    )
    reviewer.post(
        path_of(application, "change_kind"), {"document": good.pk, "kind": "UTILITY_BILL"}
    )

    good.refresh_from_db()
    bad.refresh_from_db()
    assert (good.status, good.llc_file_type) == (DocumentStatus.ACCEPTED, "UTILITY_BILL")
    assert (bad.status, bad.status_reason) == (DocumentStatus.REJECTED, "It is blurred.")


def test_a_document_of_somebody_else_is_not_judged_here(application, reviewer, make_document):
    other = make_document()

    answer = reviewer.post(path_of(application, "accept_document"), {"document": other.pk})

    assert answer.status_code == 422
    other.refresh_from_db()
    assert other.status == DocumentStatus.RECEIVED


def test_why_a_document_is_rejected_must_be_said(application, reviewer, make_document):
    document = make_document(application.lead)

    answer = reviewer.post(path_of(application, "reject_document"), {"document": document.pk})

    assert answer.status_code == 422
    assert "Choose a reason, or write one." in page_of(answer)


def ask(application, **said):
    said = {"person": str(application.lead.external_id), "field": "ssn", **said}
    return {"reason": "To compare it with the letter.", **said}


def test_a_number_is_shown_once_logged_and_kept_nowhere(application, staff, caplog):
    caplog.set_level("DEBUG")
    client = staff(*VIEW, "reveal_number")

    answer = client.post(path_of(application, "reveal"), ask(application))

    assert answer.status_code == 200
    assert f'role="status" data-hides>{SSN}</strong>' in page_of(answer)
    assert "no-store" in answer["Cache-Control"]
    key = f"number-ssn-{application.lead.external_id}"
    assert answer["Refresh"] == f"{SHOWN_FOR}; url={path_of(application)}#{key}"
    event = application.events.get(type=EventType.NUMBER_REVEALED)
    assert event.who == str(user_of(client).external_id)
    assert event.details == {"field": "ssn", "reason": "To compare it with the letter."}
    assert SSN not in caplog.text
    assert SSN not in page_of(client.get(path_of(application)))


def test_a_number_of_an_owner_is_shown(application, staff, make_owner):
    owner = make_owner(application.lead, passport_number="P12345678")
    client = staff(*VIEW, "reveal_number")

    said = ask(application, person=str(owner.external_id), field="passport_number")
    answer = client.post(path_of(application, "reveal"), said)

    assert "P12345678" in page_of(answer)
    assert SSN not in page_of(answer)


@pytest.mark.parametrize(
    ("said", "status", "message"),
    [
        ({"reason": ""}, 422, "This field is required."),
        ({"reason": "no"}, 409, "5 characters or more"),
        ({"field": "ein"}, 409, "There is no such number."),
        ({"field": "email"}, 409, ""),
        ({"person": "01a201e1-8c91-71de-821c-cc3d587b6d5d"}, 422, ""),
    ],
)
def test_without_a_reason_or_a_number_nothing_is_shown(application, staff, said, status, message):
    client = staff(*VIEW, "reveal_number")

    answer = client.post(path_of(application, "reveal"), ask(application, **said))

    assert answer.status_code == status
    if "reason" in said:
        assert message in page_of(answer)
    assert SSN not in page_of(answer)
    assert not application.events.exists()


def test_numbers_take_their_own_permission_and_a_post(application, staff):
    client = staff(*REVIEWER)

    assert client.post(path_of(application, "reveal"), ask(application)).status_code == 403
    assert "reveal" not in buttons_of(client, application)
    allowed = staff(*VIEW, "reveal_number")
    assert "reveal" in buttons_of(allowed, application)
    assert allowed.get(path_of(application, "reveal")).status_code == 405


def test_checks_are_run_again(application, reviewer, make_check_run, make_check):
    make_check(make_check_run(application))

    answer = reviewer.post(path_of(application, "rerun_checks"))

    assert answer["Location"].endswith("#checks")
    assert application.check_runs.count() == 2


def test_an_attempt_that_is_over_takes_no_step(application, reviewer, make_application):
    application.is_current = False
    application.save()
    make_application(application.lead, attempt=2)

    answer = reviewer.post(path_of(application, "deny"), {"internal_text": "x", "reasons": "OTHER"})
    refused = reviewer.post(
        path_of(application, "deny"), {"internal_text": "x", "reasons": "NOT_VERIFIED"}
    )

    assert (answer.status_code, refused.status_code) == (422, 409)
    assert "This attempt has ended. There is a newer one." in page_of(refused)
    assert buttons_of(reviewer, application) == {"note"}
