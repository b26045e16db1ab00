"""Code waivers: two administrators note a contract. The screen's tests have more."""

from banking.models import User
from banking.services import staff_changes
from onboarding.models import Partner
from onboarding.services.partners import code_waivers
from tests.factories import NOON


def test_a_contract_is_noted_when_a_second_administrator_confirms_it(make_partner):
    rosa, sam = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF") for name in "rs"
    )
    change = code_waivers.propose(make_partner(), "Annex 2", by=rosa, at=NOON)
    before = Partner.objects.get().code_waiver_contract

    staff_changes.confirm(change, by=sam, at=NOON)

    assert (before, Partner.objects.get().code_waiver_contract) == ("", "Annex 2")
