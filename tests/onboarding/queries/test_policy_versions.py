"""Versions of the decision policy against the staff events that confirmed them."""

import pytest

from banking.models import StaffEvent, User
from banking.services import staff_changes
from onboarding.models import PolicyVersion
from onboarding.queries.decision_policy import digest_version
from onboarding.queries.policy_versions import find_faults
from onboarding.services import policy_changes
from tests.factories import NOON
from tests.onboarding.policies import set_rule
from tests.onboarding.services.test_policy_changes import VALUES

pytestmark = pytest.mark.django_db


@pytest.fixture
def version():
    """Return the second version, which two administrators have made."""
    rosa, sam = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF") for name in "rs"
    )
    change = policy_changes.propose(None, VALUES, by=rosa, at=NOON)
    staff_changes.confirm(change, by=sam, at=NOON)
    return PolicyVersion.objects.get(number=2)


def test_the_policy_of_the_release_has_no_fault():
    assert list(find_faults()) == []


def test_the_staff_event_holds_the_digest_of_the_version(version):
    said = StaffEvent.objects.order_by("-number").first().details

    assert (said["policy_version"], said["policy_digest"]) == (2, version.digest)
    assert list(find_faults()) == []


def test_a_version_that_nobody_confirmed_is_found(version):
    set_rule(5, people=1)

    assert list(find_faults()) == ["version 3 of the decision policy was confirmed by nobody"]


def test_changed_and_missing_versions_are_found(version):
    kept = PolicyVersion.objects.get(number=1)
    PolicyVersion.objects.all().delete()
    rules = version.rules[2:]
    PolicyVersion.objects.create(number=1, rules=rules, digest=kept.digest, at=NOON)

    assert list(find_faults()) == [
        "version 1 of the decision policy was changed",
        "version 2 of the decision policy is missing",
    ]
    PolicyVersion.objects.all().delete()
    PolicyVersion.objects.create(number=1, rules=rules, digest=digest_version(1, rules), at=NOON)
    assert "version 1 of the decision policy was confirmed by nobody" in find_faults()
