"""manage.py post: post one transaction to an account, or reverse a posting."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import RegexValidator
from django.utils import timezone

from banking import money
from banking.choices import TransactionType
from banking.management.accounts import find_account
from banking.models import Posting, Transaction
from banking.services import balances, ledger

REFUSALS = (
    balances.AccountClosed,
    balances.AccountFrozen,
    ledger.AlreadyReversed,
    ledger.BeforeOpening,
    ledger.CountedAsPayment,
    balances.InsufficientFunds,
    ledger.KeyReused,
    ledger.MonthClosed,
)
MAX_KEY_LENGTH = 100
PRINTABLE = RegexValidator(r"^[^\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+$")


class Command(BaseCommand):
    help = (
        "Post one transaction to an account, or with --reverse undo a posting. The key names it: "
        "under a key that was used, nothing is posted again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--account", help="Its external id, or its number.")
        what.add_argument("--reverse", metavar="POSTING", help="The id of a posting to undo.")
        parser.add_argument("--key", help="What names this posting for good, needed to post.")
        parser.add_argument("--amount", help="Dollars, negative if they leave: --amount=-12.50.")
        parser.add_argument("--type", choices=TransactionType.values, default="FUND_TRANSFER")
        parser.add_argument("--category", default="", help="The code of a category.")
        parser.add_argument("--description", required=True, help="What the customer reads.")
        parser.add_argument(
            "--allow-overdraft", action="store_true", help="Post even more than is available."
        )

    def handle(self, *, reverse: str | None, **options: Any) -> None:
        now = timezone.now()
        try:
            PRINTABLE(options["description"])
        except ValidationError:
            raise CommandError("--description: write something that can be read.") from None
        try:
            posting = self._reverse(reverse, now, options) if reverse else self._post(now, options)
        except REFUSALS as exc:
            raise CommandError(f"{exc}.") from None
        done = "reversed" if reverse else "posted"
        verb = done if posting.posted_at == now else f"was {done} already as"
        self.stdout.write(f"{verb} {posting.pk}")

    def _reverse(self, name: str, now: datetime, options: dict[str, Any]) -> Posting:
        try:
            posting = Posting.objects.get(pk=name)
        except (Posting.DoesNotExist, ValidationError):
            raise CommandError("There is no posting with this id.") from None
        if options["key"] or options["amount"]:
            raise CommandError("--reverse takes neither --key nor --amount.")
        made = Posting.objects.filter(reverses=posting).first()
        return made or ledger.reverse(posting, at=now, reason=options["description"])

    def _post(self, now: datetime, options: dict[str, Any]) -> Posting:
        if not options["key"] or not options["amount"]:
            raise CommandError("--key and --amount are needed to post.")
        if len(options["key"]) > MAX_KEY_LENGTH:
            raise CommandError(f"--key has at most {MAX_KEY_LENGTH} characters.")
        row = _transaction(now, options)
        return ledger.post(
            row,
            at=now,
            idempotency_key=options["key"],
            allow_overdraft=options["allow_overdraft"],
        )


def _transaction(now: datetime, options: dict[str, Any]) -> Transaction:
    """Return the unsaved transaction that the options describe. Raises: CommandError."""
    try:
        amount = money.cents(options["amount"])
    except money.InvalidAmount as exc:
        raise CommandError(f"--amount: {exc}.") from None
    if not amount:
        raise CommandError("--amount: nothing is no amount.")
    row = Transaction(
        account=find_account(options["account"]),
        transaction_type=options["type"],
        amount_cents=amount,
        occurred_at=now,
        category_id=options["category"] or ("OTHER_INCOME" if amount > 0 else "OTHER_EXPENSE"),
        description=options["description"],
    )
    try:
        row.clean_fields(exclude=["business", "status"])
    except ValidationError as exc:
        raise CommandError(" ".join(exc.messages)) from None
    return row
