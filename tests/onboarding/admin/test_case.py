"""The page of a case: everything known of an application, and what happened to it."""

import html
import re
from datetime import date
from decimal import Decimal

import pytest

from banking.models import User
from foundation.tracing import spans
from onboarding.choices import (
    ApplicationStatus,
    CheckCode,
    CheckResult,
    CheckSource,
    DocumentStatus,
    LegalText,
    ProposalKind,
    Risk,
)
from onboarding.event_types import EventType, MailKind
from onboarding.models import (
    Consent,
    Delivery,
    Document,
    Holder,
    Lane,
    Lead,
    Mail,
    Publication,
    Stake,
    Webhook,
)
from onboarding.queries import evidence
from onboarding.queries.leads import open_lead_file
from onboarding.services.events.history import CHECKS, PARTNER, Actor
from onboarding.services.leads import marks
from tests import factories
from tests.factories import NOON, later
from tests.onboarding.services.leads.test_submissions import make_complete, submit

SSN, EIN, PASSPORT = "123-45-6789", "12-3456789", "P12345678"
DATA = ["view_application", "view_lead", "view_owner", "view_document"]


@pytest.fixture
def application(make_partner, make_lead, make_application):
    """An application in review of an LLC, with one document that staff asked for."""
    lead = make_lead(
        make_partner(name="Acme Platform"),
        business_name="Harbor Coffee LLC",
        business_type="LLC",
        first_name="Ada",
        last_name="Byron",
        ssn=SSN,
        ein=EIN,
        city="Oakland",
        birth_date=date(1985, 5, 4),
        ownership_percent=Decimal(60),
        is_control_person=True,
        supplied_by={"city": "APPLICANT", "birth_date": "APPLICANT"},
        corrected=["birth_date"],
        edd_answers=[{"question": "What is sold?", "answer": "Coffee."}],
    )
    request = {
        "llc_file_type": "UTILITY_BILL",
        "reason": "The address is not that of the lease.",
        "requested_at": NOON.isoformat(),
    }
    return make_application(
        lead,
        status=ApplicationStatus.IN_REVIEW,
        submitted_at=later(days=-1),
        document_requests=[request],
        risk=Risk.HIGH,
        risk_points=60,
        risk_reasons=[{"reason": "An owner lives abroad.", "points": 60}],
    )


def path_of(application, query=""):
    return f"/admin/onboarding/application/{application.pk}/change/{query}"


def read(client, application, query=""):
    """Return the words of each card by its id."""
    page = client.get(path_of(application, query)).content.decode()
    found = re.findall(r'<section class="card[^"]*" id="(\w+)"[^>]*>(.*?)</section>', page, re.S)
    return {name: words(body) for name, body in found}


def words(text):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text)))


def test_the_headline_says_who_where_how_risky_and_until_when(application, make_user, chief):
    application.due_at = later(days=-1)
    application.claimed_by = make_user(first_name="Dana", last_name="Whitfield", user_type="STAFF")
    application.claimed_until = later(days=9000)
    application.save()

    page = chief.get(path_of(application)).content.decode()

    headline = words(
        page[page.index('<header class="headline"') : page.index('<div class="desk">')]
    )
    for said in ("Harbor Coffee LLC", "Acme Platform", "In review", "High risk", "60 points"):
        assert said in headline
    assert "An owner lives abroad. +60" in headline
    assert "First touch" in headline
    assert "Claimed by Dana Whitfield until" in headline


def test_the_headline_names_the_accountant_who_invited_the_business(application, chief):
    accountant = factories.make_accountant(firm_name="Oak & Ledger")
    application.referral = factories.make_referral(accountant)
    application.save()

    page = chief.get(path_of(application)).content.decode()

    link = f"/admin/banking/referral/{application.referral.pk}/change/"
    assert f'<dt>Invited by</dt><dd><a href="{link}">Oak &amp; Ledger</a>' in page


def test_values_say_who_supplied_them_if_not_the_partner(application, chief):
    people = read(chief, application)["people"]

    assert "Home address Applicant Oakland" in people
    assert "Born Changed by the applicant May 4, 1985" in people
    assert "Email lead" in people


def test_the_card_of_the_application_says_what_the_applicant_was_told(application, chief):
    application.applicant_text = "We need a newer utility bill."
    application.save()

    about = read(chief, application)["about"]

    assert "What the applicant was told We need a newer utility bill." in about


