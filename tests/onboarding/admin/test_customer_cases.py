"""Screens of customer cases: the queue, and a page with the steps that staff may take now."""

import pytest
from django.urls import reverse
from django.utils import timezone

from banking.models import User
from onboarding.choices import Risk
from onboarding.models import CustomerCase, Note
from tests.onboarding.cases import make_reviewer
from tests.onboarding.customers import make_customer, make_review, reload
from tests.staff import sign_in

pytestmark = pytest.mark.django_db
LIST = "/admin/onboarding/customercase/"
ROLE = ("view_customer", "view_customercase", "review_application", "decide_application")


@pytest.fixture
def case():
    return make_review(at=timezone.now())


def page(case, name="change"):
    return reverse(f"admin:onboarding_customercase_{name}", args=[case.pk])


def test_the_queue_takes_as_many_statements_for_many_rows(count_queries):
    for _ in range(2):
        make_review()
    few = count_queries(LIST)

    for _ in range(4):
        make_review()

    assert count_queries(LIST) == few


def test_closed_cases_come_last(chief, case):
    closed = make_review()
    ended = {"status": "CLOSED", "outcome": "NO_CHANGE", "closed_at": timezone.now()}
    CustomerCase.objects.filter(pk=closed.pk).update(**ended)

    shown = chief.get(LIST).content.decode()

    assert 0 < shown.index(page(case)) < shown.index(page(closed))


@pytest.mark.parametrize("queue", ["open", "overdue", "unassigned", "mine", "second", "other"])
def test_each_queue_opens(chief, case, queue):
    shown = chief.get(f"{LIST}?queue={queue}").content.decode()

    is_in = queue in {"open", "unassigned", "other"}
    assert (case.customer.business.legal_name in shown) == is_in


def test_a_review_is_claimed_and_closed_by_the_buttons(make_staff, case):
    staff = make_staff(*ROLE)
    before = staff.get(page(case)).content.decode()
    assert page(case, "claim") in before
    assert f">{case.causes[0]['at'][:10]}" not in before  # days are written as elsewhere
    assert page(case, "close_review") not in before

    staff.post(page(case, "claim"))
    assert page(case, "close_review") in staff.get(page(case)).content.decode()
    form = staff.get(page(case, "close_review")).content.decode()
    assert "Restrict the customer" in form
    assert "Lift the restriction" not in form
    staff.post(page(case, "close_review"), {"outcome": "NO_CHANGE", "reason": "As before."})

    closed = reload(case)
    assert (closed.status, closed.outcome, closed.reason) == ("CLOSED", "NO_CHANGE", "As before.")
    after = staff.get(page(case)).content.decode()
    assert "As before." in after
    assert 'id="steps"' in after  # the links stay
    assert page(case, "claim") not in after


def test_a_form_that_lacks_something_is_shown_again(make_staff, case):
    staff = make_staff(*ROLE)
    staff.post(page(case, "claim"))

    answer = staff.post(page(case, "close_review"), {"outcome": "RISK_CHANGED", "reason": "x"})

    assert answer.status_code == 409
    assert "Choose another risk" in answer.content.decode()
    assert staff.post(page(case, "close_review"), {}).status_code == 422


def test_who_has_not_claimed_the_case_is_told(make_staff, case):
    staff = make_staff(*ROLE)

    answer = staff.post(page(case, "close_review"), {"outcome": "NO_CHANGE", "reason": "x"})

    assert answer.status_code == 409
    assert "Claim the case first" in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_two_people_settle_a_customer_of_high_risk(make_staff):
    case = make_review(make_customer(risk=Risk.HIGH), at=timezone.now())
    first, second = make_staff(*ROLE), make_staff(*ROLE, "confirm_application")
    first.post(page(case, "claim"))
    first.post(page(case, "close_review"), {"outcome": "NO_CHANGE", "reason": "As before."})

    proposed = second.get(page(case)).content.decode()
    assert "No change?" in proposed
    assert page(case, "withdraw") not in proposed
    second.post(page(case, "refuse"), {"note": "Look at the address."})
    assert reload(case).status == "OPEN"
    first.post(page(case, "close_review"), {"outcome": "NO_CHANGE", "reason": "Looked."})
    second.post(page(case, "confirm"))

    assert reload(case).status == "CLOSED"


def test_a_case_is_handed_over_with_a_note(make_staff, case):
    colleague = make_reviewer()
    staff = make_staff(*ROLE, "reassign_application")
    answer = staff.post(page(case, "reassign"), {"to": colleague.pk, "note": " Your partner. "})

    assert answer.status_code == 302
    assert reload(case).claimed_by == colleague
    assert Note.objects.get().text == "Your partner."


def test_the_home_page_counts_the_cases(chief, case):
    shown = chief.get("/admin/").content.decode()

    assert "Reviews and requested changes of customers" in shown
    assert f"{LIST}?queue=unassigned" in shown
    assert f"{LIST}?queue=mine" in shown


def test_who_may_not_see_cases_finds_no_figure_and_no_page(make_staff, case):
    staff = make_staff("view_customer")

    assert staff.get(page(case)).status_code == 403
    assert "Reviews and requested changes" not in staff.get("/admin/").content.decode()


def test_a_step_without_its_permission_is_refused(make_staff, case):
    staff = make_staff("view_customercase")

    for name in ("claim", "release", "close_review", "confirm", "refuse", "reassign"):
        assert staff.post(page(case, name)).status_code == 403
    assert (
        sign_in(User.objects.create_user("c@example.com"))
        .post(page(case, "claim"))
        .headers["Location"]
        .startswith("/admin/login/")
    )


def test_several_cases_are_handed_over_at_once(make_staff, case):
    colleague, other = make_reviewer(), make_review(at=timezone.now())
    staff = make_staff(*ROLE, "reassign_application")
    sent = {"action": "hand_over_selected", "_selected_action": [case.pk, other.pk]}

    form = staff.post(LIST, sent).content.decode()
    staff.post(LIST, {**sent, "to": colleague.pk, "note": "Yours."})

    assert page(other) in form
    assert {reload(case).assignee, reload(other).assignee} == {colleague}
    assert Note.objects.count() == 2
    of_colleague = staff.get(f"{LIST}?assignee={colleague.pk}").content.decode()
    assert case.customer.business.legal_name in of_colleague
    assert (
        case.customer.business.legal_name not in staff.get(f"{LIST}?assignee=me").content.decode()
    )


def test_the_assignee_hands_a_case_over_and_nobody_else(make_staff, case):
    owner, other = make_staff(*ROLE), make_staff(*ROLE)
    owner.post(page(case, "claim"))

    assert page(case, "reassign") in owner.get(page(case)).content.decode()
    assert page(case, "reassign") not in other.get(page(case)).content.decode()
    answer = other.post(page(case, "reassign"), {"to": make_reviewer().pk})
    assert "is not assigned to you" in answer.content.decode()
