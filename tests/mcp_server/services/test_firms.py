"""Removals from firms end tokens, and invitations of colleagues are mailed."""

import pytest
from django.core import mail
from django.db import transaction
from oauth2_provider.models import AccessToken

from foundation.throttling import rate_limits
from mcp_server.services import accountant_invitations, client_accesses, firms
from tests.factories import NOON, later, make_access, make_accountant, make_user
from tests.mailing import send_queued
from tests.mcp_server.conftest import connect

pytestmark = pytest.mark.django_db


@pytest.fixture
def manager():
    return make_accountant(firm_name="Oak & Ledger")


@pytest.fixture
def colleague(manager):
    return make_accountant(firm=manager.firm)


@pytest.fixture
def invite(manager, django_capture_on_commit_callbacks):
    def send(email="rosa@example.com"):
        with django_capture_on_commit_callbacks(execute=True):
            firms.invite(manager, email=email, at=NOON)
        send_queued()
        return mail.outbox[-1]

    return send


def test_a_removed_colleague_loses_the_tokens_and_the_others_keep_theirs(manager, colleague):
    connect(manager.user)
    connect(colleague.user)

    firms.remove(colleague, by=manager, at=NOON)

    assert [token.user for token in AccessToken.objects.all()] == [manager.user]


def test_everybody_loses_the_tokens_with_the_last_client(manager, colleague):
    connect(manager.user)
    connect(colleague.user)

    client_accesses.end_access(make_access(manager), at=later(days=1))

    assert not AccessToken.objects.exists()


def test_a_stranger_is_mailed_a_link_that_names_the_firm(invite, manager):
    message = invite()

    assert message.to == ["rosa@example.com"]
    assert message.subject.startswith("Oak & Ledger invites you at")
    assert f"{manager.user.get_full_name()} invites you to work for Oak & Ledger" in message.body
    assert "/clients/join/" in message.body
    assert "le invita a trabajar para Oak & Ledger" in message.body


def test_an_accountant_is_told_to_sign_in_and_others_that_they_cannot(invite):
    known = invite(make_accountant().user.email)
    other = invite(make_user(email="owner@example.com").email)

    assert "/clients/firm" in known.body
    assert "/clients/" not in other.body
    assert "you cannot accept with this address" in other.body


def test_a_firm_sends_few_mails_an_hour(manager, settings):
    settings.RATE_LIMIT_FACTOR = 1
    for number in range(accountant_invitations.BY_ONE_SENDER):
        firms.invite(manager, email=f"rosa{number}@example.com", at=NOON)

    with pytest.raises(rate_limits.RateLimited), transaction.atomic():
        firms.invite(manager, email="another@example.com", at=NOON)