def test_an_industry_and_countries_have_names_and_what_they_add_to_the_risk(application, chief):
    lead = application.lead
    lead.naics_code = "722515"
    lead.business_address = {"line1": "1 Main St", "city": "Tehran", "country": "IR"}
    lead.save()
    application.risk_reasons = [
        {"factor": "COUNTRY", "value": "IR", "points": 60, "reason": "Sanctioned."},
        {"factor": "CHECK", "value": "722515", "points": 20, "reason": "Not an industry."},
    ]
    application.save()

    page = chief.get(path_of(application)).content.decode()

    assert "722515 Snack and Nonalcoholic Beverage Bars" in page
    assert 'IR Iran <span class="badge badge-risk_high" title="Sanctioned.">+60 risk points' in page
    assert "+20 risk points" not in page


def test_what_the_applicant_confirmed_when_asked_is_shown(application, chief):
    lead = application.lead
    marks.confirm(lead, {"postal_code": f"{lead.state} {lead.postal_code}"})
    lead.save()

    people = read(chief, application)["people"]

    assert "Confirmed when asked The ZIP code is of another state: home address" in people


def test_shares_are_drawn_and_named(application, make_owner, chief):
    make_owner(application.lead, first_name="Grace", last_name="Hopper", ownership_percent=30)

    page = chief.get(path_of(application)).content.decode()

    drawn = 'aria-label="Ada Byron 60%, Grace Hopper 30%, 10% with no named owner"'
    assert drawn in page
    assert re.search(r'stroke-dasharray="60(\.0+)? 40(\.0+)?"', page)
    assert "Grace Hopper 30%" in read(chief, application)["people"]
    assert "Ada Byron 60% Control person" in read(chief, application)["people"]


def test_shares_beyond_the_whole_are_drawn_within_the_ring(application, make_owner, chief):
    make_owner(application.lead, first_name="Grace", ownership_percent=60)

    page = chief.get(path_of(application)).content.decode()

    assert page.count('stroke-dasharray="50.00 50.00"') == 2
    assert "too much" in page


def test_numbers_are_shown_by_their_last_four_at_most(application, make_owner, chief):
    make_owner(application.lead, passport_number=PASSPORT, first_name="Grace")

    page = chief.get(path_of(application)).content.decode()

    assert page.count("••••6789") == 2
    assert "••••5678" in page
    for number in (SSN, EIN, PASSPORT):
        assert number not in page


def test_the_checklist_has_what_is_met_and_what_is_missing(application, make_document, chief):
    make_document(application.lead, llc_file_type="ARTICLES_OF_ORGANIZATION")

    checklist = read(chief, application)["checklist"]

    assert "Met The articles of organization. Articles of organization" in checklist
    assert "IRS EIN letter or IRS SS-4 document" in checklist
    for requirement in open_lead_file(application).requirements:
        if requirement.kind != "DOCUMENT":
            assert str(requirement.message) in checklist
    assert "Missing Utility bill: The address is not that of the lease. Asked for on Mar 2" in (
        checklist
    )


def test_what_was_asked_for_is_met_by_what_came_since(application, make_document, chief):
    make_document(application.lead, llc_file_type="UTILITY_BILL", uploaded_at=later(hours=1))

    assert "Met Utility bill: The address" in read(chief, application)["checklist"]


def test_whose_document_is_wanted_is_named(application, make_owner, chief):
    owner = make_owner(application.lead, first_name="Grace", last_name="Hopper")
    application.document_requests[0]["ubo_id"] = str(owner.external_id)
    application.save()

    assert "Asked for on Mar 2, 2026 · Grace Hopper" in read(chief, application)["checklist"]
    owner.delete()
    assert "An owner who was removed" in read(chief, application)["checklist"]


def test_staff_read_why_a_file_could_not_be_fetched(application, chief):
    Document.objects.create(
        lead=application.lead,
        source_url="https://files.example.com/a.pdf?signature=s3cr3t",
        status=DocumentStatus.NOT_FETCHED,
        status_reason="connection refused",
        uploaded_at=later(days=1),
    )

    checklist = read(chief, application)["checklist"]

    assert "a.pdf could not be fetched from files.example.com: connection refused" in checklist
    assert "Any kind" in checklist
    assert "s3cr3t" not in chief.get(path_of(application)).content.decode()


