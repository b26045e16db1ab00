"""Mails that invite referred businesses, and their limits."""

from datetime import timedelta

import pytest
from django.core import mail

from banking.choices import ReferralStatus
from banking.queries.referrals import NotInvited
from foundation.throttling import rate_limits
from mcp_server.services import referral_mails
from tests.factories import NOON, make_referral
from tests.mailing import send_queued

pytestmark = pytest.mark.django_db


def send(referral, *, at=NOON):
    referral_mails.send(referral.accountant, referral, at=at)


def sent_mails():
    """Return the mails as soon as the thread has sent them."""
    send_queued()
    return mail.outbox


def test_the_invitation_comes_in_both_languages(accountant, settings):
    referral = make_referral(accountant, business_name="Tea\r\n& Co", email="ada@example.com")

    send(referral)

    [sent] = sent_mails()
    assert sent.to == ["ada@example.com"]
    assert accountant.firm_name in sent.subject
    assert sent.body.count(f"{settings.BASE_URL}/join/{referral.invite_code}") == 2
    assert "a business account for Tea & Co at" in sent.body
    assert "Comience aquí su solicitud" in sent.body


def test_a_line_break_in_a_name_writes_no_header(accountant):
    accountant.firm.name = "Firm\r\nBcc: eve@example.com"

    send(make_referral(accountant))

    [sent] = sent_mails()
    assert "Firm Bcc: eve@example.com" in sent.subject
    assert sent.recipients() == sent.to


@pytest.mark.parametrize("status", [ReferralStatus.REGISTERED, ReferralStatus.EXPIRED])
def test_an_invitation_that_is_over_is_not_mailed(status):
    with pytest.raises(NotInvited):
        send(make_referral(status=status))
    with pytest.raises(NotInvited):
        send(make_referral(), at=NOON + timedelta(days=30))

    assert sent_mails() == []


@pytest.mark.usefixtures("limits_on")
def test_one_accountant_has_twenty_sent_an_hour(accountant):
    for _ in range(referral_mails.BY_ONE_ACCOUNTANT):
        send(make_referral(accountant))

    with pytest.raises(rate_limits.RateLimited):
        send(make_referral(accountant))
    assert len(sent_mails()) == 20


@pytest.mark.usefixtures("limits_on")
def test_one_address_gets_five_an_hour_from_all_accountants():
    for _ in range(referral_mails.TO_ONE_ADDRESS):
        send(make_referral(email="ada@example.com"))

    with pytest.raises(rate_limits.RateLimited):
        send(make_referral(email="ada@example.com"))
    assert len(sent_mails()) == 5
