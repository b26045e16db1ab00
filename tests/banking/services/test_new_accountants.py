"""New accountants: made by two administrators, with a password of their own."""

import re

import pytest
from django.core import mail

from banking.choices import AccessStatus, UserType
from banking.models import User
from banking.services import invitations, new_accountants, staff_changes
from tests import factories
from tests.factories import NOON, later

pytestmark = pytest.mark.django_db
SAID = {
    "email": "rosa@example.com",
    "first_name": "Rosa",
    "last_name": "Diaz",
    "firm_name": "Diaz Books",
}


@pytest.fixture
def people():
    return [
        User.objects.create_user(f"{name}@example.com", user_type="STAFF")
        for name in ("ann", "sam")
    ]


@pytest.fixture
def change(people):
    return new_accountants.propose(**SAID, by=people[0], at=NOON)


def test_a_second_administrator_makes_the_accountant(change, people):
    assert change.summary == ["New accountant: Rosa Diaz <rosa@example.com>, Diaz Books."]
    assert not User.objects.filter(email="rosa@example.com").exists()

    done = staff_changes.confirm(change, by=people[1], at=NOON)

    rosa = User.objects.get(email="rosa@example.com")
    assert done.subject == rosa
    assert (rosa.user_type, rosa.has_usable_password()) == (UserType.ACCOUNTANT, False)
    assert rosa.accountant.firm_name == "Diaz Books"
    assert len(rosa.accountant.partner_referral_code) == 10


def test_nobody_makes_an_accountant_alone(change, people):
    with pytest.raises(staff_changes.OwnChange):
        staff_changes.confirm(change, by=people[0], at=NOON)


def test_an_address_that_is_taken_meanwhile_voids_the_proposal(change, people):
    factories.make_user(email="rosa@example.com")

    with pytest.raises(staff_changes.ChangeVoid):
        staff_changes.confirm(change, by=people[1], at=NOON)


def test_invitations_of_owners_wait_for_the_accountant(change, people):
    factories.make_accountant_invitation(email="rosa@example.com", expires_at=later(days=7))

    done = staff_changes.confirm(change, by=people[1], at=NOON)

    assert done.subject.accountant.firm.accesses.get().status == AccessStatus.PENDING_TERMS


def test_the_mail_has_the_link_to_choose_a_password_in_both_languages(change, people):
    rosa = staff_changes.confirm(change, by=people[1], at=NOON).subject

    new_accountants.invite(rosa)

    (message,) = mail.outbox
    assert message.to == ["rosa@example.com"]
    assert "Su cuenta de contador" in message.subject
    links = re.findall(rf"/welcome/{rosa.external_id}/(\S+)", message.body)
    assert len(links) == 2
    assert all(invitations.tokens.check_token(rosa, link) for link in links)
