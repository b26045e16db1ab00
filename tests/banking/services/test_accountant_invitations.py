"""Invitations of accountants: whom they reach, how they end, and what acceptance needs."""

import pytest

from banking.choices import AccessLevel, AccessStatus, UserType
from banking.models import AccountantInvitation, ClientAccess, TermsAcceptance, User
from banking.services import accountant_invitations as invitations
from banking.services import clients
from banking.services.accountant_invitations import Reader
from tests import factories
from tests.factories import NOON, later

pytestmark = pytest.mark.django_db
ADDRESS = "rosa@example.com"
NAMES = {"first_name": "Rosa", "last_name": "Diaz", "firm_name": "Diaz Books"}


@pytest.fixture
def owner():
    return factories.make_user(email="maya@example.com")


@pytest.fixture
def business(owner):
    return factories.make_business_owner(factories.make_business(), user=owner).business


@pytest.fixture
def invite(business, owner):
    def make(email=ADDRESS, *, at=NOON, of=business, **values):
        values = {"level": AccessLevel.FULL, "ends_at": None, "by": owner, **values}
        return invitations.invite(of, email=email, at=at, **values)

    return make


@pytest.fixture
def accountant():
    user = factories.make_user(email=ADDRESS, user_type=UserType.ACCOUNTANT)
    return factories.make_accountant(user)


def sign_up(sent, at=NOON):
    return invitations.sign_up(
        sent.invitation.external_id, sent.token, password="copper-otter-9-lamp", at=at, **NAMES
    )


def accept(access, shown=(), at=NOON):
    access.refresh_from_db()
    return invitations.accept(access, shown=shown, by=access.accountant.user, at=at)


def test_an_unknown_address_waits_without_an_access(invite):
    sent = invite(" Rosa@Example.com ", level=AccessLevel.STATEMENTS_ONLY, ends_at=later(days=9))

    assert sent.reader == Reader.NOBODY
    assert sent.invitation.email == ADDRESS
    assert sent.token not in sent.invitation.token_digest
    assert sent.invitation.expires_at == later(days=7)
    assert not ClientAccess.objects.exists()


def test_the_access_of_a_known_accountant_waits(invite, accountant, business):
    sent = invite(level=AccessLevel.STATEMENTS_ONLY, ends_at=later(days=9))

    access = accountant.firm.accesses.get(business=business)
    assert sent.reader == Reader.ACCOUNTANT
    assert (access.status, access.level) == (AccessStatus.PENDING_TERMS, "STATEMENTS_ONLY")
    assert (access.ends_at, access.invitation) == (later(days=9), sent.invitation)
    assert not accountant.firm.accesses.connected(at=NOON).exists()


@pytest.mark.parametrize("user_type", [UserType.BUSINESS, UserType.STAFF])
def test_customers_and_staff_do_not_become_accountants(invite, user_type):
    user = factories.make_user(email=ADDRESS, user_type=user_type)

    sent = invite()

    assert sent.reader == Reader.OTHER
    with pytest.raises(invitations.InvitationClosed):
        sign_up(sent)
    user.refresh_from_db()
    assert user.user_type == user_type
    assert not ClientAccess.objects.exists()


def test_an_inactive_accountant_gets_no_access(invite, accountant):
    User.objects.filter(pk=accountant.user_id).update(is_active=False)

    assert invite().reader == Reader.OTHER
    assert not ClientAccess.objects.exists()


def test_owners_do_not_invite_themselves(invite):
    with pytest.raises(invitations.OwnAddress):
        invite("MAYA@example.com")


def test_an_address_has_one_invitation_until_it_expires(invite):
    first = invite().invitation
    with pytest.raises(invitations.AlreadyInvited):
        invite()

    second = invite(at=later(days=8)).invitation

    first.refresh_from_db()
    assert first.withdrawn_at == later(days=8)
    assert AccountantInvitation.objects.open(at=later(days=8)).get() == second


def test_an_accountant_with_access_is_not_invited(invite, accountant, business):
    factories.make_access(accountant, business)

    with pytest.raises(invitations.HasAccess):
        invite()


def test_an_access_past_its_end_date_is_invited_anew(invite, accountant, business):
    access = factories.make_access(accountant, business, ends_at=later(days=1))

    invite(at=later(days=2))

    access.refresh_from_db()
    assert (access.status, access.ends_at) == (AccessStatus.PENDING_TERMS, None)


def test_the_link_makes_an_accountant_once(invite, business):
    sent = invite()

    user = sign_up(sent)

    assert (user.user_type, user.email) == (UserType.ACCOUNTANT, ADDRESS)
    assert user.check_password("copper-otter-9-lamp")
    assert user.accountant.firm_name == "Diaz Books"
    access = user.accountant.firm.accesses.get()
    assert (access.business, access.status) == (business, AccessStatus.PENDING_TERMS)
    with pytest.raises(invitations.InvitationClosed):
        sign_up(sent)


def test_whoever_signs_up_finds_every_open_invitation(invite):
    sent = invite()
    open_one, expired = factories.make_business(), factories.make_business()
    factories.make_accountant_invitation(open_one, email=ADDRESS)
    factories.make_accountant_invitation(expired, email=ADDRESS, expires_at=NOON)

    user = sign_up(sent)

    found = {access.business for access in user.accountant.firm.accesses.all()}
    assert found == {sent.invitation.business, open_one}


