"""The demo bank: records that a core system would send, loaded in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db import transaction

from banking.choices import AccountType
from banking.demo import accountants, cast, offers
from banking.demo.book import add_movements
from banking.demo.businesses import DemoBusiness, SharedRecords, build
from banking.demo.closing import add_statements, make_tax_statements
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.lines import Lines, store
from banking.demo.shops import MerchantDirectory
from banking.models import Account, PaymentRule, User


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
        """Return the days of a business's history; a main business also has a quiet beginning."""
        return Days(self.until, months or self.months, has_quiet_beginning=is_main)


def is_loaded() -> bool:
    """Return whether the demo bank has been loaded."""
    return User.objects.filter(email=cast.ACCOUNTANT_USER).exists()


@transaction.atomic
def load(wanted: Wanted) -> None:
    """Load the demo bank through the record feed, and make the past tax statements.

    Stores all or nothing; a concurrent call waits. Raises: AlreadyLoaded, LineRefused.
    """
    _wait_for_others()
    if is_loaded():
        raise AlreadyLoaded("the demo bank is there already")
    lines, everybody = plan(wanted)
    store(lines, at=wanted.days().end)
    for demo in everybody:
        if AccountType.TAX_BUCKET in demo.book.accounts:
            make_tax_statements(demo.book)


def plan(wanted: Wanted) -> tuple[Lines, list[DemoBusiness]]:
    """Return the feed's lines of a demo bank, and its businesses; nothing is stored.

    Reads the payment rules of the database.
    """
    lines, dice = Lines(), Dice(f"{wanted.seed}:bank")
    mains, clients = _build(lines, wanted, dice)
    everybody = [*mains, *clients]
    add_movements(lines, [demo.book for demo in everybody])
    for demo in everybody:
        demo.add_documents(lines)
    _sign(lines, everybody, dice)
    _introduce(lines, mains, clients, wanted, dice)
    for demo in everybody:
        add_statements(lines, demo.book)
    return lines, everybody


def _wait_for_others() -> None:
    """Lock the clearing account, so that a second process that loads the demo bank waits."""
    clearing = Account.objects.filter(business=None, account_type=AccountType.CLEARING)
    clearing.select_for_update(no_key=True).get()


def _build(
    lines: Lines, wanted: Wanted, dice: Dice
) -> tuple[list[DemoBusiness], list[DemoBusiness]]:
    """Plan the main businesses and the accountants' clients; return both lists."""
    main, small = cast.main_profiles(wanted.businesses), cast.client_profiles()
    shared = SharedRecords(
        seed=wanted.seed,
        directory=MerchantDirectory(lines, dice, [*main, *small]),
        rules={rule.method: rule for rule in PaymentRule.objects.all()},
    )
    mains = [
        build(lines, profile, wanted.days(is_main=profile.has_quiet_beginning), shared)
        for profile in main
    ]
    clients = [
        build(lines, profile, wanted.days(months=1 + index % 2), shared)
        for index, profile in enumerate(small)
    ]
    return mains, clients


def _sign(lines: Lines, everybody: Sequence[DemoBusiness], dice: Dice) -> None:
    """Add each business's subscription to its plan and its acceptances of terms."""
    plans = offers.plan_plans(lines)
    terms = offers.plan_terms(lines, everybody[0].book.days, dice)
    for demo in everybody:
        without = cast.without_terms(demo.book.profile)
        lines.add("subscriptions", offers.subscribe(demo.book, plans[demo.book.profile.plan]))
        accepted = offers.acceptances(demo.business, demo.owner, terms, without=without)
        lines.add("terms-acceptances", *accepted)


def _introduce(
    lines: Lines,
    mains: Sequence[DemoBusiness],
    clients: Sequence[DemoBusiness],
    wanted: Wanted,
    dice: Dice,
) -> None:
    """Add the accountants with their accesses and referrals."""
    end = wanted.days().end
    people = accountants.plan_accountants(lines, at=end - timedelta(days=900), dice=dice)
    accountants.plan_accesses(
        lines,
        people,
        [demo.business for demo in mains],
        [demo.business for demo in clients],
        until=end,
    )
    accountants.plan_referrals(lines, people, until=end, dice=dice)
