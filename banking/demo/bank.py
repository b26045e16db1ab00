"""The demo bank, loaded as a whole or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db import transaction

from banking.choices import AccountType
from banking.demo import accountants, cast, offers
from banking.demo.book import write
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.house import Ground, House, build
from banking.demo.shops import Mall
from banking.models import Account, PaymentRule, Subscription, TermsAcceptance, User
from banking.services import ledger


class AlreadyLoaded(Exception):
    """The demo bank is there."""


@dataclass(frozen=True)
class Wanted:
    """What the demo bank is to be like; the same gives the same rows.

    Nothing has happened yet on the day `until`.
    """

    until: date
    businesses: int = 3
    months: int = 18
    seed: int = 7

    def days(self, *, months: int | None = None, is_main: bool = False) -> Days:
        """Return the time that a business was in business."""
        return Days(self.until, months or self.months, has_quiet_beginning=is_main)


def is_loaded() -> bool:
    """Say whether the demo bank is there."""
    return User.objects.filter(email=cast.ACCOUNTANT_USER).exists()


@transaction.atomic
def load(wanted: Wanted) -> None:
    """Load the demo bank. Raises: AlreadyLoaded."""
    _wait_for_others()
    if is_loaded():
        raise AlreadyLoaded("the demo bank is there already")
    dice = Dice(f"{wanted.seed}:bank")
    houses, clients = _build(wanted, dice)
    everybody = [*houses, *clients]
    write(house.book for house in everybody)
    for house in everybody:
        house.save_documents()
    _sign(everybody, dice)
    _introduce(houses, clients, wanted, dice)
    for house in everybody:
        house.close()


def _wait_for_others() -> None:
    """Let one load at a time; the others find the bank loaded."""
    clearing = Account.objects.filter(business=None, account_type=AccountType.CLEARING)
    clearing.select_for_update(no_key=True).get()


def _build(wanted: Wanted, dice: Dice) -> tuple[list[House], list[House]]:
    """Build the businesses to look at, and the accountants' clients."""
    main, small = cast.main_profiles(wanted.businesses), cast.client_profiles()
    ground = Ground(
        seed=wanted.seed,
        mall=Mall(dice, [*main, *small]),
        fee_income=ledger.bank_account(AccountType.FEE_INCOME),
        rules={rule.method: rule for rule in PaymentRule.objects.all()},
    )
    houses = [
        build(profile, wanted.days(is_main=profile.has_quiet_beginning), ground) for profile in main
    ]
    clients = [
        build(profile, wanted.days(months=1 + index % 2), ground)
        for index, profile in enumerate(small)
    ]
    return houses, clients


def _sign(everybody: Sequence[House], dice: Dice) -> None:
    """Put each business on a plan, and let it accept the terms that it has to."""
    plans = offers.save_plans()
    terms = offers.save_terms(everybody[0].book.days, dice)
    Subscription.objects.bulk_create(
        offers.subscribe(house.book, plans[house.book.profile.plan]) for house in everybody
    )
    TermsAcceptance.objects.bulk_create(
        acceptance
        for house in everybody
        for acceptance in offers.acceptances(
            house.business, terms, without=cast.without_terms(house.book.profile)
        )
    )


def _introduce(
    houses: Sequence[House], clients: Sequence[House], wanted: Wanted, dice: Dice
) -> None:
    """Bring the accountants in."""
    end = wanted.days().end
    people = accountants.save_accountants(at=end - timedelta(days=900), dice=dice)
    accountants.grant_accesses(
        people,
        [house.business for house in houses],
        [house.business for house in clients],
        until=end,
    )
    accountants.save_referrals(people, until=end, dice=dice)
