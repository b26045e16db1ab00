"""Access is asked for, granted after the terms, and revoked; referrals are invited once."""

import pytest

from banking.choices import AccessLevel, AccessStatus, ReferralStatus
from banking.models import Referral, TermsAcceptance
from banking.services import clients
from banking.transitions import InvalidTransition
from tests.factories import NOON, later

OWNER = {
    "business_name": "Rye Bakery LLC",
    "owner_first_name": "Alan",
    "owner_last_name": "Turing",
}


@pytest.fixture
def accountant(make_accountant):
    return make_accountant()


@pytest.fixture
def business(make_business):
    return make_business()


@pytest.fixture
def asked(accountant, business):
    return clients.invite_client(accountant, business, level=AccessLevel.READ_ONLY, at=NOON)


def test_access_is_asked_for_at_a_level(asked, accountant, business):
    asked.refresh_from_db()

    assert (asked.accountant, asked.business) == (accountant, business)
    assert (asked.status, asked.level) == (AccessStatus.PENDING_TERMS, AccessLevel.READ_ONLY)
    assert (asked.invited_at, asked.granted_at) == (NOON, None)


def test_access_is_asked_for_once(asked, accountant, business):
    with pytest.raises(clients.AlreadyInvited):
        clients.invite_client(accountant, business, level=AccessLevel.FULL, at=NOON)

    clients.grant_access(asked, at=NOON)
    with pytest.raises(clients.AlreadyInvited):
        clients.invite_client(accountant, business, level=AccessLevel.FULL, at=NOON)

    asked.refresh_from_db()
    assert asked.level == AccessLevel.READ_ONLY


def test_an_unknown_level_is_refused(accountant, business):
    with pytest.raises(ValueError, match="EVERYTHING"):
        clients.invite_client(accountant, business, level="EVERYTHING", at=NOON)


def test_access_that_was_revoked_is_asked_for_anew(asked, accountant, business):
    clients.grant_access(asked, at=NOON)
    clients.revoke_access(asked, at=later(days=1))

    again = clients.invite_client(accountant, business, level=AccessLevel.FULL, at=later(days=2))

    again.refresh_from_db()
    assert again == asked
    assert (again.status, again.level) == (AccessStatus.PENDING_TERMS, AccessLevel.FULL)
    assert (again.invited_at, again.granted_at, again.revoked_at) == (later(days=2), None, None)


def test_access_is_granted_after_the_terms(asked, business, make_terms, make_user):
    user, terms = make_user(), make_terms()
    with pytest.raises(clients.TermsPending):
        clients.grant_access(asked, at=NOON)

    clients.accept_terms(business, terms, by=user, at=NOON)
    clients.grant_access(asked, at=later(days=1))

    asked.refresh_from_db()
    assert (asked.status, asked.granted_at) == (AccessStatus.CONNECTED, later(days=1))


def test_the_terms_of_another_business_do_not_count(asked, make_business, make_terms):
    clients.accept_terms(make_business(), make_terms(), by=None, at=NOON)

    with pytest.raises(clients.TermsPending):
        clients.grant_access(asked, at=NOON)


def test_terms_are_accepted_once(business, make_terms, make_user):
    user, terms = make_user(), make_terms()
    first = clients.accept_terms(business, terms, by=user, at=NOON)

    second = clients.accept_terms(business, terms, by=None, at=later(days=1))

    assert first == second == TermsAcceptance.objects.get()
    assert (second.accepted_by, second.accepted_at) == (user, NOON)


def test_terms_that_are_not_published_are_not_accepted(business, make_terms):
    with pytest.raises(clients.TermsNotPublished):
        clients.accept_terms(business, make_terms(published_at=later(days=1)), by=None, at=NOON)


def test_access_is_granted_once(asked):
    clients.grant_access(asked, at=NOON)

    with pytest.raises(InvalidTransition):
        clients.grant_access(asked, at=later(days=1))


