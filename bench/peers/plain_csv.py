"""A file of transactions as Django views write it: the ORM reads, `csv` writes, a line at a time.

Served by `bench.peers.django_wsgi` with `PEER=plain_csv`; cells are written as they are.
"""

import csv
from collections.abc import Iterator

from django.db import models
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import path

from bench.peers.csv_columns import HEADER, UNCOUNTED


class Record(models.Model):
    """A row that only this module reads."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.pk}"


class Account(Record):
    """An account."""

    account_number = models.CharField(max_length=12)

    class Meta:
        app_label, managed, db_table = "peers", False, "banking_account"


class Category(Record):
    """What money was spent on."""

    code = models.CharField(max_length=40, primary_key=True)
    display_name = models.CharField(max_length=80)
    category_type = models.CharField(max_length=8)

    class Meta:
        app_label, managed, db_table = "peers", False, "banking_category"


class Merchant(Record):
    """Where it was spent."""

    name = models.CharField(max_length=200)

    class Meta:
        app_label, managed, db_table = "peers", False, "banking_merchant"


class Transaction(Record):
    """A transaction."""

    external_id = models.UUIDField()
    business_id = models.BigIntegerField()
    account = models.ForeignKey(Account, models.PROTECT)
    transaction_type = models.CharField(max_length=40)
    status = models.CharField(max_length=20)
    amount_cents = models.BigIntegerField()
    occurred_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    category = models.ForeignKey(Category, models.PROTECT)
    merchant = models.ForeignKey(Merchant, models.PROTECT, null=True)
    merchant_raw_name = models.CharField(max_length=200)
    description = models.CharField(max_length=200)
    is_business = models.BooleanField()

    class Meta:
        app_label, managed, db_table = "peers", False, "banking_transaction"


class Echo:
    """Where `csv` writes; it returns what is written."""

    def write(self, line: str) -> str:
        """Return the line."""
        return line


def export(request: HttpRequest, business: int, first: str, until: str) -> StreamingHttpResponse:
    """Stream the transactions of some days."""
    found = Transaction.objects.filter(
        business_id=business,
        status__in=["PENDING", "POSTED"],
        occurred_at__gte=f"{first}T00:00:00Z",
        occurred_at__lt=f"{until}T00:00:00Z",
    )
    whole = found.select_related("account", "category", "merchant")
    lines = written(whole.order_by("-occurred_at", "-id"))
    return StreamingHttpResponse(lines, content_type="text/csv")


def written(rows: models.QuerySet[Transaction]) -> Iterator[str]:
    """Yield the lines."""
    writer = csv.writer(Echo())
    yield writer.writerow(HEADER)  # type: ignore[misc]  # what `write` returns, here a line
    for row in rows.iterator():
        yield writer.writerow(cells(row))  # type: ignore[misc]  # the same


def cells(row: Transaction) -> list[object]:
    """Return what a line says."""
    return [
        row.external_id,
        row.occurred_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        f"••••{row.account.account_number[-4:]}",
        row.transaction_type,
        row.status,
        f"{row.amount_cents / 100:.2f}",
        row.category.display_name,
        row.merchant.name if row.merchant else row.merchant_raw_name,
        row.description,
        "BUSINESS" if row.is_business else "PRIVATE",
        row.settled_at.strftime("%Y-%m-%dT%H:%M:%SZ") if row.settled_at else "",
        "" if row.category.code in UNCOUNTED else row.category.category_type,
    ]


urlpatterns = [path("csv/<int:business>/<first>/<until>", export)]
