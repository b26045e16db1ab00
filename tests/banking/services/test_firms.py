"""Firms of accountants: how people join, manage the firm and are removed."""

import pytest

from banking.choices import AccessStatus, UserType
from banking.models import Accountant, ClientAccess, FeedChange, Firm, FirmDeparture, User
from banking.services import accountant_invitations as invitations
from banking.services import firms
from tests import factories
from tests.factories import NOON, later

pytestmark = pytest.mark.django_db
ADDRESS = "rosa@example.com"
NAMES = {"first_name": "Rosa", "last_name": "Diaz", "password": "correct-horse-9"}


@pytest.fixture
def manager():
    return factories.make_accountant(firm_name="Oak & Ledger")


@pytest.fixture
def colleague(manager):
    return factories.make_accountant(firm=manager.firm)


def sign_up(sent, **values):
    key, token = sent.invitation.external_id, sent.token
    return invitations.sign_up(key, token, at=NOON, **NAMES, **values).accountant


def readable(accountant):
    found = Accountant.objects.get(pk=accountant.pk)
    return {access.business for access in ClientAccess.objects.readable_by(found, at=NOON)}


def test_a_colleague_signs_up_by_the_link_and_joins(manager):
    sent = firms.invite(manager, email=" Rosa@Example.com ", at=NOON)

    rosa = sign_up(sent)

    assert (rosa.firm, rosa.is_manager, rosa.terms_accepted_at) == (manager.firm, False, None)
    assert rosa.user.user_type == UserType.ACCOUNTANT
    assert rosa.invitation.invited_by == manager.user
    assert rosa.invitation.accepted_at == NOON
    assert Firm.objects.count() == 1


def test_a_colleague_reads_every_client_of_the_firm_after_the_terms(manager, colleague):
    access, ended = factories.make_access(manager), factories.make_access(manager, ends_at=NOON)
    stranger = factories.make_accountant()
    terms = factories.make_terms()
    Accountant.objects.filter(pk=colleague.pk).update(terms_accepted_at=None)

    assert readable(colleague) == set()
    with pytest.raises(invitations.TermsChanged):
        firms.accept_terms(colleague, shown=[], at=NOON)
    firms.accept_terms(colleague, shown=[terms.external_id], at=NOON)

    assert readable(colleague) == readable(manager) == {access.business}
    assert ended.business not in readable(colleague)
    assert readable(stranger) == set()


def test_an_owners_invitation_of_one_person_is_for_the_firm(manager, colleague):
    business, owner = factories.make_business(), factories.make_user()
    values = {"level": "STATEMENTS_ONLY", "ends_at": None, "by": owner, "at": NOON}
    invitations.invite(business, email=colleague.user.email, **values)
    access = manager.firm.accesses.get()

    invitations.accept(access, shown=[], by=manager.user, at=NOON)

    assert readable(manager) == readable(colleague) == {business}
    with pytest.raises(invitations.HasAccess):
        invitations.invite(business, email=manager.user.email, **values)


@pytest.mark.parametrize("who", ["a colleague", "the manager", "twice"])
def test_who_works_for_the_firm_or_is_invited_is_not_invited_again(manager, colleague, who):
    firms.invite(manager, email=ADDRESS, at=NOON)
    email, refusal = {
        "a colleague": (colleague.user.email, invitations.HasAccess),
        "the manager": (manager.user.email, invitations.HasAccess),
        "twice": (ADDRESS, invitations.AlreadyInvited),
    }[who]

    with pytest.raises(refusal):
        firms.invite(manager, email=email, at=NOON)


def test_an_expired_invitation_gives_way_to_a_new_one(manager):
    firms.invite(manager, email=ADDRESS, at=NOON)

    firms.invite(manager, email=ADDRESS, at=later(days=8))

    assert manager.firm.invitations.pending().count() == 1


def test_only_managers_invite_remove_and_make_managers(manager, colleague):
    with pytest.raises(firms.NotManager):
        firms.invite(colleague, email=ADDRESS, at=NOON)
    with pytest.raises(firms.NotManager):
        firms.remove(manager, by=colleague, at=NOON)
    with pytest.raises(firms.NotManager):
        firms.make_manager(colleague, by=colleague)


def test_a_removed_person_keeps_nothing_of_the_firm(manager, colleague):
    access = factories.make_access(colleague)
    firms.make_manager(colleague, by=manager)
    pending = firms.invite(Accountant.objects.get(pk=colleague.pk), email=ADDRESS, at=NOON)

    firms.remove(colleague, by=manager, at=NOON)

    removed = Accountant.objects.get(pk=colleague.pk)
    assert removed.firm.name == colleague.user.get_full_name()
    assert (removed.is_manager, removed.invitation) == (True, None)
    assert removed.user.sessions_ended_at == NOON
    assert readable(removed) == set()
    assert readable(manager) == {access.business}
    with pytest.raises(invitations.InvitationClosed):
        sign_up(pending)
    departure = FirmDeparture.objects.get()
    assert (departure.firm, departure.accountant) == (manager.firm, colleague)
    assert (departure.removed_by, departure.removed_at) == (manager.user, NOON)


