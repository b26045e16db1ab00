"""manage.py create_administrators."""

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError

from banking.models import User
from banking.services import second_person

ROSA, SAM = "Rosa@example.com", "sam@example.com"


def test_two_people_are_invited_as_administrators_and_nobody_sets_a_password(run):
    said = run("create_administrators", ROSA, SAM)

    rosa, sam = User.objects.filter(user_type="STAFF").order_by("pk")
    assert said == ["invited Rosa@example.com", "invited sam@example.com"]
    assert [one.groups.get().name for one in (rosa, sam)] == ["Administrator"] * 2
    assert (rosa.has_usable_password(), rosa.is_superuser, rosa.created_by) == (False, False, None)
    assert [message.to for message in mail.outbox] == [["rosa@example.com"], [SAM]]
    assert f"/welcome/{sam.external_id}/" in mail.outbox[1].body
    second_person.require_unrelated(rosa, sam)


def test_a_bank_with_staff_is_refused(run):
    User.objects.create_user("dana@example.com", user_type="STAFF")

    with pytest.raises(CommandError, match="There are staff accounts already"):
        run("create_administrators", ROSA, SAM)

    assert User.objects.count() == 1
    assert mail.outbox == []


@pytest.mark.parametrize(
    ("emails", "fault"),
    [
        ((ROSA, "ROSA@example.com"), "two different people"),
        ((ROSA, "sam"), "valid email"),
        ((ROSA, "owner@example.com"), "A customer has"),
    ],
)
def test_two_addresses_that_are_free_are_wanted(run, emails, fault):
    User.objects.create_user("owner@example.com")

    with pytest.raises(CommandError, match=fault):
        run("create_administrators", *emails)

    assert not User.objects.filter(user_type="STAFF").exists()


def test_nobody_is_created_if_an_invitation_cannot_be_mailed(run, monkeypatch):
    def fail(*_args):
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailBackend, "send_messages", fail)

    with pytest.raises(CommandError, match="nobody was created"):
        run("create_administrators", ROSA, SAM)

    assert not User.objects.exists()
