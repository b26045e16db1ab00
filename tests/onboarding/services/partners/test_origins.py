"""Origins that two administrators admit. The screen's tests have more."""

import pytest

from banking.models import User
from banking.services import staff_changes
from onboarding.models import Partner
from onboarding.services.partners import origins
from tests.factories import NOON

ORIGIN = "https://app.example.com"


@pytest.fixture
def rosa(db):
    return User.objects.create_user("rosa@example.com", user_type="STAFF")


def confirm(change):
    sam = User.objects.create_user("sam@example.com", user_type="STAFF")
    staff_changes.confirm(change, by=sam, at=NOON)


def test_an_origin_is_added_when_a_second_administrator_confirms_it(rosa, make_partner):
    partner = make_partner(embed_origins=["https://other.example.com"])
    change = origins.propose(partner, [ORIGIN], by=rosa, at=NOON)
    before = Partner.objects.get().embed_origins

    confirm(change)

    assert before == ["https://other.example.com"]
    assert Partner.objects.get().embed_origins == [*before, ORIGIN]


def test_a_partner_with_another_name_meanwhile_gets_no_origin(rosa, make_partner):
    change = origins.propose(make_partner(), [ORIGIN], by=rosa, at=NOON)
    Partner.objects.update(name="Another")

    with pytest.raises(staff_changes.ChangeVoid):
        confirm(change)

    assert Partner.objects.get().embed_origins == []
