"""Keys that two administrators issue. Their screens are tested in the back office."""

from datetime import timedelta

import pytest

from banking.models import StaffChange, StaffEvent
from banking.services import staff_changes
from banking.services.second_person import AccountTooNew
from onboarding.models import BankKey
from onboarding.services.partners import api_keys, key_proposals
from onboarding.services.partners.api_keys import KeyNotLive
from tests.factories import NOON, make_user
from tests.staff import confirm_change

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
SAID = {"scopes": ["*:write"], "label": "Core", "networks": ["10.1.0.0/16"]}


@pytest.fixture
def rosa():
    return make_user(email="rosa@example.com", user_type="STAFF", date_joined=NOON - 30 * DAY)


def propose(by, at=NOON, **values):
    issued = api_keys.prepare_bank_key(**SAID | values)
    key_proposals.propose_issue(issued, lifetime=30 * DAY, by=by, at=at)
    return issued


@pytest.fixture
def key():
    return api_keys.issue_bank_key(at=NOON, scopes=["*:read"]).key


def test_a_proposed_key_is_no_key_until_it_is_confirmed(rosa):
    issued = propose(rosa, at=NOON - DAY)

    assert not BankKey.objects.exists()
    confirm_change()
    key = BankKey.objects.get()
    assert (key.access_key, key.secret_digest) == (
        issued.key.access_key,
        api_keys.secret_digest(issued.secret),
    )
    assert key.expires_at == NOON + 30 * DAY


def test_a_rejected_proposal_leaves_no_key(rosa):
    propose(rosa)

    staff_changes.reject(StaffChange.objects.get(), by=rosa, at=NOON)

    assert not BankKey.objects.exists()


@pytest.mark.parametrize("wrong", [{"scopes": []}, {"scopes": ["x:write"]}, {"networks": ["x"]}])
def test_a_wrong_key_is_not_proposed(rosa, wrong):
    with pytest.raises(ValueError, match=r"scope|network"):
        propose(rosa, **wrong)

    assert not StaffChange.objects.exists()


def test_a_new_account_proposes_no_key(rosa, settings):
    settings.SECOND_PERSON_WAIT = 3 * DAY
    rosa.access_changed_at = NOON

    with pytest.raises(AccountTooNew):
        propose(rosa)


def test_the_scopes_and_networks_of_the_present_key_are_in_words(rosa, key):
    key_proposals.propose_rotation(key, grace=timedelta(0), by=rosa, at=NOON)

    assert StaffChange.objects.get().summary == [
        f"Another secret of bank key {key}.",
        "Its label: none.",
        "Its scopes: *:read.",
        "It can call from: any address.",
        "The old secret works for 0 more hours.",
    ]


def test_no_secret_is_proposed_for_a_key_that_has_ended(rosa, key):
    with pytest.raises(KeyNotLive):
        key_proposals.propose_rotation(key, grace=DAY, by=rosa, at=NOON + timedelta(days=1000))


def test_what_a_command_did_to_a_key_is_a_staff_event(key, make_api_key):
    partners = make_api_key().key
    key_proposals.record_command(key, "issued", at=NOON)
    key_proposals.record_command(partners, "revoked", at=NOON)

    first, second = StaffEvent.objects.order_by("number")
    assert (first.type, first.who) == ("BANK_KEY", "")
    assert first.details["summary"][0] == f"Bank key {key} was issued."
    assert (second.type, second.who) == ("PARTNER_KEY", "")
    assert second.details["summary"][:2] == [
        f"Partner's key {partners} was revoked.",
        f"Its partner: {partners.partner}.",
    ]
