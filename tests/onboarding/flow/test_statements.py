"""What a page of the journey costs: its statements, transaction control included."""

import pytest

from tests.onboarding.flow.conftest import CODE
from tests.onboarding.flow.test_owners import RIGHT
from tests.onboarding.flow.test_review import NAME, TICKED, whole

__all__ = ["whole"]  # an applicant with nothing missing but documents
SESSION, ATOMIC, LOCKED = 1, 2, 1
DRAFT = 1
FORM = 3  # owners, documents, and which documents are wanted
CHECKED = 2  # the industries that the bank refuses, and owners
STORED = 3  # owners, the lead, its event


def test_the_first_page(make_flow, django_assert_num_queries):
    flow = make_flow()

    with django_assert_num_queries(1 + SESSION + FORM - 1):  # no type, so no rules of documents
        assert flow.get().status_code == 200


def test_a_code_is_sent(make_flow, django_assert_num_queries):
    flow = make_flow()

    with django_assert_num_queries(1 + 1 + ATOMIC + 2):  # how many were sent; the code, its mail
        assert flow.send().status_code == 303


def test_a_code_lets_in(make_flow, django_assert_num_queries):
    flow = make_flow()
    flow.post()

    with django_assert_num_queries(18):
        assert flow.send("code", {"code": CODE}).status_code == 303


@pytest.mark.parametrize(
    ("page", "number"),
    [
        ("you", SESSION + DRAFT + FORM),
        ("business", SESSION + DRAFT + FORM),
        ("owners", SESSION + DRAFT + FORM + 1),  # trusts and companies
        ("owners/add", SESSION + DRAFT + 1 + FORM),
        ("documents", SESSION + DRAFT + FORM + 1),
        ("review", SESSION + DRAFT + FORM + 2 + CHECKED),  # trusts; typed on other pages
        ("stay", SESSION),
        ("status", SESSION + FORM + CHECKED + 3),  # what happened, what was signed, what was asked
        ("withdraw", SESSION),
    ],
)
def test_a_page_is_shown(whole, django_assert_num_queries, page, number):
    whole.get(page)  # the first visit of a step is remembered

    with django_assert_num_queries(number):
        assert whole.get(page).status_code < 300


@pytest.mark.parametrize(
    ("page", "values", "number"),
    [
        ("you", {"first_name": "Eve"}, SESSION + DRAFT + ATOMIC + LOCKED + STORED),
        (
            "business",
            {"business_name": "Other LLC"},
            SESSION + DRAFT + ATOMIC + LOCKED + STORED + CHECKED,
        ),
        (
            "owners/add",
            {**RIGHT, "ownership_percent": "5"},
            SESSION
            + DRAFT
            + 2
            + ATOMIC
            + LOCKED
            + 4
            + 2,  # that the number was typed here, and in no other session
        ),
    ],
)
def test_a_step_is_saved(whole, django_assert_num_queries, page, values, number):
    form = whole.get(page).context["form"]
    shown = {name: form[name].value() for name in form.fields}
    sent = {name: value for name, value in {**shown, **values}.items() if value is not None}

    with django_assert_num_queries(number):
        assert whole.send(page, sent).status_code == 303


def test_what_is_typed_is_kept(whole, django_assert_num_queries):
    path, body = whole.path("you"), "first_name=Eve"
    form = "application/x-www-form-urlencoded"
    again = SESSION + ATOMIC + LOCKED + ATOMIC + 2  # the draft is read, locked and written

    with django_assert_num_queries(again + ATOMIC):  # a savepoint around the new row
        whole.client.patch(path, body, content_type=form)
    with django_assert_num_queries(again):
        assert whole.client.patch(path, body, content_type=form).status_code == 204


def test_an_application_is_submitted(whole, django_assert_num_queries):
    seen = whole.get("review").context["form"].state
    sent = {"seen": seen, "language": "en", "signed_name": NAME, **TICKED}

    with django_assert_num_queries(26 + FORM + CHECKED):  # a record; trusts and companies
        assert whole.send("review", sent).status_code == 303


def test_an_application_is_withdrawn(whole, django_assert_num_queries):
    with django_assert_num_queries(10):
        assert whole.send("withdraw").status_code == 303
