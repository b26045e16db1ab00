"""Names of a user that no password may consist of."""

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from banking.models import Accountant, Firm, User
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    business = factories.make_business(
        legal_name="Tulip Bakery LLC", email="hello@crumbs.example", website="https://flour.example"
    )
    user = factories.make_user(email="maya@example.com", first_name="", last_name="")
    names = {"user": user, "first_name": "Maya", "last_name": "Brook", "email": "mb@dough.example"}
    factories.make_business_owner(business, **names)
    return user


@pytest.mark.parametrize(
    "password",
    ["maya.tulip.bakery.26", "brook.tulip.dough.26", "crumbs.flour.26", "dough-crumbs-2026"],
)
def test_an_owner_chooses_no_password_of_the_business(owner, password):
    validate_password(password, factories.make_user(first_name="Somebody", last_name="Else"))

    with pytest.raises(ValidationError, match="easy to guess here"):
        validate_password(password, owner)


def test_an_accountant_chooses_no_password_of_the_firm():
    user = factories.make_user(first_name="Rosa", last_name="Quill")
    factories.make_accountant(user, firm_name="Ledger & Lamp")

    for password in ("ledger.lamp.2026", "rosa.quill.20266"):
        with pytest.raises(ValidationError, match="easy to guess here"):
            validate_password(password, user)


def test_staff_choose_no_password_of_their_names():
    user = User.objects.create_superuser("dana.otter@example.com", first_name="Dana")

    with pytest.raises(ValidationError, match="easy to guess here"):
        validate_password("dana.otter.2026", user)


def test_somebody_who_is_not_saved_yet_has_own_words():
    user = User(email="rosa@example.com", first_name="Rosa")
    Accountant(user=user, firm=Firm(name="Ledger & Lamp"))

    assert user.own_words == ["rosa@example.com", "Rosa", "", "Ledger & Lamp"]
