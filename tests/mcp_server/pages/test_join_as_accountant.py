"""The sign-up of an accountant by the link of an invitation."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from banking.models import User
from tests import factories
from tests.mcp_server.pages.conftest import PASSWORD

pytestmark = pytest.mark.django_db
VALUES = {
    "first_name": "Rosa",
    "last_name": "Diaz",
    "firm_name": "Diaz Books",
    "new_password1": PASSWORD,
    "new_password2": PASSWORD,
}


@pytest.fixture
def invitation():
    expires_at = timezone.now() + timedelta(days=7)
    return factories.make_accountant_invitation(email="rosa@example.com", expires_at=expires_at)


@pytest.fixture
def path(invitation):
    return f"/clients/join/{invitation.external_id}/token"


def follow(path, **headers):
    """Return a client behind the redirect of a link, and where it led."""
    client = Client(headers=headers)
    return client, client.get(path)["Location"]


def test_the_link_makes_an_accountant_who_is_signed_in(invitation, path):
    client, form = follow(path)

    page = client.get(form).content.decode()
    done = client.post(form, VALUES)

    assert invitation.business.legal_name in page
    assert "rosa@example.com" in page
    assert (done.status_code, done["Location"]) == (302, "/clients")
    user = User.objects.get(email="rosa@example.com")
    assert int(client.session["_auth_user_id"]) == user.pk
    assert user.accountant.firm_name == "Diaz Books"
    waiting = client.get("/clients").content.decode()
    assert "Welcome. Your password is saved" in waiting
    assert f"/clients/{invitation.business.external_id}/accept" in waiting


def test_the_second_factor_comes_before_anything_else(path, settings):
    settings.CUSTOMER_SECOND_FACTOR = True
    client, form = follow(path)
    client.post(form, VALUES)

    assert client.get("/clients")["Location"] == "/second-factor?next=%2Fclients"
    assert client.get("/second-factor/app").status_code == 200  # the link came by mail


@pytest.mark.parametrize("is_required", [True, False])
def test_a_sandbox_says_that_it_does_without_a_second_factor(path, settings, is_required):
    settings.CUSTOMER_SECOND_FACTOR = is_required
    client, form = follow(path)

    page = client.get(form).content.decode()

    assert ("This sandbox does not require two-step verification" in page) is not is_required


def test_the_token_leaves_the_address_at_once(path):
    client, form = follow(path)

    page = client.get(form)

    assert form == path.replace("/token", "/sign-up")
    assert "/token" not in page.content.decode()
    assert "no-store" in page["Cache-Control"]


def test_the_link_works_once(path):
    client, form = follow(path)
    client.post(form, VALUES)

    other, form = follow(path)

    assert "This link no longer works" in other.get(form).content.decode()
    assert "This link no longer works" in other.post(form, VALUES).content.decode()
    assert User.objects.filter(email="rosa@example.com").count() == 1


@pytest.mark.parametrize("guess", ["sign-up", "another", "%C3%B1", "a" * 500])
def test_another_token_makes_nobody(path, guess):
    client = Client()
    client.get(path.replace("token", guess))

    answer = client.post(path.replace("token", "sign-up"), VALUES)

    assert "This link no longer works" in answer.content.decode()
    assert not User.objects.filter(email="rosa@example.com").exists()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"first_name": ""}, "This field is required."),
        ({"firm_name": "x" * 256}, "at most 255 characters"),
        ({"last_name": "a\0b"}, "Null characters are not allowed."),
        ({"new_password2": "another-lantern-tulip-7"}, "The two password fields"),
        ({"new_password1": "short", "new_password2": "short"}, "This password is too short."),
        ({"first_name": PASSWORD}, "too similar to the first name"),
    ],
)
def test_names_and_password_follow_the_rules(path, sent, said):
    client, form = follow(path)

    answer = client.post(form, {**VALUES, **sent})

    assert re.sub(r"\s+", " ", answer.content.decode()).count(said)
    assert not User.objects.filter(email="rosa@example.com").exists()


def test_it_is_spanish_for_who_reads_spanish(path):
    client, form = follow(path, **{"accept-language": "es"})

    assert "Nombre de su firma" in client.get(form).content.decode()
