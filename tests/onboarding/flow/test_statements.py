"""What a page of the journey costs: its statements, transaction control included."""

from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import LegalText
from onboarding.models import Holder, Lead
from onboarding.services.leads.submissions import state_of, submit
from tests.onboarding.flow.conftest import CODE
from tests.onboarding.flow.test_owners import RIGHT
from tests.onboarding.flow.test_review import NAME, TICKED, whole

__all__ = ["whole"]  # an applicant with nothing missing but documents
SESSION, ATOMIC, LOCKED = 1, 2, 1
DRAFT = 1
DRAFTS = 1  # of all pages, for the progress
TRUSTS = 1  # while the shares of people leave room
FORM = 3  # owners, documents, and which documents are wanted
CHECKED = 1  # the rules of the industry
STORED = 3  # owners, the lead, its event


def test_the_first_page(make_flow, django_assert_num_queries):
    flow = make_flow()

    with django_assert_num_queries(
        1 + SESSION + FORM - 1 + TRUSTS
    ):  # no type, so no rules of documents
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
        ("you", SESSION + DRAFT + FORM + TRUSTS + DRAFTS),
        ("business", SESSION + DRAFT + FORM + TRUSTS + DRAFTS),
        ("owners", SESSION + DRAFT + FORM + TRUSTS + DRAFTS),
        ("owners/add", SESSION + DRAFT + 1 + FORM + TRUSTS + DRAFTS),
        ("documents", SESSION + DRAFT + FORM + TRUSTS + DRAFTS + 1),
        ("review", SESSION + DRAFT + FORM + TRUSTS + DRAFTS + CHECKED),
        ("stay", SESSION),
        (
            "status",
            SESSION + FORM + TRUSTS + CHECKED + 5,
        ),  # events, what was signed, asked, written and answered
        ("withdraw", SESSION),
    ],
)
def test_a_page_is_shown(whole, django_assert_num_queries, page, number):
    whole.get(page)  # the first visit of a step is remembered

    with django_assert_num_queries(number):
        assert whole.get(page).status_code < 300


def test_the_review_that_asks_for_an_identification_reads_the_rules_of_documents(
    whole, django_assert_num_queries
):
    Lead.objects.update(business_type="SSN", ownership_percent=100)
    whole.get("review")

    with django_assert_num_queries(SESSION + DRAFT + FORM + TRUSTS + DRAFTS + CHECKED + 1):
        assert whole.get("review").status_code == 200


@pytest.mark.parametrize(
    ("page", "values", "number"),
    [
        ("you", {"first_name": "Eve"}, SESSION + DRAFT + ATOMIC + LOCKED + STORED),
        (
            "business",
            {"business_name": "Other LLC"},
            SESSION + DRAFT + ATOMIC + LOCKED + STORED + CHECKED + 1,  # owners
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
            + 2  # that the number was typed here, and in no other session
            + 1,  # whether a trust's form waits for the person
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

    with django_assert_num_queries(21 + FORM + CHECKED + TRUSTS):  # a record
        assert whole.send("review", sent).status_code == 303


def count_reads_of_trusts(work):
    with CaptureQueriesContext(connection) as done:
        work()
    return sum('FROM "onboarding_holder"' in one["sql"] for one in done.captured_queries)


def test_trusts_are_read_once_for_a_page_and_once_for_a_signature(whole):
    trust = {"kind": "TRUST", "name": "Trust", "share_percent": 10, "created_at": timezone.now()}
    Lead.objects.update(ownership_percent=20)
    Holder.objects.create(lead=whole.lead, **trust)
    pages = [count_reads_of_trusts(partial(whole.get, page)) for page in ("owners", "review")]

    agreed = {LegalText(text): version for text, version in TICKED.items()}
    signed = {"signed_name": NAME, "language": "en", "seen": state_of(whole.lead)}
    sign = partial(submit, whole.application, agreed=agreed, at=timezone.now(), **signed)

    assert (pages, count_reads_of_trusts(sign)) == ([1, 1], 1)
    assert whole.application.status == Status.SUBMITTED


def test_an_application_is_withdrawn(whole, django_assert_num_queries):
    with django_assert_num_queries(10):
        assert whole.send("withdraw").status_code == 303
