"""Rows of screening hits: every pair is kept, and its verdict until a side changes."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import HitStatus, ProposalKind, ProposalStatus
from onboarding.event_types import EventType
from onboarding.models import Application, HitJudgement, Lead
from onboarding.queries import audit
from onboarding.queries.screening_hits import count_open
from onboarding.services.checks import screening_hits, screenings, staff_checks
from onboarding.services.reviews import hit_judgements, proposals
from tests.factories import later, make_owner
from tests.onboarding.cases import make_reviewer
from tests.onboarding.hits import clear, propose_clearing, reload, seen, statuses, types
from tests.onboarding.sanctions_files import SDN, load, recheck
from tests.onboarding.services.checks.submitted import complete, give, screen

ANA = SDN[3]
MANY = [
    *SDN,
    *(ANA.replace("4001", str(number)).replace("ÑAKAR", f"ÑAKAR {number}") for number in range(9)),
]


@pytest.fixture
def case(submitted, in_production, ada, tmp_path):
    """Return a case of Ada's whose applicant resembles entry 4001."""
    load(tmp_path)
    application = submitted(first_name="Ana", last_name="Perez Nakar")
    complete(application)
    screen()
    Lead.objects.update(updated_at=later(days=-1))
    give(application, ada)
    return reload(application)


@pytest.fixture
def bob(db):
    return make_reviewer("decide_application", "confirm_application")


def rerun(case, ada, at):
    staff_checks.rerun(reload(case), by=ada, at=at)


def test_every_hit_is_a_row(submitted, in_production, tmp_path):
    load(tmp_path, sdn=MANY)
    application = submitted(first_name="Ana", last_name="Perez Nakar")

    screen()

    hits = application.lead.screening_hits.all()
    assert len(hits) == 10
    hit = hits.get(entry_number=4001)
    assert (hit.subject, hit.party_id) == ("PERSON", application.lead.external_id)
    assert (hit.score, hit.entry["kind"]) == (100, "individual")
    assert hit.entry["names"] == ["PÉREZ-ÑAKAR, Ana"]
    assert types(application) == [EventType.HITS_FOUND]


def test_hits_of_owners_and_of_the_business_have_their_parties(submitted, tmp_path):
    load(tmp_path)
    application = submitted(business_name="Quillon Trading Company LLC")
    owner = make_owner(application.lead, first_name="Ibrahim", last_name="Zarquonian")

    screen()

    found = set(application.lead.screening_hits.values_list("party_id", "subject", "entry_number"))
    assert (application.lead.external_id, "BUSINESS", 36) in found
    assert (owner.external_id, "PERSON", 2674) in found


def test_a_cleared_pair_stays_cleared_in_a_repeated_check_and_with_a_new_list(
    case, ada, bob, tmp_path
):
    clear(case, *case.lead.screening_hits.all(), by=ada, second=bob)

    rerun(case, ada, later(hours=2))
    load(tmp_path, sdn=[*SDN, SDN[0].replace("36", "37", 1)], at=later(days=2))
    list(recheck(at=later(days=3)))

    assert case.check_runs.count() == 3
    assert statuses(case) == {4001: HitStatus.FALSE_POSITIVE}


def test_a_changed_entry_reopens_a_cleared_pair_and_says_why(case, ada, bob, tmp_path):
    clear(case, *case.lead.screening_hits.all(), by=ada, second=bob)
    born = ANA.rpartition("-0-")[0] + '"DOB 04 May 1979."'
    load(tmp_path, sdn=[*SDN[:3], born, *SDN[4:]], at=later(days=2))

    list(recheck(at=later(days=3)))

    hit = case.lead.screening_hits.get()
    assert (hit.status, hit.judgement) == (HitStatus.UNREVIEWED, None)
    assert (hit.note, hit.entry["remarks"]) == (screening_hits.ENTRY_CHANGED, "DOB 04 May 1979.")
    assert types(case)[-1] == EventType.HITS_REOPENED


def test_changed_facts_of_the_customer_reopen_a_cleared_pair(case, ada, bob):
    clear(case, *case.lead.screening_hits.all(), by=ada, second=bob)
    Lead.objects.filter(pk=case.lead_id).update(birth_date="1952-01-01")

    rerun(case, ada, later(hours=2))

    hit = case.lead.screening_hits.get()
    assert (hit.status, hit.note) == (HitStatus.UNREVIEWED, screening_hits.PARTY_CHANGED)


