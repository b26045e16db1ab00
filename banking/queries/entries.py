"""Ledger entries of an account with the balance after each."""

from datetime import date
from typing import Any

from django.db.models import F, Prefetch, QuerySet, RowRange, Subquery, Sum, Window
from django.db.models.functions import Coalesce

from banking.days import DAY, midnight
from banking.models import Account, Entry, Transaction

NEWEST_FIRST = ["-posted_at", "-id"]


def list_entries(account: Account, *, until: date | None = None) -> QuerySet[Entry]:
    """Return an account's entries, the newest first, with their postings, accounts, transactions.

    `until` is the last day (UTC); None for no bound. `balance_cents` of an entry is the balance of
    the account after it: the stored balance less all later entries. The bank's own accounts store
    no balance, so do not use it for them.
    """
    entries = Entry.objects.filter(account=account)
    later: Any = 0
    if until is not None and until < date.max:
        end = midnight(until + DAY)
        after = entries.filter(posted_at__gte=end).order_by().values("account")
        later = Coalesce(Subquery(after.annotate(sum=Sum("amount_cents")).values("sum")), 0)
        entries = entries.filter(posted_at__lt=end)
    newer = Window(
        Sum("amount_cents"),
        order_by=[F("posted_at").desc(), F("id").desc()],
        frame=RowRange(start=None, end=-1),
    )
    counterparts = Entry.objects.select_related("account__business").order_by("pk")
    return (
        entries.annotate(balance_cents=F("account__current_cents") - later - Coalesce(newer, 0))
        .select_related("posting")
        .prefetch_related(
            Prefetch("posting__entries", counterparts),
            Prefetch("posting__transactions", Transaction.objects.select_related("merchant")),
        )
        .order_by(*NEWEST_FIRST)
    )
