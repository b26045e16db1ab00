import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckResult
from onboarding.models import Application, Lead, Owner
from onboarding.queries.leads import LeadFile
from onboarding.screening.sandbox import check_serials


def check(lead, *owners):
    return check_serials(LeadFile(Application(lead=lead), list(owners), [], [], []))


@pytest.mark.parametrize(
    ("serial", "target"),
    [
        ("0001", Status.DENIED),
        ("0002", Status.DOCUMENTS_REQUIRED),
        ("0003", Status.ID_VERIFICATION),
        ("0004", Status.IN_REVIEW),
        ("0007", Status.APPROVED_TEMPORARY),
        ("6789", None),
        ("0005", None),
    ],
)
def test_the_serial_of_the_ssn_says_where_to(serial, target):
    (finding,) = check(Lead(ssn=f"12345{serial}"))

    assert finding.leads_to == target


def test_only_a_denial_is_a_failure():
    results = [check(Lead(ssn=f"12345000{digit}"))[0].result for digit in (1, 2, 3, 4, 5, 7)]

    assert results == [
        CheckResult.FAIL,
        *[CheckResult.WARN] * 3,
        CheckResult.PASS,
        CheckResult.WARN,
    ]


def test_each_person_is_checked_and_named():
    lead, owner = Lead(ssn="123456789"), Owner(ssn="123450003")

    findings = check(lead, owner, Owner())

    assert [(one.person, one.leads_to) for one in findings[:2]] == [
        (lead, None),
        (owner, Status.ID_VERIFICATION),
    ]
    assert findings[2].result == CheckResult.PASS


def test_a_note_holds_no_more_of_an_ssn_than_may_be_shown():
    (finding,) = check(Lead(ssn="123450003"))

    assert finding.note == "serial 0003"