def test_malware_is_named_above_the_decision_and_at_the_document(application, make_document, chief):
    found = {"malware": "Test.Eicar", "scanned_at": NOON, "scanned_with": "ClamAV"}
    quarantined = {"status": DocumentStatus.QUARANTINED, "status_reason": "Malware: Test.Eicar"}
    make_document(application.lead, file_name="bad.pdf", **found, **quarantined)
    make_document(application.lead, file_name="old.pdf", **found, status=DocumentStatus.REPLACED)

    page = read(chief, application)

    assert "found malware in bad.pdf on Mar 2, 2026, 12:00 UTC: Test.Eicar." in page["decision"]
    assert "old.pdf" not in page["decision"]
    assert "Malware: Test.Eicar" in page["documents"]
    assert "Download" not in page["documents"]


def test_a_file_before_its_scan_says_since_when_it_waits(application, make_document, chief):
    make_document(application.lead, status=DocumentStatus.PENDING, scan_due_at=NOON)

    documents = read(chief, application)["documents"]

    assert "To be scanned for malware" in documents
    assert "Waits for the malware scan since Mar 2, 2026, 12:00 UTC." in documents
    assert "Download" not in documents
    assert "Accept" not in documents


def test_checks_show_the_newest_run_and_those_before_folded(
    application, make_check_run, make_check, chief
):
    make_check(make_check_run(application), note="Long ago.", code=CheckCode.AGES)
    run = make_check_run(application)
    make_check(run, code=CheckCode.NAICS, result=CheckResult.FAIL, note="A casino.")
    make_check(run, code=CheckCode.OWNERSHIP, note="They add up to 60%.")

    checks = read(chief, application)["checks"]

    assert "Failed Industry A casino. Built-in rules, Mar 2" in checks
    assert "1 passed" in checks
    assert checks.index("They add up to 60%") < checks.index("Run 1") < checks.index("Long ago")


def test_the_check_counts_its_hits_and_leads_to_them(
    application, make_check_run, make_check, chief
):
    hit = {"programs": "SDGT", "matched": "", "of": "PERSON", "score": 90}
    hits = [{**hit, "entry": number, "name": f"LISTED {number}"} for number in range(8)]
    run = make_check_run(application)
    make_check(run, code=CheckCode.SANCTIONS, result=CheckResult.WARN, details={"hits": hits})

    page = chief.get(path_of(application)).content.decode()

    assert '<a href="#hits">8 screening hits</a>' in page


def test_a_hit_does_not_read_as_all_clear(application, make_check_run, make_check, chief):
    run = make_check_run(application)
    make_check(run, code=CheckCode.SANCTIONS, result=CheckResult.WARN, note="One name is alike.")

    checks = read(chief, application)["checks"]

    assert "Warned Names compared with the sanctions lists One name is alike." in checks


def test_others_with_the_same_number_are_links(
    application, make_check_run, make_check, make_lead, make_partner, chief
):
    other = make_lead(make_partner(name="Other Partner"), business_name="Pier Roasters", ssn=SSN)
    make_check(
        make_check_run(application),
        code=CheckCode.DUPLICATE_SSN,
        result=CheckResult.WARN,
        details={"customer_ids": [str(other.external_id)], "count": 1},
    )

    page = chief.get(path_of(application)).content.decode()

    assert f'href="/admin/onboarding/lead/{other.pk}/change/">Pier Roasters (Other Partner)' in page


def test_a_case_that_waits_for_the_applicant_promises_no_decision(
    application, make_check_run, make_check, chief
):
    application.status = ApplicationStatus.DOCUMENTS_REQUIRED
    application.claimed_by, application.claimed_until = User.objects.get(), later(days=9000)
    application.save()
    item = {"code": CheckCode.IDENTITY_CONFIRMED, "source": CheckSource.MANUAL}
    make_check(make_check_run(application), **item, result=CheckResult.WARN)

    decision = read(chief, application)["decision"]

    assert "You can decide when the applicant has answered." in decision
    assert "Before you can approve" not in decision


