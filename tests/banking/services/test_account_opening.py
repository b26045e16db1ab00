import pytest
from django.db import IntegrityError

from banking.choices import (
    AccountStatus,
    AccountType,
    AddressKind,
    BusinessOwnerRole,
    BusinessType,
    DunsStatus,
    SubscriptionStatus,
    UserType,
)
from banking.days import next_month
from banking.models import (
    Account,
    Business,
    BusinessAddress,
    BusinessOwner,
    DunsRegistration,
    FeedChange,
    Plan,
    Subscription,
    TaxBucket,
    User,
)
from banking.services import account_opening
from banking.services.accounts import AccountInUse
from tests.factories import NOON, later, make_account, make_transaction, make_user


def draft_business(**values):
    values = {
        "legal_name": "Analytical Engines LLC",
        "business_type": BusinessType.LLC,
        "incorporation_state": "DE",
        "email": "ada@example.com",
        "created_at": NOON,
        **values,
    }
    return Business(**values)


def draft_owner(**values):
    values = {
        "first_name": "Ada",
        "last_name": "Example",
        "email": "ada@example.com",
        "ownership_percent": 60,
        "role": BusinessOwnerRole.PRIMARY_OWNER,
        **values,
    }
    return BusinessOwner(**values)


def open_business(*, owners=(), addresses=()):
    return account_opening.open_business(
        draft_business(), owners=owners, addresses=addresses, at=NOON
    )


def test_a_business_gets_a_checking_account_and_a_bucket_for_taxes(db):
    checking = open_business()

    business = Business.objects.get()
    opened = {
        account.account_type: account for account in Account.objects.filter(business=business)
    }
    assert set(opened) == {AccountType.MAIN_ACCOUNT, AccountType.TAX_BUCKET}
    assert opened[AccountType.MAIN_ACCOUNT] == checking
    assert (checking.is_primary, checking.current_cents, checking.opened_at) == (True, 0, NOON)
    assert TaxBucket.objects.get().account == opened[AccountType.TAX_BUCKET]


def test_its_people_and_addresses_are_saved_with_it(db):
    grace = draft_owner(email="grace@example.com", role=BusinessOwnerRole.UBO)
    address = BusinessAddress(kind=AddressKind.REGISTERED, line1="1 Example Street")

    checking = open_business(owners=[draft_owner(), grace], addresses=[address])

    owners = BusinessOwner.objects.order_by("pk").values_list("email", "business")
    business = checking.business_id
    assert list(owners) == [("ada@example.com", business), ("grace@example.com", business)]
    assert BusinessAddress.objects.get().business_id == business


def test_the_banks_systems_are_told_of_it(db):
    Plan.objects.create(code="START", name="Start", price_cents=0, is_default=True)
    address = BusinessAddress(kind=AddressKind.REGISTERED, line1="1 Example Street")
    checking = open_business(owners=[draft_owner()], addresses=[address])

    business = checking.business
    owner = business.owners.get()
    changes = FeedChange.objects.order_by("pk").values_list("kind", "external_id", "version")
    assert list(changes) == [
        ("businesses", str(business.external_id), 0),
        ("owners", str(owner.external_id), 0),
        ("addresses", f"{business.external_id}.REGISTERED", 0),
        *(("accounts", str(one.external_id), 0) for one in business.accounts.order_by("pk")),
        ("subscriptions", str(business.external_id), 0),
        ("users", str(owner.user.external_id), 0),
    ]


def test_a_user_whom_an_opening_moves_is_told_under_the_id_of_the_core(feed, line, db):
    person = {"email": "ada@example.com", "firstName": "Ada", "lastName": "Example"}
    feed(line("users", "U-1", userType="BUSINESS", **person))

    open_business(owners=[draft_owner()])

    change = FeedChange.objects.filter(kind="users").latest("pk")
    assert (change.external_id, change.version, change.result) == ("U-1", 1, "updated")
    (outcome,) = feed(line("users", "U-1", userType="BUSINESS", **person))
    assert outcome["result"] == "stale"


