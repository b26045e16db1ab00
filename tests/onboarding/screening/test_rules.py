"""The built-in rules, one by one."""

from datetime import date

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult, HolderKind, RiskFactor
from onboarding.models import Holder, RiskRule
from onboarding.queries.leads import open_lead_file
from onboarding.queries.risks import get_risk_table
from onboarding.screening import rules
from tests.factories import NOON, make_document
from tests.onboarding.services.leads.test_submissions import make_complete, make_complete_owner

pytestmark = pytest.mark.django_db
PASS, WARN, FAIL = CheckResult.PASS, CheckResult.WARN, CheckResult.FAIL


def make_file(**values):
    return open_lead_file(make_complete(**values))


def with_owner(lead_values=None, **values):
    application = make_complete(**(lead_values or {}))
    application.lead.refresh_from_db()
    make_complete_owner(application.lead, **values)
    return open_lead_file(application)


def fresh(file):
    """Return the file as the database has it."""
    file.application.lead.refresh_from_db()
    return open_lead_file(file.application)


def test_the_same_data_give_the_same_findings():
    file = fresh(with_owner())

    first, second = rules.check_by_rules(file), rules.check_by_rules(fresh(file))

    assert first == second
    assert [one.code for one in first] == [
        CheckCode.COMPLETENESS,
        *[CheckCode.AGES] * 2,
        CheckCode.OWNERSHIP,
        CheckCode.CONTROL_PERSON,
        CheckCode.NAICS,
        CheckCode.DOCUMENTS,
        *[CheckCode.DUPLICATE_SSN] * 2,
        CheckCode.DUPLICATE_EIN,
        CheckCode.DUPLICATE_DOCUMENT,
        *[CheckCode.SANCTIONS] * 2,
    ]


def test_what_is_missing_is_named():
    assert rules.check_completeness(make_file()).result == PASS

    finding = rules.check_completeness(
        make_file(ein="", edd_answers=[{"question": "Whose money is it?", "answer": ""}])
    )

    assert (finding.result, finding.leads_to) == (WARN, Status.IN_REVIEW)
    assert finding.details == {"missing": ["EIN_MISSING", "EDD_ANSWER_MISSING"]}


@pytest.mark.parametrize(
    ("born", "result", "leads_to"),
    [
        (date(2008, 3, 2), PASS, None),
        (date(2008, 3, 3), FAIL, Status.DENIED),
        (date(1905, 3, 3), PASS, None),
        (date(1905, 3, 2), WARN, Status.IN_REVIEW),
        (None, WARN, Status.IN_REVIEW),
    ],
)
def test_an_applicant_is_of_age_on_the_day_of_the_submission(born, result, leads_to):
    file = make_file(birth_date=born)
    file.application.submitted_at = NOON

    (finding,) = rules.check_ages(file)

    assert (finding.result, finding.leads_to) == (result, leads_to)
    assert finding.person == file.application.lead


def test_another_owner_who_is_under_age_is_for_staff_to_judge():
    _, finding = rules.check_ages(fresh(with_owner(birth_date="2015-01-01")))

    assert (finding.result, finding.leads_to) == (WARN, Status.IN_REVIEW)


@pytest.mark.parametrize(
    ("applicants", "owners", "result"),
    [(60, 40, PASS), (60, 41, WARN), (0, 0, WARN), (1, 0, PASS), ("33.3333", "66.6667", PASS)],
)
def test_shares_add_up_to_no_more_than_the_whole(applicants, owners, result):
    file = with_owner({"ownership_percent": applicants}, ownership_percent=owners)

    finding = rules.check_ownership(fresh(file))

    assert finding.result == result
    assert finding.note.startswith("The shares add up to ")


@pytest.mark.parametrize(
    ("applicants", "trusts", "result", "note"),
    [
        (0, 100, PASS, "The shares add up to 100%."),
        (40, 30, PASS, "The shares add up to 70%."),
        (70, 31, WARN, "The shares add up to 101%."),
    ],
)
def test_shares_of_trusts_and_companies_are_added(applicants, trusts, result, note):
    lead = fresh(make_file(ownership_percent=applicants)).lead
    values = {"lead": lead, "kind": HolderKind.TRUST, "created_at": NOON}
    trust = Holder.objects.create(name="Family Trust", share_percent=trusts, **values)
    Holder.objects.create(name="Behind LLC", share_percent=60, parent=trust, **values)
    trust.stakes.create(share_percent=40)

    finding = rules.check_ownership(open_lead_file(lead.applications.get()))

    assert (finding.result, finding.note) == (result, note)


def test_one_person_controls_the_business():
    assert rules.check_control_person(make_file()).note == "Nobody is marked: it is the applicant."
    assert rules.check_control_person(make_file(is_control_person=True)).result == PASS

    finding = rules.check_control_person(
        with_owner({"is_control_person": True}, is_control_person=True)
    )

    assert (finding.result, finding.note) == (WARN, "2 people are marked.")


@pytest.mark.parametrize(
    ("code", "result", "leads_to"),
    [
        ("541511", PASS, None),
        ("713210", FAIL, Status.DENIED),
        ("7132", FAIL, Status.DENIED),
        ("713", WARN, Status.IN_REVIEW),
        ("71", WARN, Status.IN_REVIEW),
        ("54", PASS, None),
        ("999999", WARN, Status.IN_REVIEW),
        ("", WARN, Status.IN_REVIEW),
    ],
)
def test_the_bank_serves_the_industry(code, result, leads_to):
    finding = rules.check_naics(code, get_risk_table())

    assert (finding.result, finding.leads_to) == (result, leads_to)


def test_staff_say_which_industries_are_refused():
    RiskRule.objects.filter(factor=RiskFactor.NAICS).delete()
    RiskRule.objects.create(
        factor=RiskFactor.NAICS, value="5415", is_prohibited=True, reason="Software."
    )

    finding = rules.check_naics("541511", get_risk_table())

    assert (finding.result, finding.note) == (FAIL, "541511: Software.")
    assert rules.check_naics("713210", get_risk_table()).result == PASS


def test_documents_that_are_missing_are_asked_for():
    application = make_complete()

    finding = rules.check_documents(open_lead_file(application))

    assert (finding.result, finding.leads_to) == (WARN, Status.DOCUMENTS_REQUIRED)
    assert finding.details == {"missing": ["ARTICLES_OF_ORGANIZATION", "IRS_EIN_LETTER"]}

    for kind in finding.details["missing"]:
        make_document(application.lead, llc_file_type=kind)

    assert rules.check_documents(open_lead_file(application)).result == PASS