def test_a_pair_that_was_cleared_before_it_had_digests_is_judged_again(case, ada, bob):
    case.lead.screening_hits.update(party_digest="", entry_digest="", entry={})  # of a migration
    clear(case, *case.lead.screening_hits.all(), by=ada, second=bob)
    Lead.objects.filter(pk=case.lead_id).update(birth_date="1952-01-01")

    rerun(case, ada, later(hours=2))

    hit = case.lead.screening_hits.get()
    assert (hit.status, hit.note) == (HitStatus.UNREVIEWED, screening_hits.NOT_COMPARED)


def test_facts_that_identify_nobody_reopen_nothing(case, ada, bob):
    clear(case, *case.lead.screening_hits.all(), by=ada, second=bob)
    Lead.objects.filter(pk=case.lead_id).update(title="CEO", phone_number="+12025550199")

    rerun(case, ada, later(hours=2))

    assert statuses(case) == {4001: HitStatus.FALSE_POSITIVE}


def test_another_key_of_the_indexes_reopens_nothing(case, ada, bob, settings):
    clear(case, *case.lead.screening_hits.all(), by=ada, second=bob)
    old = settings.PII_INDEX_KEYS
    settings.PII_INDEX_KEYS = f"new:{'7' * 64},{old}"

    rerun(case, ada, later(hours=2))

    assert statuses(case) == {4001: HitStatus.FALSE_POSITIVE}
    assert case.lead.screening_hits.get().party_digest.startswith("new.")


def test_a_changed_side_voids_a_proposed_clearing(case, ada):
    [made] = propose_clearing(case, *case.lead.screening_hits.all(), by=ada)
    Lead.objects.filter(pk=case.lead_id).update(birth_date="1952-01-01")

    rerun(case, ada, later(hours=2))

    made.refresh_from_db()
    assert (made.status, made.settled_note) == ("VOIDED", screening_hits.PARTY_CHANGED)
    assert types(case)[-1] == EventType.CLEARING_ENDED
    assert list(audit.find_faults()) == []
    HitJudgement.objects.update(settled_note="Another note.")
    [finding] = audit.find_faults()
    assert finding.fault.startswith("is about rows that were changed")


def test_a_pair_that_is_gone_blocks_nothing_and_is_known_if_it_comes_back(case, ada, bob):
    clear(case, *case.lead.screening_hits.all(), by=ada, second=bob)
    Lead.objects.filter(pk=case.lead_id).update(last_name="Miller")
    rerun(case, ada, later(hours=2))
    gone = case.lead.screening_hits.get().is_current
    Lead.objects.filter(pk=case.lead_id).update(last_name="Perez Nakar")

    rerun(case, ada, later(hours=2, minutes=5))

    hit = case.lead.screening_hits.get()
    assert (gone, hit.is_current, hit.status) == (False, True, HitStatus.FALSE_POSITIVE)


def test_a_confirmed_match_goes_on_blocking_under_another_name(case, ada, bob):
    hit = case.lead.screening_hits.get()
    hit_judgements.judge(
        case, HitStatus.CONFIRMED, hits=seen(hit), reason="The same.", by=ada, at=later()
    )
    Lead.objects.filter(pk=case.lead_id).update(last_name="Miller")

    rerun(case, ada, later(hours=2))

    blocked = (statuses(case), count_open(case.lead))
    clear(case, case.lead.screening_hits.get(), by=ada, second=bob, at=later(hours=3))
    assert blocked == ({4001: HitStatus.CONFIRMED}, 1)
    assert count_open(case.lead) == 0


def test_a_repeated_check_with_the_same_result_voids_no_proposal(case, ada, tmp_path):
    proposal = proposals.decide(
        case, ProposalKind.DENY, reasons=["NOT_VERIFIED"], internal_text="x", by=ada, at=later()
    )
    longer = [*SDN[:3], ANA.replace("SDNT", "SDNT] [SDGT"), *SDN[4:]]
    load(tmp_path, sdn=[*longer, SDN[0].replace("36", "37", 1)], at=later(days=2))

    list(recheck(at=later(days=3)))

    proposal.refresh_from_db()
    assert (case.check_runs.count(), proposal.status) == (2, ProposalStatus.OPEN)


@pytest.mark.parametrize("policy", ["clear", "despite-warnings"])
def test_no_policy_approves_a_case_with_a_hit(submitted, settings, policy, tmp_path):
    settings.CHECK_PROVIDERS, settings.AUTO_APPROVAL = ["BUILT_IN"], policy
    load(tmp_path)
    application = submitted(first_name="Ana", last_name="Perez Nakar")
    complete(application)

    screenings.screen(reload(application), at=later())

    assert Application.objects.get().status == Status.IN_REVIEW
