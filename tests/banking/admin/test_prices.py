"""Plans and payment rules in the back office: two administrators change their values."""

import pytest

from banking.models import PaymentRule, Plan
from tests.staff import confirm_change

pytestmark = pytest.mark.django_db
PLANS, RULES = "/admin/banking/plan/", "/admin/banking/paymentrule/"


@pytest.fixture
def plan():
    return Plan.objects.create(code="START", name="Start", price_cents=0, is_default=True)


@pytest.fixture
def rule():
    return PaymentRule.objects.get(method="ACH")


@pytest.fixture
def values(rule):
    return {
        "fee_cents": "25",
        "per_payment_limit_cents": "1000",
        "daily_limit_cents": "5000",
        "business_days": "2",
        "cutoff_hour": "20",
    }


def test_another_default_plan_takes_the_place_of_the_former_one(chief, plan):
    grow = Plan.objects.create(code="GROW", name="Grow", price_cents=1200)
    form = {"name": "Grow", "price_cents": "1300", "is_default": "on"}

    chief.post(f"{PLANS}{grow.pk}/change/", form)
    assert Plan.objects.get(is_default=True) == plan
    confirm_change()

    default = Plan.objects.get(is_default=True)
    assert (default.code, default.price_cents) == ("GROW", 1300)


def test_a_fee_is_changed_by_two_people(chief, rule, values):
    chief.post(f"{RULES}{rule.pk}/change/", values)
    change = confirm_change()

    rule.refresh_from_db()
    assert (rule.fee_cents, rule.daily_limit_cents, rule.method) == (25, 5000, "ACH")
    assert any("fee cents 25" in line for line in change.summary)


def test_a_day_allows_at_least_one_whole_payment(chief, rule, values):
    answer = chief.post(f"{RULES}{rule.pk}/change/", values | {"daily_limit_cents": "999"})

    assert "A day must allow at least one whole payment." in answer.content.decode()


@pytest.mark.parametrize("root", [PLANS, RULES])
def test_rows_are_neither_added_nor_deleted(chief, plan, rule, root):
    pk = plan.pk if root == PLANS else rule.pk

    assert chief.get(f"{root}add/").status_code == 403
    assert chief.post(f"{root}{pk}/delete/", {"post": "yes"}).status_code == 403


def test_the_default_plan_and_its_benefits_are_shown_to_who_may_only_read(make_staff, plan):
    plan.benefits.create(code="CHECKING", name="Business checking")
    reader = make_staff("view_plan", "view_planbenefit")

    page = reader.get(f"{PLANS}{plan.pk}/change/").content.decode()

    assert "Business checking" in page
    assert reader.post(f"{PLANS}{plan.pk}/change/", {"name": "evil"}).status_code == 403