def test_what_waits_for_a_removed_person_goes_along(manager, colleague):
    waits = {"status": AccessStatus.PENDING_TERMS, "granted_at": None}
    invitation = factories.make_accountant_invitation(email=colleague.user.email)
    theirs = factories.make_access(colleague, invitation.business, invitation=invitation, **waits)
    of_core = factories.make_access(colleague, **waits)

    firms.remove(colleague, by=manager, at=NOON)

    removed = Accountant.objects.get(pk=colleague.pk)
    assert [*removed.firm.accesses.all()] == [theirs]
    assert [*manager.firm.accesses.all()] == [of_core]


def test_people_of_another_firm_are_not_removed(manager):
    stranger = factories.make_accountant()

    with pytest.raises(Accountant.DoesNotExist):
        firms.remove(stranger, by=manager, at=NOON)
    with pytest.raises(Accountant.DoesNotExist):
        firms.make_manager(stranger, by=manager)


def test_the_last_manager_stays(manager, colleague):
    with pytest.raises(firms.LastManager):
        firms.remove(manager, by=manager, at=NOON)

    firms.make_manager(colleague, by=manager)
    firms.remove(manager, by=manager, at=NOON)

    assert [*colleague.firm.people.all()] == [colleague]


def test_a_firm_whose_managers_cannot_sign_in_is_managed_by_everybody(manager, colleague):
    User.objects.filter(pk=manager.user_id).update(is_active=False)

    firms.remove(manager, by=colleague, at=NOON)

    assert [*colleague.firm.people.all()] == [colleague]
    with pytest.raises(firms.LastManager):
        firms.remove(colleague, by=colleague, at=NOON)


def invited(manager, accountant):
    return firms.invite(manager, email=accountant.user.email, at=NOON).invitation.external_id


def test_an_accountant_alone_and_without_clients_joins(manager):
    alone = factories.make_accountant()
    factories.make_access(alone, status="REVOKED", revoked_at=NOON)
    key = invited(manager, alone)

    firms.join(alone, key, at=NOON)

    alone.refresh_from_db()
    assert (alone.firm, alone.is_manager) == (manager.firm, False)
    with pytest.raises(invitations.InvitationClosed):
        firms.join(alone, key, at=NOON)


@pytest.mark.parametrize("has", ["a client", "a client that waits", "a colleague"])
def test_clients_and_colleagues_are_not_brought_along(manager, has):
    other = factories.make_accountant()
    if has == "a colleague":
        factories.make_accountant(firm=other.firm)
    else:
        waits = {"status": AccessStatus.PENDING_TERMS, "granted_at": None}
        factories.make_access(other, **(waits if has == "a client that waits" else {}))

    with pytest.raises(firms.HasFirm):
        firms.join(other, invited(manager, other), at=NOON)


def test_nobody_joins_by_the_invitation_of_another_or_one_that_is_over(manager):
    alone, thief = factories.make_accountant(), factories.make_accountant()
    key = invited(manager, alone)

    with pytest.raises(invitations.InvitationClosed):
        firms.join(thief, key, at=NOON)
    with pytest.raises(invitations.InvitationClosed):
        firms.join(alone, key, at=later(days=7))


def test_the_banks_systems_are_told_who_joins_and_who_is_removed(manager):
    alone = factories.make_accountant()
    key = invited(manager, alone)

    firms.join(alone, key, at=NOON)
    firms.remove(alone, by=manager, at=later(days=1))

    changes = FeedChange.objects.order_by("pk").values_list("kind", "external_id", "changed_at")
    name = str(alone.external_id)
    assert list(changes) == [("accountants", name, NOON), ("accountants", name, later(days=1))]


def test_of_a_refusal_nobody_is_told(manager):
    stranger = factories.make_accountant()
    key = invited(manager, stranger)

    with pytest.raises(invitations.InvitationClosed):
        firms.join(manager, key, at=NOON)
    with pytest.raises(Accountant.DoesNotExist):
        firms.remove(stranger, by=manager, at=NOON)

    assert not FeedChange.objects.exists()


def test_an_address_joins_the_first_of_two_firms(manager):
    other = factories.make_accountant()
    first, second = (firms.invite(one, email=ADDRESS, at=NOON) for one in (manager, other))

    rosa = sign_up(first)

    assert rosa.firm == manager.firm
    with pytest.raises(invitations.InvitationClosed):
        sign_up(second)
    with pytest.raises(firms.HasFirm):
        firms.join(rosa, second.invitation.external_id, at=NOON)


@pytest.mark.django_db(transaction=True)
def test_of_two_managers_who_remove_each_other_at_once_one_stays(in_threads):
    first = factories.make_accountant()
    second = factories.make_accountant(firm=first.firm, is_manager=True)
    other = Accountant.objects.get(pk=first.pk)

    results = in_threads(
        lambda pair: firms.remove(pair[1], by=pair[0], at=NOON), [(first, second), (second, other)]
    )

    assert sorted(type(one).__name__ for one in results) == ["NoneType", "NotManager"]
    assert other.firm.people.count() == 1
