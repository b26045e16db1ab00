"""Screens of customers: the list, the page with its links, and the reviews that staff open."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from onboarding.choices import Risk
from onboarding.models import Customer, CustomerCase
from tests.onboarding.customers import cases_of, make_customer, make_review
from tests.onboarding.hits import make_hit

pytestmark = pytest.mark.django_db
LIST = "/admin/onboarding/customer/"


@pytest.fixture
def customer():
    return make_customer(business_name="Harbor Bakery LLC")


def page(customer, name="change"):
    return reverse(f"admin:onboarding_customer_{name}", args=[customer.pk])


def test_the_list_takes_as_many_statements_for_many_rows(count_queries):
    for _ in range(2):
        make_review()
    few = count_queries(LIST)

    for _ in range(4):
        make_review()

    assert count_queries(LIST) == few


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ("q=bakery", True),
        ("q=Harbor+Bakery", True),
        ("q=Mill", False),
        ("risk__exact=LOW", True),
        ("risk__exact=HIGH", False),
        ("status__exact=ACTIVE", True),
        ("review=overdue", False),
        ("review=30", True),
        ("review=90", True),
    ],
)
def test_the_list_is_searched_and_filtered(chief, customer, query, is_found):
    Customer.objects.update(review_due_on=timezone.now().date() + timedelta(days=20))

    shown = chief.get(f"{LIST}?{query}").content.decode()

    assert ("Harbor Bakery LLC" in shown) == is_found


def test_a_number_is_not_searched_for(chief, customer):
    assert chief.get(f"{LIST}?q=123-45-6789").status_code == 302


def test_the_page_links_case_business_accounts_hits_and_reviews(chief, customer):
    review = make_review(customer)
    make_hit(customer.application)

    shown = chief.get(page(customer)).content.decode()

    account = customer.application.account
    for target in [
        f"/admin/onboarding/application/{customer.application_id}/change/",
        f"/admin/banking/business/{customer.business_id}/change/",
        f"/admin/banking/account/{account.pk}/change/",
        f"/admin/banking/account/{account.pk}/freeze/",
        f"/admin/banking/account/{account.pk}/close/",
        f"/admin/onboarding/customercase/{review.pk}/change/",
        page(customer, "open_review"),
    ]:
        assert f'href="{target}' in shown, target
    assert "PÉREZ-ÑAKAR, Ana" in shown
    assert account.masked_number in shown
    assert account.account_number not in shown


def test_the_case_links_the_customer(chief, customer):
    case = reverse("admin:onboarding_application_change", args=[customer.application_id])

    assert f'href="{page(customer)}"' in chief.get(case).content.decode()


def test_who_may_not_propose_operations_sees_no_link_to_them(make_staff, customer):
    staff = make_staff("view_customer", "view_account", "view_lead")

    shown = staff.get(page(customer)).content.decode()

    assert customer.application.account.masked_number in shown
    assert "/freeze/" not in shown
    assert "Screening hits" not in shown
    assert "Reviews and requested changes" not in shown


def test_staff_open_a_review_with_a_reason(make_staff, customer):
    staff = make_staff("view_customer", "review_application")

    refused = staff.post(page(customer, "open_review"), {"text": " "})
    assert (refused.status_code, CustomerCase.objects.count()) == (422, 0)
    taken = staff.post(page(customer, "open_review"), {"text": "The sign is gone."})

    assert taken.status_code == 302
    [review] = cases_of(customer)
    assert (review.kind, review.causes[0]["text"]) == ("TRIGGERED", "The sign is gone.")
    assert review.opened_by.email.startswith("staff")


def test_a_closed_customer_has_no_further_review(chief, customer):
    Customer.objects.update(status="CLOSED", closed_at=timezone.now(), review_due_on=None)

    assert page(customer, "open_review") not in chief.get(page(customer)).content.decode()
    answer = chief.post(page(customer, "open_review"), {"text": "Late."})

    assert answer.status_code == 409
    assert "All accounts of this customer are closed." in answer.content.decode()


def test_the_page_of_a_customer_with_a_high_risk_says_so(chief):
    assert "badge-risk_high" in chief.get(page(make_customer(risk=Risk.HIGH))).content.decode()


def test_staff_ask_for_a_change_and_see_now_and_requested_values(chief, customer):
    answer = chief.post(
        page(customer, "request_change"),
        {
            "business_name": "Mill Bakery LLC",
            "line1": "4 Compiler Avenue",
            "owner_email": "Grace@example.com",
            "first_name": "Grace",
            "ownership_percent": "25",
            "text": "A letter of today.",
        },
    )

    assert answer.status_code == 302, answer.content.decode()
    [case] = cases_of(customer)
    assert case.changed == ["businessAddress", "businessName", "uboList"]
    shown = chief.get(f"/admin/onboarding/customercase/{case.pk}/change/").content.decode()
    for text in ["Mill Bakery LLC", "Harbor Bakery LLC", "4 Compiler Avenue", "grace@example.com"]:
        assert text in shown
    assert "A letter of today." in shown


def test_a_change_of_nothing_and_an_owner_without_email_are_refused(chief, customer):
    empty = chief.post(page(customer, "request_change"), {"text": "x"})
    nameless = chief.post(page(customer, "request_change"), {"text": "x", "first_name": "Al"})
    wrong = chief.post(page(customer, "request_change"), {"text": "x", "phone_number": "5"})

    assert (empty.status_code, nameless.status_code, wrong.status_code) == (409, 422, 422)
    assert "No value in this request differs" in empty.content.decode()
    assert "Name the owner by the email." in nameless.content.decode()
    assert not cases_of(customer)
