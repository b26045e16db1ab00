"""Users of the feed: customers and accountants, and never staff."""

import pytest

from banking.models import BusinessOwner, User
from tests.banking.feed.test_batches import results

ADA = {
    "email": "Ada@Example.com",
    "firstName": "Ada",
    "lastName": "Reyes",
    "userType": "BUSINESS",
    "owner": "O-1",
}
OWNER = {
    "business": "B-1",
    "firstName": "Ada",
    "lastName": "Reyes",
    "email": "ada@example.com",
    "role": "PRIMARY_OWNER",
}

FULL = {"role": "UBO", "signInRole": "PARTNER_FULL_ACCESS"}


@pytest.fixture
def owner(feed, line, business):
    assert results(feed(business, line("owners", "O-1", **OWNER))) == ["created"] * 2


@pytest.fixture
def ada_with_password(feed, line, owner):
    assert results(feed(line("users", "U-1", **ADA))) == ["created"]
    user = User.objects.get()
    user.set_password("long enough for a test")
    user.save()
    return user


def test_a_user_signs_in_as_an_owner(feed, line, owner):
    assert results(feed(line("users", "U-1", **ADA))) == ["created"]

    user = User.objects.get()
    assert (user.email, user.has_usable_password()) == ("ada@example.com", False)
    assert BusinessOwner.objects.get().user == user


def test_another_owner_takes_the_place_of_the_first(feed, line, owner):
    second = OWNER | FULL | {"email": "bea@example.com"}
    feed(line("users", "U-1", **ADA), line("owners", "O-2", **second))

    feed(line("users", "U-1", 2, **ADA | {"owner": "O-2"}))

    assert BusinessOwner.objects.get(user__isnull=False).email == "bea@example.com"


def test_an_owner_without_a_sign_in_role_does_not_sign_in(feed, line, refusals, owner):
    feed(line("owners", "O-2", **OWNER | {"role": "UBO", "email": "bea@example.com"}))

    bea = line("users", "U-2", **ADA | {"email": "bea@example.com", "owner": "O-2"})

    assert refusals(bea) == [("VALUE_REFUSED", "/data/owner")]


def test_an_owner_who_loses_the_sign_in_role_signs_in_no_more(feed, line, owner):
    bea = OWNER | FULL | {"email": "bea@example.com"}
    feed(line("owners", "O-2", **bea), line("users", "U-2", **ADA | {"owner": "O-2"}))
    assert BusinessOwner.objects.get(email="bea@example.com").user

    feed(line("owners", "O-2", 2, **bea | {"signInRole": None}))

    assert BusinessOwner.objects.get(email="bea@example.com").user is None


def test_an_owner_has_one_user(feed, line, refusals, owner):
    feed(line("users", "U-1", **ADA))

    other = line("users", "U-2", **ADA | {"email": "bea@example.com"})

    assert refusals(other) == [("VALUE_REFUSED", "/data/owner")]


def test_an_accountant_is_no_owner(line, refusals, owner):
    accountant = line("users", "U-1", **ADA | {"userType": "ACCOUNTANT"})

    assert refusals(accountant) == [("VALUE_REFUSED", "/data/owner")]


def test_a_user_who_was_made_here_becomes_the_record(feed, line, owner):
    here = User.objects.create_user("ada@example.com", first_name="A.")

    (outcome,) = feed(line("users", "U-1", **ADA))

    assert (outcome["result"], outcome["id"]) == ("updated", str(here.external_id))
    assert User.objects.get().first_name == "Ada"


@pytest.mark.parametrize("name_by_uuid", [False, True])
def test_staff_cannot_be_sent(feed, line, name_by_uuid):
    staff = User.objects.create_superuser("ada@example.com", first_name="Sam")
    external_id = str(staff.external_id) if name_by_uuid else "U-1"

    outcomes = feed(line("users", external_id, **ADA | {"owner": None}))

    assert results(outcomes) == ["refused"]
    assert User.objects.get().first_name == "Sam"
    assert results(feed(line("users", "U-2", **ADA | {"userType": "STAFF"}))) == ["refused"]


def test_a_user_with_a_password_keeps_the_email(feed, line, refusals, ada_with_password):
    user = ada_with_password

    moved = line("users", "U-1", 2, **ADA | {"email": "thief@example.com"})

    assert refusals(moved) == [("VALUE_REFUSED", "/data/email")]
    assert results(feed(line("users", "U-1", 2, **ADA | {"lastName": "Lee"}))) == ["updated"]
    user.refresh_from_db()
    assert user.has_usable_password()


def test_a_removed_user_cannot_sign_in_and_may_come_back(feed, line, owner):
    feed(line("users", "U-1", **ADA))

    gone = {"kind": "users", "externalId": "U-1", "version": 2, "removed": True}

    assert results(feed(gone)) == ["removed"]
    assert not User.objects.get().is_active
    assert results(feed(line("users", "U-1", 3, **ADA))) == ["updated"]
    assert User.objects.get().is_active


def test_a_user_is_not_changed_into_another_type(feed, line, refusals, owner):
    feed(line("users", "U-1", **ADA))

    other = line("users", "U-1", 2, **ADA | {"userType": "ACCOUNTANT", "owner": None})

    assert refusals(other) == [("VALUE_REFUSED", "/data/userType")]


@pytest.mark.parametrize("named", [None, "O-2"])
def test_a_user_with_a_password_keeps_the_owner(feed, line, refusals, ada_with_password, named):
    feed(line("owners", "O-2", **OWNER | FULL | {"email": "bea@example.com"}))

    moved = line("users", "U-1", 2, **ADA | {"owner": named})

    assert refusals(moved) == [("VALUE_REFUSED", "/data/owner")]
    assert BusinessOwner.objects.get(user=ada_with_password).email == "ada@example.com"


def test_a_removed_user_with_a_password_leaves_the_owner_to_nobody(
    feed, line, refusals, ada_with_password
):
    feed({"kind": "users", "externalId": "U-1", "version": 2, "removed": True})

    for name in ["U-1", "U-2"]:
        thief = line("users", name, 3, **ADA | {"email": "thief@example.com"})
        assert refusals(thief) == [("VALUE_REFUSED", "/data/owner")]
    alone = line("users", "U-1", 3, **ADA | {"owner": None})
    assert refusals(alone) == [("VALUE_REFUSED", "/data/owner")]
    assert BusinessOwner.objects.get().user == ada_with_password
    assert results(feed(line("users", "U-1", 4, **ADA))) == ["updated"]


def test_an_owner_whose_user_has_a_password_is_not_freed(feed, line, refusals, ada_with_password):
    assert refusals(line("owners", "O-1", 2, **OWNER | {"role": "UBO"})) == [
        ("VALUE_REFUSED", "/data/signInRole")
    ]
    removal = {"kind": "owners", "externalId": "O-1", "version": 2, "removed": True}
    assert refusals(removal) == [("NOT_REMOVABLE", None)]
    assert BusinessOwner.objects.get().user == ada_with_password
    full = line("owners", "O-1", 2, **OWNER | FULL | {"email": "ada.reyes@example.com"})
    assert results(feed(full)) == ["updated"]
    ada_with_password.refresh_from_db()
    assert ada_with_password.email == "ada@example.com"
    assert BusinessOwner.objects.get().user == ada_with_password


def test_an_owner_whose_user_has_no_password_is_removed(feed, line, owner):
    feed(line("users", "U-1", **ADA))

    removal = {"kind": "owners", "externalId": "O-1", "version": 2, "removed": True}

    assert results(feed(removal)) == ["removed"]
