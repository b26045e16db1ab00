"""What staff tick."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckResult, CheckSource
from onboarding.queries.leads import open_lead_file
from onboarding.screening.manual import ITEMS, ask_staff
from tests.factories import later, make_check, make_check_run, make_user
from tests.onboarding.services.leads.test_submissions import make_complete

pytestmark = pytest.mark.django_db


@pytest.fixture
def ticked():
    """Return an application of which staff have ticked the first two items, the second badly."""
    application = make_complete()
    type(application.lead).objects.update(updated_at=later(days=-1))
    application.lead.refresh_from_db()
    run = make_check_run(application)
    values = {"source": CheckSource.MANUAL, "by": make_user()}
    make_check(run, code=ITEMS[0], result=CheckResult.PASS, note="Called.", **values)
    make_check(run, code=ITEMS[1], result=CheckResult.FAIL, note="Not in it.", **values)
    return application


def check(application):
    return ask_staff(open_lead_file(application))


def test_each_item_is_to_be_confirmed():
    findings = check(make_complete())

    assert [finding.code for finding in findings] == ITEMS
    assert {(one.result, one.leads_to, one.note, one.by) for one in findings} == {
        (CheckResult.WARN, Status.IN_REVIEW, "To be confirmed by staff.", None)
    }


def test_what_was_ticked_holds_on(ticked):
    first, second, third, _ = check(ticked)

    assert (first.result, first.leads_to, first.note) == (CheckResult.PASS, None, "Called.")
    assert (second.result, second.leads_to) == (CheckResult.FAIL, Status.IN_REVIEW)
    assert first.by == second.by is not None
    assert third.by is None


def test_what_was_ticked_of_other_data_does_not(ticked):
    ticked.lead.updated_at = later(days=1)

    assert {finding.by for finding in check(ticked)} == {None}