def test_items_for_staff_are_to_do_until_somebody_ticked_them(
    application, make_check_run, make_check, make_user, chief
):
    run = make_check_run(application)
    item = {"code": CheckCode.IDENTITY_CONFIRMED, "source": CheckSource.MANUAL}
    make_check(run, **item, result=CheckResult.WARN)
    assert "To do The people are who they say they are" in read(chief, application)["checks"]

    staff = make_user(user_type="STAFF", first_name="Lee", last_name="Okafor")
    make_check(run, **item, result=CheckResult.PASS, by=staff, note="A call.")

    checks = read(chief, application)["checks"]
    assert (
        "Passed The people are who they say they are Lee Okafor, Mar 2, 2026, 12:00 UTC: A call."
        in checks
    )


def test_an_item_that_staff_could_not_settle_is_unclear(
    application, make_check_run, make_check, make_user, chief
):
    staff = make_user(user_type="STAFF", first_name="Lee")
    item = {"code": CheckCode.IDENTITY_CONFIRMED, "source": CheckSource.MANUAL}
    make_check(make_check_run(application), **item, result=CheckResult.WARN, by=staff)

    checks = read(chief, application)["checks"]

    assert "Unclear The people are who they say they are" in checks


def test_notes_say_who_wrote_them_and_to_whom(application, make_note, chief):
    make_note(application, text="The phone was answered.")
    make_note(application, text="Please send a lease.", is_for_applicant=True)

    cards = read(chief, application)

    assert "The phone was answered." in cards["notes"]
    assert "Please send a lease." in cards["messages"]
    assert "Please send" not in cards["notes"]


def test_consents_have_version_language_and_name(application, chief):
    Consent.objects.create(
        application=application,
        text=LegalText.OWNERSHIP_CERTIFICATION,
        version="2026-01",
        language="es",
        signed_name="Ada Byron",
        agreed_at=NOON,
    )

    page = words(chief.get(path_of(application)).content.decode())

    title = "Certification of beneficial owners"
    assert f"{title} Version 2026-01, es Applicant - Ada Byron Mar 2, 2026" in page


def test_trusts_and_companies_are_drawn_with_the_people_behind_them(application, chief, make_owner):
    grace = make_owner(application.lead, first_name="Grace")
    holder = Holder.objects.create(
        lead=application.lead,
        kind="TRUST",
        name="Harbor Trust",
        ein="207654321",
        share_percent=50,
        created_at=NOON,
    )
    Stake.objects.create(holder=holder, owner=grace, share_percent=60)

    page = words(chief.get(path_of(application)).content.decode())

    assert "Harbor Trust (Trust, EIN ••••4321): 50%, 50% of the business" in page
    assert "Grace: 60%, 30% of the business" in page
    assert "Grace 30% (25 percent or more)" in page
    assert "207654321" not in page


def test_consents_of_an_owner_are_held_against_the_owners_answers(
    application, chief, make_owner, make_invitation
):
    owner = make_invitation(make_owner(application.lead, first_name="Grace")).owner
    Consent.objects.create(
        application=application,
        ubo_id=owner.external_id,
        text=LegalText.PRIVACY_NOTICE,
        version="2026-01",
        language="en",
        signed_name="Grace",
        agreed_at=NOON,
        answers_digest=evidence.compute_answers_digest([owner]),
        answers_version=evidence.get_answers_version(),
    )
    Lead.objects.filter(pk=application.lead_id).update(last_name="Lovelace")

    page = words(chief.get(path_of(application)).content.decode())

    assert "Privacy notice Version 2026-01, en Owner as signed Grace" in page
    assert "Own part Waiting for the owner" in page


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "as signed"),
        ({"identity_status": "VERIFIED", "metadata": {"key": "value"}}, "as signed"),
        ({"last_name": "Lovelace"}, "changed since"),
    ],
)
def test_consents_say_whether_the_answers_were_changed_since(application, chief, changes, said):
    Consent.objects.create(
        application=application,
        text=LegalText.OWNERSHIP_CERTIFICATION,
        version="2026-01",
        language="en",
        signed_name="Ada Byron",
        agreed_at=NOON,
        answers_digest=evidence.compute_answers_digest(open_lead_file(application).people),
        answers_version=evidence.get_answers_version(),
    )
    Lead.objects.filter(pk=application.lead_id).update(**changes)

    assert f" {said} " in words(chief.get(path_of(application)).content.decode())