def test_access_is_revoked_once_whether_granted_or_not(accountant, make_business):
    for is_granted in (True, False):
        access = clients.invite_client(accountant, make_business(), level=AccessLevel.FULL, at=NOON)
        if is_granted:
            clients.grant_access(access, at=NOON)

        clients.revoke_access(access, at=later(days=1))

        assert access.status == AccessStatus.REVOKED
        with pytest.raises(InvalidTransition):
            clients.revoke_access(access, at=later(days=2))
        access.refresh_from_db()
        assert access.revoked_at == later(days=1)


def test_revoked_access_is_not_granted(asked):
    clients.revoke_access(asked, at=NOON)

    with pytest.raises(InvalidTransition):
        clients.grant_access(asked, at=NOON)


@pytest.fixture
def referral(accountant):
    return clients.invite_referral(accountant, email=" Alan@Example.com ", at=NOON, **OWNER)


def test_a_referral_has_a_code_of_its_own_for_thirty_days(accountant, referral):
    other = clients.invite_referral(accountant, email="grace@example.com", at=NOON, **OWNER)

    assert (referral.status, referral.email) == (ReferralStatus.INVITED, "alan@example.com")
    assert (referral.invited_at, referral.expires_at) == (NOON, later(days=30))
    assert len({referral.invite_code, other.invite_code}) == 2
    assert len(referral.invite_code) == 43


def test_an_email_is_referred_once_while_the_invitation_holds(accountant, referral):
    with pytest.raises(clients.AlreadyInvited):
        clients.invite_referral(accountant, email="ALAN@example.com", at=later(days=29), **OWNER)

    assert Referral.objects.get().invite_code == referral.invite_code


def test_a_lapsed_invitation_is_made_anew(accountant, referral):
    again = clients.invite_referral(
        accountant, email="alan@example.com", at=later(days=30), **OWNER
    )

    assert again == referral
    assert again.invite_code != referral.invite_code
    assert again.expires_at == later(days=60)


def test_a_completed_referral_is_not_invited_again(accountant, referral):
    clients.complete_referral(referral, at=NOON)

    with pytest.raises(clients.AlreadyInvited):
        clients.invite_referral(accountant, email="alan@example.com", at=later(days=90), **OWNER)


def test_two_accountants_may_refer_one_email(referral, make_accountant):
    assert clients.invite_referral(make_accountant(), email="alan@example.com", at=NOON, **OWNER)


def test_a_referral_is_completed_once(referral):
    clients.complete_referral(referral, at=later(days=1))

    with pytest.raises(InvalidTransition):
        clients.complete_referral(referral, at=later(days=2))

    referral.refresh_from_db()
    assert (referral.status, referral.completed_at) == (ReferralStatus.COMPLETED, later(days=1))


def test_a_lapsed_invitation_is_not_completed(referral):
    with pytest.raises(InvalidTransition):
        clients.complete_referral(referral, at=later(days=30))


def test_a_withdrawn_invitation_is_over_and_can_be_made_anew(accountant, referral):
    clients.withdraw_referral(referral, at=NOON)

    assert referral.status == ReferralStatus.EXPIRED
    with pytest.raises(InvalidTransition):
        clients.register_referral(referral, at=NOON)
    again = clients.invite_referral(accountant, email=referral.email, at=NOON, **OWNER)
    assert (again.pk, again.status) == (referral.pk, ReferralStatus.INVITED)


@pytest.mark.parametrize("status", ["REGISTERED", "COMPLETED", "EXPIRED"])
def test_only_an_invitation_is_withdrawn_or_registered(make_referral, status):
    completed_at = NOON if status == "COMPLETED" else None
    referral = make_referral(status=status, completed_at=completed_at)

    for move in (clients.withdraw_referral, clients.register_referral):
        with pytest.raises(InvalidTransition):
            move(referral, at=NOON)


def test_who_registered_in_time_may_complete_later(make_referral):
    referral = make_referral(status=ReferralStatus.REGISTERED)

    assert clients.complete_referral(referral, at=later(days=90)).completed_at == later(days=90)


def test_of_eight_who_ask_at_once_one_does(make_accountant, make_business, in_threads):
    accountant, business = make_accountant(), make_business()

    outcomes = in_threads(
        lambda _: clients.invite_client(accountant, business, level=AccessLevel.FULL, at=NOON),
        range(8),
    )

    assert [type(outcome) for outcome in outcomes].count(clients.AlreadyInvited) == 7
