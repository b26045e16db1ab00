"""Mails about failed sign-ins: when, to whom, and what they say."""

from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client

from mcp_server.services import sign_in_notices
from tests import factories
from tests.factories import NOON
from tests.mailing import send_queued

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("limits_on")]
DAY = timedelta(days=1)


@pytest.fixture
def grace():
    user = factories.make_user(email="grace@example.com")
    user.set_password("copper-otter-9-lamp")
    user.save()
    return user


def fail(times, *, email="grace@example.com", at=NOON):
    """Report failures, and return the number of mails since the test began."""
    for _ in range(times):
        sign_in_notices.report_failure(email, at=at)
    send_queued()
    return len(mail.outbox)


def test_the_fifth_and_the_twentieth_failure_are_mailed_and_no_other(grace):
    sent = [
        fail(4),
        fail(1),
        fail(14, at=NOON + DAY),
        fail(1, at=NOON + DAY),
        fail(50, at=NOON + DAY),
    ]

    assert sent == [0, 1, 1, 2, 2]
    assert "20 times" in mail.outbox[1].body


def test_there_is_one_mail_a_day_and_the_twentieth_follows_the_next_day(grace):
    sent = [fail(19), fail(5), fail(1, at=NOON + DAY), fail(9, at=NOON + 2 * DAY)]

    assert sent == [1, 1, 2, 2]
    assert "25 times" in mail.outbox[1].body


def test_a_success_begins_the_count_again_but_not_the_day(grace):
    fail(5)
    sign_in_notices.forget("Grace@Example.com ")

    sent = [fail(4, at=NOON), fail(1, at=NOON), fail(1, at=NOON + DAY)]

    assert sent == [1, 1, 2]


def test_spellings_of_an_address_count_together(grace):
    fail(4)

    assert fail(1, email=" Grace@Example.COM") == 1


def test_the_mail_says_in_both_languages_what_to_do(grace, settings):
    fail(5)

    [message] = mail.outbox
    assert message.to == ["grace@example.com"]
    assert message.subject.startswith(f"Failed attempts to sign in to {settings.BANK_NAME} / ")
    assert "\n---\n" in message.body
    for line in ["5 times", "5 veces", "Nobody has signed in", "Nadie inició sesión"]:
        assert line in message.body
    assert message.body.count(f"{settings.BASE_URL}/password-reset\n") == 2
    assert message.body.count(f"{settings.BASE_URL}/second-factor\n") == 2
    assert "&" not in message.body


@pytest.mark.parametrize("change", ["is_active", "password", "email"])
def test_who_cannot_sign_in_gets_no_mail(grace, change):
    if change == "password":
        grace.set_unusable_password()
    else:
        setattr(grace, change, {"is_active": False, "email": "ada@example.com"}[change])
    grace.save()

    assert fail(20) == 0


def test_known_and_unknown_accounts_cost_the_same_statements(grace, django_assert_num_queries):
    fail(4)
    fail(4, email="nobody@example.com")

    for email in ["grace@example.com", "nobody@example.com"]:
        with django_assert_num_queries(5):  # failures, milestone mailed, day, milestone, user
            sign_in_notices.report_failure(email, at=NOON)


@pytest.mark.parametrize("path", ["/sign-in", "/admin/login/"])
def test_the_sign_in_pages_report_failures_and_forget_them_at_a_success(grace, path):
    def attempt(password, times=1):
        for _ in range(times):
            sent = {"username": grace.email, "password": password}
            Client().post("/sign-in" if password == "copper-otter-9-lamp" else path, sent)
        return fail(0)

    sent = [
        attempt("wrong", 4),
        attempt("copper-otter-9-lamp"),
        attempt("wrong", 4),
        attempt("wrong"),
    ]

    assert sent == [0, 0, 0, 1]


def test_a_form_that_is_not_filled_in_is_no_failure(grace):
    for _ in range(6):
        Client().post("/sign-in", {"username": grace.email})

    assert fail(0) == 0