def test_an_owner_who_gets_no_sign_in_is_no_user_in_the_changes(db):
    make_user(email="ada@example.com", user_type=UserType.ACCOUNTANT)

    open_business(owners=[draft_owner()])

    assert not FeedChange.objects.filter(kind="users").exists()


def test_a_duns_number_is_recorded_as_reported(db):
    checking = account_opening.open_business(
        draft_business(), owners=(), addresses=(), duns="123456789", at=NOON
    )

    change = FeedChange.objects.get(kind="duns-registrations")
    assert change.external_id == str(checking.business.external_id)
    registration = checking.business.duns_registration
    assert (registration.number, registration.status) == ("123456789", DunsStatus.REPORTED)
    assert (registration.registered_name, registration.registered_date) == ("", None)


def test_without_a_duns_number_no_registration_is_made_up(db):
    open_business()

    assert not DunsRegistration.objects.exists()


def test_it_is_on_the_default_plan_which_renews_on_the_first_of_the_next_month(db):
    Plan.objects.create(code="GROW", name="Grow", price_cents=1200)
    start = Plan.objects.create(code="START", name="Start", price_cents=0, is_default=True)

    subscription = open_business().business.subscription

    assert (subscription.plan, subscription.status) == (start, SubscriptionStatus.ACTIVE)
    assert subscription.started_date == NOON.date()
    assert subscription.renewal_date == next_month(NOON.date())


def test_without_a_default_plan_it_is_on_none(db):
    Plan.objects.create(code="GROW", name="Grow", price_cents=1200)

    open_business()

    assert not Subscription.objects.exists()


def test_it_is_all_or_nothing(db):
    with pytest.raises(IntegrityError):
        open_business(owners=[draft_owner(), draft_owner()])

    assert not Business.objects.exists()
    assert not Account.objects.of_customers().exists()


@pytest.mark.parametrize(("role", "users"), [("", 1), ("PARTNER", 2), ("PARTNER_FULL_ACCESS", 2)])
def test_the_primary_owner_and_owners_with_a_sign_in_role_are_given_sign_ins(db, role, users):
    grace = draft_owner(email="grace@example.com", role=BusinessOwnerRole.UBO, sign_in_role=role)

    open_business(owners=[draft_owner(), grace])

    assert User.objects.count() == users
    assert User.objects.get(email="ada@example.com").business_owner.role == "PRIMARY_OWNER"
    assert not any(user.has_usable_password() for user in User.objects.all())


def test_a_business_opens_although_nobody_can_be_given_a_sign_in(db):
    make_user(email="ada@example.com", user_type=UserType.ACCOUNTANT)

    open_business(owners=[draft_owner()])

    assert BusinessOwner.objects.get().user is None


def test_two_openings_at_once_with_one_email_share_no_sign_in(in_threads):
    opened = in_threads(lambda _: open_business(owners=[draft_owner()]), range(2))

    assert len({account.business_id for account in opened}) == 2
    assert BusinessOwner.objects.filter(user=User.objects.get()).count() == 1


def test_accounts_are_open_for_a_time_and_then_for_good(db):
    checking, other = open_business(), make_account(end_date=NOON.date())

    account_opening.limit(checking, until=later(days=30).date())
    dates = Account.objects.filter(business=checking.business).values_list("end_date")
    assert set(dates) == {(later(days=30).date(),)}

    account_opening.limit(checking, until=None)
    assert set(dates.all()) == {(None,)}
    other.refresh_from_db()
    assert other.end_date == NOON.date()


def test_empty_accounts_are_closed_together(db):
    checking, other = open_business(), make_account()

    account_opening.close(checking, at=later(days=1))

    statuses = Account.objects.filter(business=checking.business).values_list("status", "closed_at")
    assert list(statuses) == [(AccountStatus.CLOSED, later(days=1))] * 2
    other.refresh_from_db()
    assert other.is_open


@pytest.mark.parametrize("place", [0, 1])
def test_with_money_in_one_account_all_stay_open(db, place):
    checking = open_business()
    accounts = Account.objects.filter(business=checking.business).order_by("pk")
    make_transaction(accounts[place])

    with pytest.raises(AccountInUse):
        account_opening.close(checking, at=later(days=1))

    assert {account.is_open for account in accounts} == {True}
