"""Whose token it is: the verdicts of the OAuth toolkit, in one statement."""

from datetime import UTC, datetime, time, timedelta

import pytest
from django.conf import settings
from django.test import RequestFactory
from django.utils import timezone
from oauth2_provider.models import AccessToken
from oauth2_provider.oauth2_backends import get_oauthlib_core

from mcp_server.models import Connection
from mcp_server.scopes import Scope
from mcp_server.services.authentication import InvalidToken, authenticate
from tests.factories import NOON

LONG_AGO = timezone.now() - timedelta(days=1)


def toolkit_says(token, scopes=()):
    request = RequestFactory().post("/mcp", headers={"authorization": f"Bearer {token}"})
    valid, _ = get_oauthlib_core().verify_request(request, scopes=list(scopes))
    return valid


def we_say(token, scopes=()):
    try:
        return authenticate(token, at=timezone.now()).allows(scopes)
    except InvalidToken:
        return False


def test_a_valid_token_tells_its_user_and_scopes(make_assistant, owner, django_assert_num_queries):
    assistant = make_assistant(owner, scopes=[Scope.CARDS, Scope.TAX])

    with django_assert_num_queries(1):
        grant = authenticate(assistant.token, at=timezone.now())
        names = grant.user.first_name, grant.user.external_id, grant.is_accountant

    assert names == (owner.first_name, owner.external_id, False)
    assert (grant.user, grant.connection_id) == (owner, assistant.connection.pk)
    assert grant.scopes == {"cards:read", "tax:read"}
    assert not grant.is_paused


def test_an_owners_business_comes_with_the_token(make_assistant, owner, business, accountant):
    of_owner, of_accountant = make_assistant(owner).token, make_assistant(accountant.user).token

    grant = authenticate(of_owner, at=timezone.now())

    assert grant.owner.has_full_access
    assert grant.owner.business == business
    assert vars(grant.owner.business).keys() == vars(business).keys()
    assert authenticate(of_accountant, at=timezone.now()).owner is None


@pytest.mark.parametrize(
    ("values", "scopes"),
    [
        ({}, ()),
        ({}, (Scope.CARDS,)),
        ({"scope": "cards:read"}, (Scope.CARDS,)),
        ({"scope": "cards:read"}, (Scope.CARDS, Scope.TAX)),
        ({"scope": ""}, (Scope.CARDS,)),
        ({"expires": LONG_AGO}, ()),
        ({"resource": ["https://other.example.com/mcp"]}, ()),
        ({"resource": ["https://other.example.com/mcp", settings.MCP_URL]}, ()),
        ({"resource": [settings.MCP_URL + "/"]}, ()),
        ({"resource": [settings.MCP_URL.upper()]}, ()),
    ],
)
def test_the_verdict_is_the_toolkits(make_assistant, owner, values, scopes):
    token = make_assistant(owner, **values).token

    assert we_say(token, scopes) == toolkit_says(token, scopes)


@pytest.mark.parametrize("token", ["", "unknown", "x" * 10_000, "é", "\ud800", "a b"])
def test_an_unknown_token_is_invalid(db, token):
    with pytest.raises(InvalidToken, match="is invalid"):
        authenticate(token, at=timezone.now())


def test_a_token_without_an_audience_is_invalid_here(make_assistant, owner):
    token = make_assistant(owner, resource=[]).token

    with pytest.raises(InvalidToken, match="not valid for this resource"):
        authenticate(token, at=timezone.now())


def test_a_token_of_somebody_who_may_not_sign_in_is_invalid(make_assistant, owner):
    token = make_assistant(owner).token
    owner.is_active = False
    owner.save()

    with pytest.raises(InvalidToken, match="is invalid"):
        authenticate(token, at=timezone.now())


def test_a_token_is_good_through_the_last_day_of_the_access(make_assistant, owner):
    assistant = make_assistant(owner, expires=NOON + timedelta(days=9))
    Connection.objects.update(access_until=NOON.date())
    midnight = datetime.combine(NOON.date() + timedelta(days=1), time(), UTC)

    authenticate(assistant.token, at=midnight - timedelta(seconds=1))

    with pytest.raises(InvalidToken, match="access has ended"):
        authenticate(assistant.token, at=midnight)


def test_a_token_expires_on_the_second(make_assistant, owner):
    assistant = make_assistant(owner)
    expires = AccessToken.objects.get().expires

    authenticate(assistant.token, at=expires - timedelta(seconds=1))

    with pytest.raises(InvalidToken, match="expired"):
        authenticate(assistant.token, at=expires)
