"""Sessions of staff, with time moved."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.utils import timezone

LEFT = "You were signed out because you were inactive for 30 minutes."


@pytest.fixture
def wait():
    """Do something after some minutes."""
    begin = timezone.now()

    def do(minutes, call, *arguments, **options):
        at = begin + timedelta(minutes=minutes)
        with patch("django.utils.timezone.now", lambda: at):
            return call(*arguments, **options)

    return do


def test_a_session_ends_after_thirty_minutes_without_use(member, sign_in, wait):
    client = wait(0, sign_in)
    wait(0, client.get, "/admin/")

    answer = wait(31, client.get, "/admin/banking/user/?q=a")

    assert answer["Location"] == "/sign-in?next=%2Fadmin%2Fbanking%2Fuser%2F%3Fq%3Da"
    assert LEFT in wait(31, client.get, answer["Location"]).content.decode()
    assert wait(31, client.get, "/admin/").status_code == 302


def test_use_keeps_it(member, sign_in, wait):
    client = wait(0, sign_in)

    pages = [wait(minutes, client.get, "/admin/").status_code for minutes in (0, 29, 58, 87)]

    assert pages == [200] * 4


def test_a_step_that_came_too_late_is_not_taken_and_not_repeated(member, sign_in, wait):
    client = wait(0, sign_in)
    wait(0, client.get, "/admin/")

    answer = wait(31, client.post, f"/admin/banking/user/{member.pk}/change/", {"email": "a@b.co"})

    member.refresh_from_db()
    assert answer["Location"] == "/sign-in?next=%2Fadmin%2F"
    assert member.email == "grace@example.com"


def test_whoever_comes_back_by_the_sign_in_page_is_told_and_signs_in_at_once(member, sign_in, wait):
    client = wait(0, sign_in)
    wait(0, client.get, "/admin/")

    page = wait(31, client.get, "/sign-in")
    wait(31, sign_in, client=client)

    assert LEFT in page.content.decode()
    assert wait(31, client.get, "/admin/").status_code == 200


def test_a_form_that_was_open_meanwhile_signs_in_too(member, sign_in, wait):
    client = wait(0, sign_in)
    wait(0, client.get, "/admin/")

    wait(31, sign_in, client=client)

    assert wait(31, client.get, "/admin/").status_code == 200


def test_customers_are_told_nothing(person, sign_in, wait):
    client = wait(0, sign_in)
    wait(0, client.get, "/password")

    answer = wait(31, client.get, "/password", follow=True)

    assert answer.redirect_chain == [("/sign-in?next=/password", 302)]
    assert LEFT not in answer.content.decode()


def test_the_lifetime_is_a_setting(member, sign_in, wait, settings):
    settings.STAFF_SESSION_LIFETIME = timedelta(minutes=5)
    client = wait(0, sign_in)
    wait(0, client.get, "/admin/")

    answer = wait(6, client.get, "/admin/", follow=True)

    assert "inactive for 5 minutes" in answer.content.decode()
