"""The page of an application: what is missing, what was asked for, what was signed."""

import re

import pytest
from django.contrib import admin

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, EventType, LegalText
from onboarding.models import AccessCode, Consent, Document, FlowSession
from onboarding.queries.leads import open_lead_file
from onboarding.services import history
from onboarding.services.history import PARTNER
from tests.factories import NOON, later


@pytest.fixture
def application(make_lead, make_application):
    """An application of an LLC that waits for documents, one of them staff's wish."""
    lead = make_lead(business_type="LLC", business_name="Harbor Coffee")
    request = {
        "llc_file_type": "UTILITY_BILL",
        "reason": "The address is not that of the lease.",
        "requested_at": NOON.isoformat(),
    }
    return make_application(
        lead,
        status=Status.DOCUMENTS_REQUIRED,
        submitted_at=later(days=-1),
        document_requests=[request],
    )


@pytest.fixture
def sign(application):
    def sign(text, **values):
        values = {"version": "2026-01", "language": "es", "signed_name": "Ada Byron", **values}
        Consent.objects.create(application=application, text=text, agreed_at=NOON, **values)

    return sign


def path_of(application):
    return f"/admin/onboarding/application/{application.pk}/change/"


def cards(client, application):
    """Return the words of each card of rows, by its title."""
    page = client.get(path_of(application)).content.decode()
    found = re.findall(
        r'<section class="card rows">\s*<h2>(.*?)(?:\s<span|</h2>)(.*?)</section>', page, re.S
    )
    return {title: re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body)) for title, body in found}


def test_what_is_missing_is_what_partner_and_applicant_are_told(application, chief):
    missing = cards(chief, application)["Still missing"]

    requirements = open_lead_file(application).requirements
    assert len(requirements) > 8
    for requirement in requirements:
        assert str(requirement.message) in missing
    assert "IRS EIN letter or IRS SS-4 document" in missing
    assert "May 1, 2026" in missing


def test_staff_read_why_a_file_could_not_be_fetched(application, chief):
    Document.objects.create(
        lead=application.lead,
        source_url="https://files.example.com/a.pdf?signature=s3cr3t",
        status=DocumentStatus.NOT_FETCHED,
        status_reason="connection refused",
        uploaded_at=later(days=1),
    )

    missing = cards(chief, application)["Still missing"]

    assert "a.pdf could not be fetched from files.example.com: connection refused" in missing
    assert "Any kind" in missing
    assert "s3cr3t" not in missing


def test_what_staff_asked_for_is_listed_with_its_reason(application, chief):
    asked = cards(chief, application)["Documents asked for"]

    assert "Utility bill The address is not that of the lease. The applicant Mar 2, 2026" in asked


def test_whose_document_is_wanted_is_named(application, make_owner, chief):
    owner = make_owner(application.lead, first_name="Grace", last_name="Hopper")
    application.document_requests[0]["ubo_id"] = str(owner.external_id)
    application.save()

    assert "Grace Hopper" in cards(chief, application)["Documents asked for"]
    owner.delete()
    assert "An owner who was removed" in cards(chief, application)["Documents asked for"]


def test_consents_have_version_language_and_name(application, sign, chief):
    assert "has not signed yet" in cards(chief, application)["Consents"]

    sign(LegalText.OWNERSHIP_CERTIFICATION)

    consents = cards(chief, application)["Consents"]
    assert "Certification of beneficial owners 2026-01 es Ada Byron Mar 2, 2026" in consents


def test_the_facts_say_when_it_was_submitted_and_when_it_expires(application, chief):
    page = chief.get(path_of(application)).content.decode()

    facts = dict(re.findall(r'fact-(\w+)">\s*<dt>.*?</dt>\s*<dd>(.*?)</dd>', page, re.S))
    assert "March 1, 2026" in facts["submitted_at"]
    assert "May 1, 2026" in facts["expires_at"]


def test_who_may_view_applications_only_sees_nothing_of_the_rest(application, sign, make_staff):
    sign(LegalText.PRIVACY_NOTICE)

    assert cards(make_staff("view_application"), application) == {}
    assert set(cards(make_staff("view_application", "view_consent"), application)) == {"Consents"}


def test_the_page_takes_as_many_statements_for_many_rows(
    application, sign, make_owner, make_document, count_queries
):
    def add(times):
        for minutes in range(times):
            at = later(minutes=minutes)
            history.record(application, EventType.LINK_REPLACED, by=PARTNER, at=at)
            make_owner(application.lead)
            make_document(application.lead)
            application.document_requests.append(dict(application.document_requests[0]))
        application.save()

    add(2)
    sign(LegalText.PRIVACY_NOTICE)
    few = count_queries(path_of(application))

    add(15)
    sign(LegalText.ACCOUNT_AGREEMENT)

    assert count_queries(path_of(application)) == few


def test_codes_and_sessions_of_applicants_have_no_screen():
    assert not any(map(admin.site.is_registered, [AccessCode, FlowSession]))
