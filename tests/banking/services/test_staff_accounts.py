"""Staff accounts: what their mails say, and what is dated."""

from datetime import timedelta

import pytest
from django.core.mail.backends.locmem import EmailBackend
from django.db import IntegrityError

from banking.models import User
from banking.services import staff_accounts
from banking.services.second_person import AccountTooNew, CreatedByOther
from banking.services.staff_accounts import CreatorCannotConfirm, NothingToConfirm, OwnAccount
from tests.factories import NOON
from tests.mailing import mailed

pytestmark = pytest.mark.django_db


@pytest.fixture
def dana():
    return User.objects.create_user("dana@example.com", user_type="STAFF")


def test_the_invitation_has_the_link_and_says_how_to_get_another(dana, settings):
    settings.BASE_URL = "https://bank.example.com"

    staff_accounts.invite(dana)

    text = mailed()[0].body
    assert f"https://bank.example.com/welcome/{dana.external_id}/" in text
    assert "within 7 days" in text
    assert "https://bank.example.com/password-reset" in text


def test_the_lines_of_a_mail_are_not_html(dana, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        staff_accounts.record_extension(dana, ["A role: R&D."], at=NOON)

    assert "- A role: R&D.\n" in mailed()[0].body


def test_both_addresses_get_a_mail_of_their_own_before_the_commit(dana):
    staff_accounts.record_extension(dana, ["A."], at=NOON, former_email="dora@example.com")

    assert [message.to for message in mailed()] == [["dora@example.com"], ["dana@example.com"]]


def test_a_change_stands_though_its_mail_fails_and_is_sent_later(dana, monkeypatch):
    def fail(*_args):
        raise ConnectionRefusedError

    staff_accounts.record_extension(dana, ["A."], at=NOON)
    with monkeypatch.context() as without_server:
        without_server.setattr(EmailBackend, "send_messages", fail)
        assert mailed() == []

    dana.refresh_from_db()
    assert dana.access_changed_at == NOON
    assert [message.to for message in mailed()] == [["dana@example.com"]]


@pytest.fixture
def people():
    """Return a creator, a second administrator and an account that the creator made."""
    rosa, sam = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF") for name in "rs"
    )
    pia = User.objects.create_user("pia@example.com", user_type="STAFF", created_by=rosa)
    return rosa, sam, pia


def test_a_second_administrator_confirms_an_account_and_its_user_is_mailed(
    people, django_capture_on_commit_callbacks
):
    _, sam, pia = people

    with django_capture_on_commit_callbacks(execute=True):
        staff_accounts.confirm(pia, by=sam, at=NOON)

    pia.refresh_from_db()
    assert pia.confirmed_by == sam
    assert pia.access_changed_at is None
    assert mailed()[0].to == ["pia@example.com"]
    assert "- A second administrator has confirmed your account." in mailed()[0].body


def test_neither_the_creator_nor_the_person_nor_another_of_the_creator_confirms(people):
    rosa, _, pia = people
    other = User.objects.create_user("other@example.com", user_type="STAFF", created_by=rosa)
    made = User.objects.create_user("made@example.com", user_type="STAFF", created_by=pia)

    for person, refusal in [
        (rosa, CreatorCannotConfirm),
        (pia, OwnAccount),
        (other, CreatedByOther),
        (made, CreatedByOther),
    ]:
        with pytest.raises(refusal):
            staff_accounts.confirm(pia, by=person, at=NOON)

    pia.refresh_from_db()
    assert pia.confirmed_by is None


@pytest.mark.parametrize("values", [{"access_changed_at": NOON}, {"created_by": True}])
def test_a_new_administrator_does_not_confirm(people, settings, values):
    settings.SECOND_PERSON_WAIT = timedelta(days=3)
    _, _, pia = people
    if "created_by" in values:
        values = {"created_by": User.objects.create_user("chief@example.com", user_type="STAFF")}
    new = User.objects.create_user(
        "new@example.com", user_type="STAFF", date_joined=NOON - timedelta(days=2), **values
    )

    with pytest.raises(AccountTooNew):
        staff_accounts.confirm(pia, by=new, at=NOON)


def test_a_superuser_whom_an_operator_created_confirms_at_once(people, settings):
    settings.SECOND_PERSON_WAIT = timedelta(days=3)
    _, _, pia = people
    staff_accounts.create_superuser("rescue@example.com", at=NOON)
    rescue = User.objects.get(email="rescue@example.com")

    staff_accounts.confirm(pia, by=rescue, at=NOON)

    pia.refresh_from_db()
    assert pia.confirmed_by == rescue


def test_an_account_is_confirmed_once_and_an_operators_never(people):
    rosa, sam, pia = people
    staff_accounts.confirm(pia, by=sam, at=NOON)

    for user in (pia, rosa):
        with pytest.raises(NothingToConfirm):
            staff_accounts.confirm(user, by=sam, at=NOON)


def test_the_database_refuses_that_a_creator_confirms(people):
    rosa, _, pia = people
    pia.confirmed_by = rosa

    with pytest.raises(IntegrityError, match="user_not_confirmed_by_creator"):
        pia.save()
