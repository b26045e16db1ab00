"""Invitations: who is given a sign-in, and until when a link chooses its password."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from banking.choices import AccountStatus, BusinessOwnerRole, UserType
from banking.models import BusinessOwner, StaffEvent, User
from banking.services import invitations
from banking.services.invitations import NotInvited, tokens
from tests.factories import (
    NOON,
    make_account,
    make_accountant,
    make_business_owner,
    make_user,
)

PASSWORD = "copper-otter-9-lamp"
EMAIL = "ada@example.com"

pytestmark = pytest.mark.django_db


def make_ada(**values):
    values = {"email": EMAIL, "first_name": "Ada", "last_name": "Example", **values}
    return make_business_owner(role=BusinessOwnerRole.PRIMARY_OWNER, **values)


def token_of(user):
    return invitations.location(user).rpartition("/")[2]


@pytest.fixture
def ada():
    """Somebody who was invited."""
    return invitations.give_sign_in(make_ada(), at=NOON)


def test_an_owner_is_given_a_sign_in_without_a_password():
    owner = make_ada(email="Ada@example.com")

    user = invitations.give_sign_in(owner, at=NOON)

    assert (user.email, user.first_name, user.last_name) == (EMAIL, "Ada", "Example")
    assert (user.user_type, user.is_active) == (UserType.BUSINESS, True)
    assert not user.has_usable_password()
    assert BusinessOwner.objects.get().user == user


def test_a_sign_in_without_a_business_is_taken_with_its_password():
    user = make_user(email=EMAIL, first_name="Augusta")
    user.set_password(PASSWORD)
    user.save()

    given = invitations.give_sign_in(make_ada(), at=NOON)

    assert given == user
    assert (given.first_name, given.check_password(PASSWORD)) == ("Augusta", True)
    assert not invitations.is_invited(given)


@pytest.mark.parametrize(
    "values",
    [
        {"user_type": UserType.STAFF},
        {"user_type": UserType.ACCOUNTANT},
        {"is_active": False},
    ],
)
def test_somebody_else_with_the_email_stays_who_they_are(values):
    make_user(email=EMAIL, **values)
    owner = make_ada()

    assert invitations.give_sign_in(owner, at=NOON) is None

    owner.refresh_from_db()
    assert owner.user is None
    assert list(User.objects.values("user_type", "is_active")) == [
        {"user_type": UserType.BUSINESS, "is_active": True, **values}
    ]


def test_who_signs_in_for_another_business_keeps_that_one(ada):
    second = make_ada()

    assert invitations.give_sign_in(second, at=NOON) is None

    assert BusinessOwner.objects.get(user=ada) != second


@pytest.mark.parametrize(
    ("statuses", "is_moved"),
    [
        ([], False),
        ([AccountStatus.OPEN], False),
        ([AccountStatus.CLOSED, AccountStatus.OPEN], False),
        ([AccountStatus.CLOSED, AccountStatus.CLOSED], True),
    ],
)
def test_who_is_a_customer_no_more_signs_in_for_the_next_business(ada, statuses, is_moved):
    first, second = BusinessOwner.objects.get(), make_ada()
    for status in statuses:
        closed_at = NOON if status == AccountStatus.CLOSED else None
        make_account(first.business, status=status, closed_at=closed_at)

    given = invitations.give_sign_in(second, at=NOON)

    assert given == (ada if is_moved else None)
    assert BusinessOwner.objects.get(user=ada) == (second if is_moved else first)


def test_of_two_businesses_at_once_one_gets_the_sign_in(in_threads):
    owners = [make_ada(), make_ada()]

    given = in_threads(lambda owner: invitations.give_sign_in(owner, at=NOON), owners)

    assert given.count(None) == 1
    assert User.objects.count() == 1
    assert BusinessOwner.objects.filter(user__isnull=False).count() == 1


def test_the_link_is_ours_and_names_nobody(ada, settings):
    settings.BASE_URL = "https://bank.example.com"

    link = invitations.location(ada)

    assert link == f"https://bank.example.com/welcome/{ada.external_id}/{token_of(ada)}"
    assert invitations.find_user(ada.external_id) == ada
    assert invitations.find_user(uuid4()) is None


def test_a_link_is_good_for_a_week(ada, monkeypatch):
    token, now = token_of(ada), timezone.now().replace(tzinfo=None)

    def judge_after(**age):
        monkeypatch.setattr(tokens, "_now", lambda: now + timedelta(**age))
        return tokens.check_token(ada, token)

    assert judge_after(days=7)
    assert not judge_after(days=7, seconds=1)


@pytest.mark.parametrize("token", ["", None, "-", "not-one", "ü-1", "zzzzzzzzzzzzzzz-1", "1-2-3"])
def test_what_is_no_token_opens_nothing(ada, token):
    assert not tokens.check_token(ada, token)


def test_a_token_is_for_one_person(ada):
    grace = invitations.give_sign_in(make_ada(email="grace@example.com"), at=NOON)

    assert not tokens.check_token(grace, token_of(ada))
    assert not tokens.check_token(None, token_of(ada))


def test_a_token_survives_a_new_secret_key(ada, settings):
    token = token_of(ada)
    fresh = invitations.InvitationTokens()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key", [settings.SECRET_KEY]

    assert fresh.check_token(ada, token)


def test_the_first_password_ends_the_invitation(ada):
    token = token_of(ada)

    user = invitations.accept(ada, PASSWORD, at=NOON)

    assert user.check_password(PASSWORD)
    assert not tokens.check_token(user, token)
    with pytest.raises(NotInvited):
        invitations.accept(ada, "another-lantern-tulip-7", at=NOON)
    assert User.objects.get().check_password(PASSWORD)


def test_the_first_password_of_a_member_of_staff_is_a_staff_event(ada):
    member = make_user(email="grace@example.com", user_type=UserType.STAFF)
    member.set_unusable_password()
    member.save()

    invitations.accept(ada, PASSWORD, at=NOON)
    invitations.accept(member, PASSWORD, at=NOON)

    event = StaffEvent.objects.get()
    assert (event.type, event.who) == ("CREDENTIALS_CHANGED", str(member.external_id))
    assert event.details["summary"] == ["The first password was chosen."]


def test_of_two_passwords_at_once_one_holds(in_threads):
    ada = invitations.give_sign_in(make_ada(), at=NOON)

    outcomes = in_threads(
        lambda new: invitations.accept(ada, new, at=NOON), ["one-horse-9", "two-horse-9"]
    )

    assert sum(isinstance(outcome, NotInvited) for outcome in outcomes) == 1


@pytest.mark.parametrize("values", [{"is_active": False}, {"user_type": UserType.ACCOUNTANT}])
def test_who_may_not_sign_in_any_more_is_not_invited(ada, values):
    token = token_of(ada)
    User.objects.update(**values)
    ada.refresh_from_db()

    assert not tokens.check_token(ada, token)
    assert list(invitations.list_invited(EMAIL)) == []


def test_an_accountant_without_a_password_is_invited():
    stranger = make_user(email="books@example.com", user_type=UserType.ACCOUNTANT)
    stranger.set_unusable_password()
    stranger.save()
    assert not invitations.is_invited(stranger)

    make_accountant(user=stranger)
    assert invitations.is_invited(stranger)
    chosen = invitations.accept(stranger, PASSWORD, at=NOON)
    assert chosen.check_password(PASSWORD)
    assert not invitations.is_invited(chosen)


def test_the_invited_are_found_by_their_email(ada):
    make_user(email="grace@example.com")

    assert list(invitations.list_invited(" ADA@example.com ")) == [ada]
    assert list(invitations.list_invited("grace@example.com")) == []
    invitations.accept(ada, PASSWORD, at=NOON)
    assert list(invitations.list_invited(EMAIL)) == []


@pytest.mark.parametrize(("is_active", "is_invited"), [(True, True), (False, False)])
def test_active_staff_without_a_password_are_invited(is_active, is_invited):
    user = make_user(email=EMAIL, user_type=UserType.STAFF, is_active=is_active)
    user.set_unusable_password()
    user.save()

    assert invitations.is_invited(user) is is_invited
    assert tokens.check_token(user, token_of(user)) is is_invited


def test_the_link_of_a_customer_opens_no_staff_account(ada):
    token = token_of(ada)
    ada.user_type = UserType.STAFF
    ada.save()

    assert not tokens.check_token(ada, token)
    assert tokens.check_token(ada, token_of(ada))
