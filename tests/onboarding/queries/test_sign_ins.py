"""Sign-ins: whether an applicant can sign in for the account."""

import pytest

from banking.choices import BusinessOwnerRole
from onboarding.queries.sign_ins import SignIn, get_user
from tests.factories import make_account, make_business_owner, make_user


@pytest.fixture
def application(make_application):
    """An application with an account, and another owner who signs in."""
    account = make_account()
    make_business_owner(account.business, role=BusinessOwnerRole.UBO, user=make_user())
    return make_application(account=account)


def test_the_primary_owner_signs_in(application):
    user = make_user()
    primary = {"role": BusinessOwnerRole.PRIMARY_OWNER, "user": user}
    make_business_owner(application.account.business, **primary)

    assert get_user(application) == user


def test_without_a_sign_in_there_is_nobody(application, make_application):
    assert get_user(application) is None
    assert get_user(make_application()) is None


def test_how_somebody_signs_in_hangs_on_the_password(db):
    user = make_user()
    user.set_unusable_password()
    assert SignIn.of(user) is SignIn.INVITED

    user.set_password("copper-otter-9-lamp")

    assert SignIn.of(user) is SignIn.KNOWN
    assert SignIn.of(None) is SignIn.TAKEN
