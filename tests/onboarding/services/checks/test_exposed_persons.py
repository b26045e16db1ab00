"""Politically exposed persons: judged like other hits; confirmed ones make the risk high."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult, HitStatus, ListCode, Risk
from onboarding.models import Application, Lead
from onboarding.queries.leads import open_lead_file
from onboarding.queries.screening_hits import count_open
from onboarding.screening.sanctions import check_sanctions
from onboarding.services.checks import staff_checks
from onboarding.services.reviews import hit_judgements
from tests.factories import later
from tests.onboarding.cases import make_reviewer
from tests.onboarding.hits import clear, reload, seen
from tests.onboarding.list_files import load_other
from tests.onboarding.sanctions_files import load
from tests.onboarding.services.checks.submitted import complete, give, screen


@pytest.fixture
def case(submitted, in_production, ada, tmp_path):
    """Return a case of Ada's whose applicant resembles an exposed person, and nobody else."""
    load(tmp_path, sdn=SMITH, addresses=None, aliases=None)
    load_other(tmp_path, ListCode.PEP)
    application = submitted(first_name="Grace", last_name="Quorndon")
    complete(application)
    screen()
    Lead.objects.update(updated_at=later(days=-1))
    give(application, ada)
    return reload(application)


SMITH = ('1,"SMITHEREEN, Wilbur","individual","SDGT",' + ",".join(["-0- "] * 8),)


def judge(case, ada, verdict=HitStatus.CONFIRMED):
    hit = case.lead.screening_hits.get()
    said = {"hits": seen(hit), "reason": "The same.", "by": ada, "at": later()}
    hit_judgements.judge(case, verdict, **said)


def test_an_exposed_person_is_a_check_of_its_own(case):
    sanctions, exposed = check_sanctions(open_lead_file(case))

    assert (sanctions.code, sanctions.result) == (CheckCode.SANCTIONS, CheckResult.PASS)
    assert (exposed.code, exposed.leads_to) == (CheckCode.PEP, Status.IN_REVIEW)
    hit = case.lead.screening_hits.get()
    assert (hit.list_code, hit.is_pep, hit.is_open) == ("PEP", True, True)


def test_an_exposed_person_blocks_until_it_is_judged(case, ada):
    before, risk = count_open(case.lead), case.risk

    judge(case, ada)

    assert (before, count_open(case.lead)) == (1, 0)
    assert (risk, reload(case).risk) == (Risk.LOW, Risk.HIGH)


def test_the_risk_stays_high_in_later_checks(case, ada):
    judge(case, ada)

    staff_checks.rerun(reload(case), by=ada, at=later(hours=2))

    found = reload(case)
    assert found.risk == Risk.HIGH
    assert [one["factor"] for one in found.risk_reasons] == ["PEP"]


def test_the_risk_stays_high_in_later_checks_that_compare_no_names(case, ada, settings):
    judge(case, ada)
    settings.CHECK_PROVIDERS = ["MANUAL"]

    staff_checks.rerun(reload(case), by=ada, at=later(hours=2))

    assert reload(case).check_runs.latest("number").sanctions_list == ""
    assert reload(case).risk == Risk.HIGH


def test_an_inconclusive_exposed_person_blocks(case, ada):
    judge(case, ada, HitStatus.INCONCLUSIVE)

    assert count_open(case.lead) == 1
    assert reload(case).risk == Risk.LOW


def test_two_people_clear_an_exposed_person_and_the_risk_is_as_before(case, ada):
    judge(case, ada)
    bob = make_reviewer("decide_application", "confirm_application")

    clear(case, case.lead.screening_hits.get(), by=ada, second=bob, at=later(minutes=30))

    found = Application.objects.get(pk=case.pk)
    assert (found.risk, found.risk_points, found.risk_reasons) == (Risk.LOW, 0, [])
