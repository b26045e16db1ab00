"""The welcome: an invitation's link, the first password, and links that work no more."""

from datetime import timedelta
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.test import Client

from banking.services import invitations
from tests.factories import NOON, make_business_owner
from tests.mcp_server.pages.conftest import PASSWORD

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    """Somebody who was invited."""
    return invitations.give_sign_in(make_business_owner(email="ada@example.com"), at=NOON)


def path_for(user):
    return urlsplit(invitations.location(user)).path


def choose(client, path, new=PASSWORD, again=None):
    return client.post(path, {"new_password1": new, "new_password2": again or new})


def follow(user, **headers):
    """Return a client behind the redirect of a link, and where it led."""
    client = Client(headers=headers)
    return client, client.get(path_for(user))["Location"]


def test_the_link_sets_the_first_password_and_signs_in(ada, sign_in):
    client, path = follow(ada)

    page = client.get(path)
    done = choose(client, path)

    assert "ada@example.com" in page.content.decode()
    assert (done.status_code, done["Location"]) == (302, "/account")
    landing = client.get("/account")
    assert "Welcome. Your password is saved" in landing.content.decode()
    assert int(client.session["_auth_user_id"]) == ada.pk
    assert sign_in("ada@example.com").answer.status_code == 302


def test_the_token_leaves_the_address_at_once(ada):
    client, path = follow(ada)

    assert path == f"/welcome/{ada.external_id}/set-password"
    page = client.get(path)
    assert path_for(ada).rpartition("/")[2] not in page.content.decode()
    assert page["Referrer-Policy"] == "same-origin"
    assert "no-store" in page["Cache-Control"]


def test_to_look_changes_nothing(ada):
    for _ in range(2):
        client, path = follow(ada)
        client.get(path)

    ada.refresh_from_db()
    assert not ada.has_usable_password()


def test_a_link_that_was_used_leads_to_another(ada):
    link = path_for(ada)
    client, path = follow(ada)
    choose(client, path)

    page = Client().get(link)

    text = page.content.decode()
    assert (page.status_code, "This link no longer works" in text) == (200, True)
    assert 'href="/password-reset"' in text
    assert "ada@example.com" not in text


def test_of_two_windows_the_second_keeps_nothing(ada):
    (first, path), (second, _) = follow(ada), follow(ada)
    choose(first, path)

    answer = choose(second, path, "another-lantern-tulip-7")

    assert "This link no longer works" in answer.content.decode()
    assert "_auth_user_id" not in second.session
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)


def test_of_two_at_the_same_moment_the_second_is_told(ada, monkeypatch):
    def refuse(*_args, **_values):
        raise invitations.NotInvited

    client, path = follow(ada)
    monkeypatch.setattr(invitations, "accept", refuse)

    assert "This link no longer works" in choose(client, path).content.decode()


def test_a_link_whose_week_is_over_opens_nothing(ada, settings):
    settings.INVITATION_LIFETIME = timedelta(seconds=-1)

    assert "This link no longer works" in Client().get(path_for(ada)).content.decode()


def test_what_was_never_a_link_looks_the_same(ada):
    paths = [
        f"{ada.external_id}/nonsense",
        f"{uuid4()}/nonsense",
        f"{ada.external_id}/set-password",
    ]

    pages = [Client().get(f"/welcome/{path}").content.decode() for path in paths]

    assert len({page.partition("<main")[2].partition("</main>")[0] for page in pages}) == 1


@pytest.mark.parametrize(
    ("new", "again", "fault"),
    [
        ("short", None, "too short"),
        (PASSWORD, "another-lantern-tulip-7", "match"),
        ("ada@example.com", None, "too similar"),
    ],
)
def test_a_bad_password_is_refused_with_its_reason(ada, new, again, fault):
    client, path = follow(ada)

    answer = choose(client, path, new, again)

    assert fault in answer.content.decode()
    ada.refresh_from_db()
    assert not ada.has_usable_password()


def test_who_is_signed_in_as_somebody_else_goes_on_as_the_invited(ada, person, sign_in):
    client = sign_in()
    path = client.get(path_for(ada))["Location"]

    choose(client, path)

    assert int(client.session["_auth_user_id"]) == ada.pk


def test_the_page_is_in_the_readers_language(ada):
    client, path = follow(ada, **{"accept-language": "es"})

    page = client.get(path)

    assert page["Content-Language"] == "es"
    assert '<html lang="es">' in page.content.decode()
