"""Duplicates: others are counted and named by their ids, and by nothing else."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult
from onboarding.queries.leads import open_lead_file
from onboarding.screening.duplicates import check_duplicates
from tests.factories import make_document, make_lead, make_owner
from tests.onboarding.services.leads.test_submissions import make_complete, make_complete_owner

pytestmark = pytest.mark.django_db


def check(application):
    return list(check_duplicates(open_lead_file(application)))


def test_who_is_alone_passes():
    findings = check(make_complete())

    assert [finding.code for finding in findings] == [
        CheckCode.DUPLICATE_SSN,
        CheckCode.DUPLICATE_EIN,
        CheckCode.DUPLICATE_DOCUMENT,
    ]
    assert {finding.result for finding in findings} == {CheckResult.PASS}


def test_the_same_ssn_warns_of_whom_it_is():
    application = make_complete(ssn="123456789")
    owner = make_complete_owner(application.lead, ssn="223456789")
    other = make_lead(ssn="223-45-6789")
    another = make_owner(ssn="223456789").lead

    applicants, owners, *_rest = check(application)

    assert (applicants.result, applicants.person) == (CheckResult.PASS, application.lead)
    assert (owners.result, owners.leads_to) == (CheckResult.WARN, Status.IN_REVIEW)
    assert (owners.person, owners.note) == (owner, "2 other leads.")
    ids = [str(other.external_id), str(another.external_id)]
    assert owners.details == {"customer_ids": ids, "count": 2}


def test_the_same_file_warns():
    application = make_complete()
    make_document(application.lead, sha256="a" * 64)
    make_document(make_lead(), sha256="a" * 64)

    *_others, finding = check(application)

    assert (finding.code, finding.note) == (CheckCode.DUPLICATE_DOCUMENT, "One other lead.")
    assert finding.result == CheckResult.WARN