def test_what_was_signed_is_opened_as_a_pdf_by_who_may_see_the_answers(
    make_staff, chief, settings, tmp_path
):
    settings.LETTER_SIGNING_FILE = tmp_path / "letter.pem"
    signed = make_complete()
    path = f"/admin/onboarding/application/{signed.pk}/signed_record/"
    assert path not in chief.get(path_of(signed)).content.decode()
    assert chief.get(path).status_code == 404
    submit(signed)

    answer = chief.get(path)

    assert path in chief.get(path_of(signed)).content.decode()
    assert b"".join(answer.streaming_content).startswith(b"%PDF-")
    assert answer["Content-Type"] == "application/pdf"
    viewer = make_staff("view_application", "view_consent")
    assert viewer.get(path).status_code == 403
    assert path not in viewer.get(path_of(signed)).content.decode()


def test_answers_hashed_with_another_index_key_cannot_be_compared(application, chief, settings):
    Consent.objects.create(
        application=application,
        text=LegalText.OWNERSHIP_CERTIFICATION,
        version="2026-01",
        language="en",
        signed_name="Ada Byron",
        agreed_at=NOON,
        answers_digest=evidence.compute_answers_digest(open_lead_file(application).people),
        answers_version=evidence.get_answers_version(),
    )
    settings.PII_INDEX_KEYS = f"2026:{'5e' * 32}"
    for person in Lead.objects.all():
        person.save()

    page = words(chief.get(path_of(application)).content.decode())

    assert " cannot be compared " in page
    assert "changed since" not in page


def test_an_open_proposal_says_who_why_and_what_it_rests_on(application, make_proposal, chief):
    make_proposal(
        application,
        kind=ProposalKind.DENY,
        internal_text="It is a parking lot.",
        reason_codes=["NOT_VERIFIED"],
        evidence_digest=evidence.compute_digest(application),
    )

    decision = read(chief, application)["decision"]

    assert "Deny , proposed by Grace User" in decision
    assert "It is a parking lot." in decision
    assert "The business or a person could not be verified." in decision
    assert "Every denial needs a second person." in decision
    assert evidence.compute_digest(application)[:12] in decision
    assert "Voided" not in decision


def test_a_proposal_on_other_data_is_void(application, make_proposal, chief):
    make_proposal(application, kind=ProposalKind.DENY)

    decision = read(chief, application)["decision"]

    assert "void because data has changed since." in decision
    assert "Reject the proposal" in decision
    assert "Confirm the proposal" not in decision


def test_the_timeline_has_everything_newest_first(application, make_event, make_user, chief):
    staff = make_user(user_type="STAFF", first_name="Lee", last_name="Okafor")
    make_event(application, EventType.CREATED, by=PARTNER, at=later(minutes=1))
    reviewer = Actor("REVIEWER", str(staff.external_id))
    make_event(application, EventType.CLAIMED, by=reviewer, at=later(minutes=2))
    mail(application, MailKind.MESSAGE, later(minutes=3))
    deliver(application, later(minutes=4))

    timeline = read(chief, application)["timeline"]

    titles = ["Webhook: Review began", "Mail: Message", "Case claimed", "Application created"]
    assert sorted(titles, key=timeline.index) == titles
    assert "2 attempts; timeout https://hooks.example.com/" in timeline.replace("Given up ", "")
    assert "Lee Okafor" in timeline


@pytest.mark.parametrize(
    ("status", "shown"), [("ACTIVE", "To be sent"), ("DISABLED", "Held: webhook disabled")]
)
def test_the_timeline_says_which_deliveries_are_held(application, chief, status, shown):
    deliver(application, NOON)
    Delivery.objects.update(status="PENDING", next_attempt_at=NOON, finished_at=None)
    Webhook.objects.update(status=status)

    assert shown in read(chief, application)["timeline"]


@pytest.mark.parametrize(
    ("show", "shown", "hidden"),
    [
        ("partner", "Application created", "Checks run"),
        ("checks", "Checks run", "Application created"),
        ("documents", "Document received", "Checks run"),
        ("webhooks", "Webhook:", "Application created"),
        ("mails", "Mail:", "Webhook:"),
        ("nonsense", "Mail:", "No entries of this kind"),
    ],
)
def test_a_link_shows_one_kind_of_the_timeline(application, make_event, chief, show, shown, hidden):
    make_event(application, EventType.CREATED, by=PARTNER)
    make_event(application, EventType.CHECKED, by=CHECKS)
    make_event(application, EventType.DOCUMENT_RECEIVED)
    mail(application, MailKind.MESSAGE, NOON)
    deliver(application, NOON)

    timeline = read(chief, application, f"?show={show}")["timeline"]

    assert shown in timeline
    assert hidden not in timeline


