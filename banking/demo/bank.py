"""The demo bank, loaded in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db import transaction

from banking.choices import AccountType
from banking.demo import accountants, cast, offers
from banking.demo.book import write
from banking.demo.businesses import DemoBusiness, SharedRecords, build
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.shops import MerchantDirectory
from banking.models import Account, PaymentRule, Subscription, TermsAcceptance, User
from banking.services import ledger


class AlreadyLoaded(Exception):
    """The demo bank has been loaded before."""


@dataclass(frozen=True)
class Wanted:
    """The options of a demo bank. Equal options create equal rows.

    The history ends before the day `until`.
    """

    until: date
    businesses: int = 3
    months: int = 18
    seed: int = 7

    def days(self, *, months: int | None = None, is_main: bool = False) -> Days:
        """Return the days of a business's history."""
        return Days(self.until, months or self.months, has_quiet_beginning=is_main)


def is_loaded() -> bool:
    """Return whether the demo bank has been loaded."""
    return User.objects.filter(email=cast.ACCOUNTANT_USER).exists()


@transaction.atomic
def load(wanted: Wanted) -> None:
    """Load the demo bank. Raises: AlreadyLoaded."""
    _wait_for_others()
    if is_loaded():
        raise AlreadyLoaded("the demo bank is there already")
    dice = Dice(f"{wanted.seed}:bank")
    mains, clients = _build(wanted, dice)
    everybody = [*mains, *clients]
    write(demo.book for demo in everybody)
    for demo in everybody:
        demo.save_documents()
    _sign(everybody, dice)
    _introduce(mains, clients, wanted, dice)
    for demo in everybody:
        demo.close()


def _wait_for_others() -> None:
    """Lock the clearing account, so that a second process that loads the demo bank waits."""
    clearing = Account.objects.filter(business=None, account_type=AccountType.CLEARING)
    clearing.select_for_update(no_key=True).get()


def _build(wanted: Wanted, dice: Dice) -> tuple[list[DemoBusiness], list[DemoBusiness]]:
    """Build the main businesses and the accountants' clients; return both lists."""
    main, small = cast.main_profiles(wanted.businesses), cast.client_profiles()
    shared = SharedRecords(
        seed=wanted.seed,
        directory=MerchantDirectory(dice, [*main, *small]),
        fee_income=ledger.bank_account(AccountType.FEE_INCOME),
        rules={rule.method: rule for rule in PaymentRule.objects.all()},
    )
    mains = [
        build(profile, wanted.days(is_main=profile.has_quiet_beginning), shared) for profile in main
    ]
    clients = [
        build(profile, wanted.days(months=1 + index % 2), shared)
        for index, profile in enumerate(small)
    ]
    return mains, clients


def _sign(everybody: Sequence[DemoBusiness], dice: Dice) -> None:
    """Save each business's subscription to its plan and its acceptances of terms."""
    plans = offers.save_plans()
    terms = offers.save_terms(everybody[0].book.days, dice)
    Subscription.objects.bulk_create(
        offers.subscribe(demo.book, plans[demo.book.profile.plan]) for demo in everybody
    )
    TermsAcceptance.objects.bulk_create(
        acceptance
        for demo in everybody
        for acceptance in offers.acceptances(
            demo.business, terms, without=cast.without_terms(demo.book.profile)
        )
    )


def _introduce(
    mains: Sequence[DemoBusiness], clients: Sequence[DemoBusiness], wanted: Wanted, dice: Dice
) -> None:
    """Save the accountants with their accesses and referrals."""
    end = wanted.days().end
    people = accountants.save_accountants(at=end - timedelta(days=900), dice=dice)
    accountants.grant_accesses(
        people,
        [demo.business for demo in mains],
        [demo.business for demo in clients],
        until=end,
    )
    accountants.save_referrals(people, until=end, dice=dice)
