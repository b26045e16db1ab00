"""The mails that invite accountants: three texts, one answer, and their limits."""

import re

import pytest
from django.core import mail

from banking.choices import AccessLevel, UserType
from foundation.throttling import rate_limits
from mcp_server.services import accountant_invitations as invitations
from tests import factories
from tests.factories import NOON, later
from tests.mailing import send_queued

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "rosa@example.com"


@pytest.fixture
def owner():
    return factories.make_business_owner(factories.make_business(legal_name="Crumb & Co"))


@pytest.fixture
def invite(owner):
    by = factories.make_user()

    def make(email=ADDRESS, *, at=NOON, **values):
        values = {"level": AccessLevel.FULL, "ends_at": None, "by": by, **values}
        invitations.invite(owner.business, email=email, at=at, **values)
        send_queued()
        return mail.outbox[-1]

    return make


def test_an_unknown_address_gets_a_link_in_both_languages(invite, settings):
    message = invite(level=AccessLevel.STATEMENTS_ONLY, ends_at=later(days=1, hours=-12))

    assert message.to == [ADDRESS]
    assert "Crumb & Co invites you, as its accountant, to see its statements" in message.body
    assert "Crumb & Co le invita" in message.body
    assert "The access ends after March 2, 2026." in message.body
    assert len(re.findall(rf"{settings.BASE_URL}/clients/join/\S+/\S{{43}}\n", message.body)) == 2


def test_a_known_accountant_gets_no_link_to_sign_up(invite, settings):
    factories.make_accountant(factories.make_user(email=ADDRESS, user_type=UserType.ACCOUNTANT))

    message = invite()

    assert "/clients/join/" not in message.body
    assert f"{settings.BASE_URL}/clients\n" in message.body


@pytest.mark.parametrize("user_type", [UserType.BUSINESS, UserType.STAFF])
def test_another_user_is_told_that_the_address_will_not_do(invite, user_type):
    factories.make_user(email=ADDRESS, user_type=user_type)

    message = invite()

    assert "/clients" not in message.body
    assert "you cannot accept with this address" in message.body


def test_a_mail_sent_again_has_another_link(invite, owner):
    first = invite().body

    invitations.send_again(owner.business.accountant_invitations.get(), at=NOON)
    send_queued()

    assert first != mail.outbox[-1].body


def test_a_business_sends_few_mails_an_hour(invite, settings):
    settings.RATE_LIMIT_FACTOR = 1
    for number in range(invitations.BY_ONE_SENDER):
        invite(f"rosa{number}@example.com")

    with pytest.raises(rate_limits.RateLimited):
        invite("another@example.com")

    assert invite("another@example.com", at=later(hours=1)).to == ["another@example.com"]


def test_an_address_gets_few_mails_an_hour(invite, owner, settings):
    settings.RATE_LIMIT_FACTOR = 1
    invite()
    invitation = owner.business.accountant_invitations.get()
    for _ in range(invitations.TO_ONE_ADDRESS - 1):
        invitations.send_again(invitation, at=NOON)

    with pytest.raises(rate_limits.RateLimited):
        invitations.send_again(invitation, at=NOON)
