"""The end of sessions, and pages that no cache keeps, with time moved."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.utils import timezone

ENDED = "You were signed out because you signed in more than 12 hours ago."


@pytest.fixture
def use():
    """Open a page each twenty minutes, from some hours after the first use until some later."""
    begin = timezone.now()

    def do(client, path, *, since=0, hours):
        times = [timedelta(minutes=minutes) for minutes in range(since * 60, hours * 60 + 1, 20)]
        for after in times:
            with patch("django.utils.timezone.now", lambda at=begin + after: at):
                answer = client.get(path)
        return answer

    return do


@pytest.mark.parametrize("path", ["/password", "/connected-assistants"])
def test_a_session_ends_twelve_hours_after_the_sign_in(person, sign_in, use, path):
    client = sign_in()

    assert use(client, path, hours=12).status_code == 200
    answer = use(client, path, since=12, hours=13)

    assert answer["Location"] == f"/sign-in?next={path}"


def test_the_sign_in_page_says_why(person, sign_in, use):
    client = sign_in()

    use(client, "/password", hours=13)

    assert ENDED in client.get("/sign-in").content.decode()


def test_a_session_of_staff_ends_too(member, sign_in, use):
    client = sign_in()

    assert use(client, "/admin/", hours=12).status_code == 200
    assert use(client, "/admin/", since=12, hours=13).status_code == 302


@pytest.mark.parametrize("path", ["/password", "/connect", "/second-factor", "/nowhere"])
def test_no_cache_keeps_what_a_user_sees(person, sign_in, path):
    assert "no-store" in sign_in().get(path)["Cache-Control"]


@pytest.mark.parametrize("path", ["/sign-out", "/admin/logout/"])
def test_the_browser_forgets_the_pages_at_the_sign_out(person, sign_in, path):
    answer = sign_in().post(path)

    assert answer["Location"] == "/sign-in"
    assert answer["Clear-Site-Data"] == '"cache", "storage"'


def test_the_back_office_has_no_other_page_for_the_password(member, sign_in):
    assert sign_in().get("/admin/password_change/")["Location"] == "/password"


def test_a_new_sign_in_begins_new_hours(person, sign_in):
    client = sign_in()
    session = client.session
    session["signed_in_at"] -= 11 * 3600
    session.save()

    sign_in(client=client)

    assert client.session["signed_in_at"] > timezone.now().timestamp() - 60