def test_an_event_names_the_request_that_caused_it(application, make_event, chief, monkeypatch):
    monkeypatch.setattr(spans, "get_contextvars", lambda: {"request_id": "req-42"})
    make_event(application, EventType.CREATED, by=PARTNER)

    assert "Partner Request req-42" in read(chief, application)["timeline"]


def test_earlier_attempts_are_told_apart_and_linked(
    application, make_application, make_event, chief
):
    make_event(application, EventType.CREATED, by=PARTNER)
    application.is_current = False
    application.save()
    second = make_application(application.lead, attempt=2)

    page = chief.get(path_of(second)).content.decode()

    assert "Attempt 1" in words(page[page.index('id="timeline"') :])
    assert f'href="{path_of(application)}">attempt 1</a>' in page


def test_who_may_view_applications_only_sees_nothing_of_the_rest(application, make_staff):
    bare = {"about", "decision", "timeline"}

    assert set(read(make_staff("view_application"), application)) == bare
    data = {"business", "people", "answers", "checklist", "documents", "related"}
    assert set(read(make_staff(*DATA), application)) == bare | data
    assert make_staff("view_lead").get(path_of(application)).status_code == 403


def test_nothing_is_changed_on_the_page_itself(application, chief):
    assert chief.post(path_of(application)).status_code == 405
    assert chief.get(path_of(application).replace("change", "approve")).status_code == 405


def test_the_page_takes_a_bounded_number_of_statements(
    application,
    make_owner,
    make_document,
    make_check_run,
    make_check,
    make_event,
    make_proposal,
    make_note,
    make_user,
    make_lead,
    count_queries,
):
    def add(times):
        run = make_check_run(application)
        hit = {"entry": 7, "name": "A", "score": 95, "programs": "", "matched": "A", "of": "PERSON"}
        for number in range(times):
            other = make_lead()
            owner = make_owner(application.lead, ssn=f"123-45-{number:04}")
            for _ in range(2):
                make_document(application.lead, owner=owner)
            found = {"customer_ids": [str(other.external_id)], "hits": [hit]}
            make_check(run, code=CheckCode.SANCTIONS, ubo_id=owner.external_id, details=found)
            make_note(application)
            for _ in range(10):
                make_event(application, EventType.LINK_REPLACED, by=PARTNER)

    staff = make_user(user_type="STAFF")
    make_event(application, EventType.CLAIMED, by=Actor("REVIEWER", str(staff.external_id)))
    add(1)
    add(1)
    make_proposal(application)
    deliver(application, NOON)
    few = count_queries(path_of(application))

    add(9)

    assert count_queries(path_of(application)) <= few <= 45


def mail(application, kind, at):
    Mail.objects.create(
        application=application,
        kind=kind,
        language="en",
        status="SENT",
        sent_at=at,
        due_at=at,
        created_at=at,
    )


def deliver(application, at):
    """Write down that a webhook of the partner could not be told of the review."""
    event = factories.make_event(application, EventType.IN_REVIEW, at=later(days=-9))
    lead = application.lead
    publication = Publication.objects.create(
        partner=lead.partner,
        lead=lead,
        event=event,
        type=event.type,
        body="{}",
        published_at=at,
    )
    lane = Lane.objects.create(webhook=factories.make_webhook(lead.partner), lead=lead)
    Delivery.objects.create(
        lane=lane,
        publication=publication,
        status="FAILED",
        attempts=2,
        fault="timeout",
        created_at=at,
        finished_at=at,
    )


def test_a_case_that_is_not_there_is_not_found(chief):
    assert chief.get("/admin/onboarding/application/4711/change/").status_code == 404
    assert chief.get("/admin/onboarding/application/nonsense/change/").status_code == 404


def test_the_pages_of_lead_and_owner_lead_to_the_case(application, make_owner, chief):
    owner = make_owner(application.lead)

    for page in (f"lead/{application.lead_id}", f"owner/{owner.pk}"):
        text = chief.get(f"/admin/onboarding/{page}/change/").content.decode()
        assert f'<a class="step" href="{path_of(application)}">Open the case</a>' in text
