"""What can be asked of transactions: one filter for the search, the export and the detail."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from django.db.models import Q, QuerySet, Subquery
from django.db.models.functions import Abs

from banking.models import Account, Business, Transaction, TransactionTotal
from banking.models.transactions import DAY, EARLIEST, LATEST, TransactionQuerySet


@dataclass(frozen=True)
class TransactionFilter:
    """Which transactions are wanted; what is None excludes none.

    Units: days of UTC, the first and the last included; cents without a sign.
    """

    start_date: date | None = None
    end_date: date | None = None
    account: Account | None = None
    account_number: str | None = None
    is_pending: bool | None = None
    transaction_type: str | None = None
    category: str | None = None
    is_business: bool | None = None
    min_amount_cents: int | None = None
    max_amount_cents: int | None = None

    @property
    def has_amounts(self) -> bool:
        """Say whether it looks at amounts, of which no totals are kept."""
        return self.min_amount_cents is not None or self.max_amount_cents is not None

    @property
    def first(self) -> date | None:
        """Return the first day."""
        return _sane(self.start_date) if self.start_date else None

    @property
    def until(self) -> date | None:
        """Return the day after the last."""
        return _sane(self.end_date) + DAY if self.end_date else None

    def transactions(self, business: Business) -> TransactionQuerySet:
        """Return the live transactions of the business that are wanted."""
        found = Transaction.objects.filter(self._of_kind(business), business=business)
        if self.is_pending is None:
            found = found.live()
        else:
            found = found.pending() if self.is_pending else found.posted()
        if self.first:
            found = found.filter(occurred_at__gte=_midnight(self.first))
        if self.until:
            found = found.filter(occurred_at__lt=_midnight(self.until))
        return self._of_amount(found)

    def totals(self, business: Business) -> QuerySet[TransactionTotal]:
        """Return the totals, of whatever day or month, that count such transactions."""
        found = TransactionTotal.objects.filter(
            self._of_kind(business), business=business, count__gt=0
        )
        return found if self.is_pending is None else found.filter(is_pending=self.is_pending)

    def _of_kind(self, business: Business) -> Q:
        wanted = {
            "account": self.account,
            "transaction_type": self.transaction_type,
            "category": self.category,
            "is_business": self.is_business,
        }
        kind = Q(**{name: value for name, value in wanted.items() if value is not None})
        if self.account_number is None:
            return kind
        accounts = Account.objects.filter(business=business, account_number=self.account_number)
        return kind & Q(account=Subquery(accounts.values("pk")))

    def _of_amount(self, found: TransactionQuerySet) -> TransactionQuerySet:
        found = found.alias(size=Abs("amount_cents"))  # as the index has it
        if self.min_amount_cents is not None:
            found = found.filter(size__gte=self.min_amount_cents)
        if self.max_amount_cents is not None:
            found = found.filter(size__lte=self.max_amount_cents)
        return found


def _sane(day: date) -> date:
    return min(max(day, EARLIEST), LATEST)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
