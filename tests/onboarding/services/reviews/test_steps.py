"""The steps that staff may take follow from permissions, status, claim and proposal."""

import pytest

from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult, CheckSource, Risk
from onboarding.event_types import EventType
from onboarding.models import Application, Lead
from onboarding.services.reviews import steps
from tests.factories import (
    later,
    make_check,
    make_check_run,
    make_event,
    make_owner,
    make_proposal,
)
from tests.onboarding.cases import (
    load,
    make_case,
    make_checked_case,
    make_reviewer,
)

LATER = later(minutes=5)


def names(case, user, at=LATER):
    user = User.objects.get(pk=user.pk)  # whose permissions are not cached
    return [move.name for move in steps.list_moves(load(case), user=user, at=at)]


def test_a_free_case_is_claimed_first(ada):
    assert names(make_case(), ada) == ["claim", "reassign"]


def test_a_case_of_somebody_else_is_left_to_them(ada, bob):
    case = make_case(by=bob)

    assert names(case, ada) == ["reassign"]
    assert names(case, ada, at=later(minutes=30)) == ["claim", "reassign"]


def test_whoever_has_a_case_in_review_may_do_everything(ada):
    assert names(make_checked_case(by=ada), ada) == [
        "release",
        "reassign",
        "escalate",
        "request_documents",
        "request_identity",
        "verify_identities",
        "rerun_checks",
        "approve",
        "approve_temporarily",
        "deny",
    ]


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (Status.CREATED, []),
        (Status.IN_PROGRESS, []),
        (Status.SUBMITTED, ["release", "reassign", "escalate"]),
        (Status.ID_VERIFICATION, ["release", "reassign", "escalate", "rerun_checks"]),
        (Status.DOCUMENTS_REQUIRED, ["release", "reassign", "escalate", "rerun_checks"]),
        (
            Status.APPROVED_TEMPORARY,
            ["release", "reassign", "escalate", "rerun_checks", "approve", "deny"],
        ),
        (Status.APPROVED, []),
        (Status.DENIED, ["release", "reassign", "escalate", "reopen"]),
        (Status.EXPIRED, []),
        (Status.WITHDRAWN, []),
    ],
)
def test_the_status_says_what_may_be_done(ada, status, expected):
    assert names(make_checked_case(status, by=ada), ada) == expected


def test_an_older_attempt_offers_nothing(ada):
    case = make_case(by=ada)
    Application.objects.update(is_current=False)

    assert names(case, ada) == []


def test_a_viewer_may_do_nothing(make_user):
    assert names(make_case(), make_user(user_type="STAFF")) == []


def test_a_reviewer_who_may_not_decide_is_offered_no_decision(db):
    reviewer = make_reviewer()

    offered = names(make_case(by=reviewer), reviewer)

    assert offered[0] == "release"
    assert not {"approve", "deny", "reassign"} & set(offered)


def test_a_proposal_is_settled_before_the_next(ada, bob):
    case = make_case(by=ada)
    make_proposal(case, proposed_by=ada)

    mine, others = names(case, ada), names(case, bob)

    assert "withdraw" in mine
    assert not {"confirm", "refuse", "approve", "deny"} & set(mine)
    assert others == ["reassign", "confirm", "refuse"]


def test_who_may_not_confirm_is_not_asked_to(ada):
    case = make_case(by=ada)
    make_proposal(case, proposed_by=ada)

    assert names(case, make_reviewer()) == []


def test_decisions_say_why_they_need_two(ada):
    case = make_checked_case(by=ada)
    Application.objects.update(risk=Risk.HIGH)

    offered = steps.list_moves(load(case), user=ada, at=LATER)

    why = {move.name: move.needs_second for move in offered if move.needs_second}
    assert why == {
        "approve": ["The risk is high."],
        "approve_temporarily": ["The risk is high."],
        "deny": ["Every denial needs a second person."],
    }


def test_nothing_is_approved_while_staff_have_to_check(ada):
    case = make_case(by=ada)
    by_hand = {"source": CheckSource.MANUAL, "code": CheckCode.ADDRESS_CONFIRMED}
    make_check(make_check_run(case), result=CheckResult.WARN, **by_hand)

    offered = names(case, ada)

    assert "deny" in offered
    assert not {"approve", "approve_temporarily"} & set(offered)


def test_nothing_is_approved_on_checks_that_something_overtook(ada):
    unchecked, answered = make_case(by=ada), make_checked_case(by=ada)
    make_event(answered, EventType.CHANGED, at=later(minutes=1))

    for case in (unchecked, answered):
        offered = names(case, ada)
        assert {"rerun_checks", "deny"} <= set(offered)
        assert not {"approve", "approve_temporarily"} & set(offered)


def test_identities_are_verified_once_for_everybody(ada):
    case = make_case(by=ada)
    Lead.objects.update(identity_status="VERIFIED")
    assert "verify_identities" not in names(case, ada)

    make_owner(case.lead)

    assert "verify_identities" in names(case, ada)


def test_moves_take_a_handful_of_statements(ada, django_assert_max_num_queries):
    case = make_case(by=ada)
    make_check(make_check_run(case))
    user, case = User.objects.get(pk=ada.pk), load(case)

    # permissions, proposal, question, owners, checks, hits, policy
    with django_assert_max_num_queries(9):
        steps.list_moves(case, user=user, at=LATER)
