"""Staff who may take the steps of cases."""

from onboarding.queries.staff import list_reviewers
from tests.factories import make_user
from tests.onboarding.cases import make_reviewer


def test_active_staff_with_the_permission_are_reviewers(db):
    ada = make_reviewer()
    make_reviewer(is_active=False)
    make_user(user_type="STAFF")
    make_user()

    assert list(list_reviewers()) == [ada]