@pytest.mark.parametrize("close", ["withdraw", "send_again", "expire", "guess"])
def test_a_link_that_is_over_makes_nobody(invite, close):
    sent, at = invite(), NOON
    if close == "withdraw":
        invitations.withdraw(sent.invitation, at=NOON)
    elif close == "send_again":
        invitations.send_again(sent.invitation, at=NOON)
    elif close == "expire":
        at = later(days=7)
    else:
        sent = invitations.SentInvitation(sent.invitation, "guess", sent.reader)

    with pytest.raises(invitations.InvitationClosed):
        sign_up(sent, at=at)

    assert not User.objects.filter(email=ADDRESS).exists()


def test_an_expired_invitation_is_sent_again(invite):
    sent = invitations.send_again(invite().invitation, at=later(days=30))

    assert sent.invitation.is_open(later(days=36))
    assert sign_up(sent, at=later(days=31)).accountant.firm.accesses.exists()


def test_an_invitation_whose_end_date_passed_is_not_sent_again(invite):
    sent = invite(ends_at=later(days=3))

    with pytest.raises(invitations.InvitationClosed):
        invitations.send_again(sent.invitation, at=later(days=3))


def test_an_access_that_the_core_connected_stays_when_the_mail_is_sent_again(
    invite, business, accountant
):
    invitation = invite().invitation
    values = {"status": AccessStatus.CONNECTED, "granted_at": NOON, "invitation": None}
    accountant.firm.accesses.update(**values)

    invitations.send_again(invitation, at=NOON)

    assert accountant.firm.accesses.connected(at=NOON).exists()


def test_a_withdrawn_invitation_is_not_accepted(invite, accountant):
    sent = invite()
    access = accountant.firm.accesses.get()

    invitations.withdraw(sent.invitation, at=later(hours=1))

    with pytest.raises(invitations.InvitationClosed):
        accept(access)
    with pytest.raises(invitations.InvitationClosed):
        invitations.withdraw(sent.invitation, at=later(hours=2))
    assert access.status == AccessStatus.REVOKED


def test_the_terms_in_force_are_accepted_for_the_business(invite, accountant, business):
    known, new = factories.make_terms(title="A"), factories.make_terms(title="B")
    clients.accept_terms(business, known, by=None, at=NOON)
    sent = invite()
    access = accountant.firm.accesses.get()

    accept(access, [known.external_id, new.external_id], at=later(hours=1))

    access.refresh_from_db()
    assert (access.status, access.granted_at) == (AccessStatus.CONNECTED, later(hours=1))
    assert TermsAcceptance.objects.get(terms=new).accepted_by == accountant.user
    assert TermsAcceptance.objects.get(terms=known).accepted_by is None
    sent.invitation.refresh_from_db()
    assert sent.invitation.accepted_at == later(hours=1)


def test_terms_that_were_not_shown_are_not_accepted(invite, accountant):
    invite()
    factories.make_terms()

    with pytest.raises(invitations.TermsChanged):
        accept(accountant.firm.accesses.get())

    assert not TermsAcceptance.objects.exists()
    assert not accountant.firm.accesses.connected(at=NOON).exists()


def test_an_access_that_no_owner_invited_is_not_accepted(accountant, business):
    access = factories.make_access(
        accountant, business, status=AccessStatus.PENDING_TERMS, granted_at=None
    )

    with pytest.raises(invitations.InvitationClosed):
        accept(access)


@pytest.mark.parametrize("days", [2, 7])
def test_nothing_is_accepted_after_the_end_date_or_the_expiry(invite, accountant, days):
    invite(ends_at=later(days=2) if days == 2 else None)

    with pytest.raises(invitations.InvitationClosed):
        accept(accountant.firm.accesses.get(), at=later(days=days))


def test_an_access_that_ended_is_accepted_by_a_new_invitation_only(invite, accountant):
    invite()
    access = accept(accountant.firm.accesses.get())
    clients.revoke_access(access, at=later(days=1))

    with pytest.raises(invitations.InvitationClosed):
        accept(access, at=later(days=1))

    invite(at=later(days=2))
    assert accept(access, at=later(days=2)).status == AccessStatus.CONNECTED


@pytest.mark.django_db(transaction=True)
def test_of_four_acceptances_and_a_withdrawal_at_once_one_wins(invite, accountant, in_threads):
    sent = invite()
    access = ClientAccess.objects.get()

    def withdraw():
        invitations.withdraw(sent.invitation, at=NOON)

    tasks = [lambda: accept(ClientAccess.objects.get())] * 4 + [withdraw]
    results = in_threads(lambda task: task(), tasks)

    access.refresh_from_db()
    sent.invitation.refresh_from_db()
    is_connected = access.status == AccessStatus.CONNECTED
    assert is_connected == (sent.invitation.withdrawn_at is None)
    assert sum(not isinstance(one, invitations.InvitationClosed) for one in results) == 1


@pytest.mark.django_db(transaction=True)
def test_of_four_sign_ups_at_once_one_is_made(invite, in_threads):
    sent = invite()

    results = in_threads(lambda _: sign_up(sent), range(4))

    assert sum(isinstance(one, User) for one in results) == 1
    assert ClientAccess.objects.count() == 1
