"""manage.py release_owner."""

import pytest
from django.core.management import CommandError, call_command

from banking.choices import UserType
from banking.models import FeedChange
from tests.factories import make_business_owner, make_user


def test_an_owner_is_released(db, capsys):
    owner = make_business_owner(user=make_user(user_type=UserType.BUSINESS))
    other = make_business_owner(user=make_user(user_type=UserType.BUSINESS))

    former = str(owner.user.external_id)

    call_command("release_owner", str(owner.external_id))

    owner.refresh_from_db()
    other.refresh_from_db()
    assert (owner.user, bool(other.user)) == (None, True)
    assert capsys.readouterr().out == f"nobody signs in as {owner} any more\n"
    change = FeedChange.objects.get()  # the bank's systems learn of it by the user
    assert (change.kind, change.external_id) == ("users", former)


def test_a_released_or_unknown_owner_is_refused(db):
    owner = make_business_owner()

    with pytest.raises(CommandError, match="Nobody signs in"):
        call_command("release_owner", str(owner.external_id))
    with pytest.raises(CommandError, match="no such owner"):
        call_command("release_owner", "O-1")
    assert not FeedChange.objects.exists()
