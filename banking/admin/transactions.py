"""Transactions: found within one business or account, or by their id."""

import uuid
from datetime import timedelta

from django.contrib import admin, messages
from django.utils import timezone

from banking.admin import amounts
from banking.admin.ledger import posting_link_of
from banking.admin.operation_forms import StatementTextForm
from banking.admin.operation_pages import Operation, OperationPages
from banking.admin.receipts import ReceiptPages
from banking.admin.records import AccountFilter, BusinessFilter, account_link_of, link_to_account
from banking.choices import TransactionStatus
from banking.models import Entry, Transaction
from banking.money import foreign_text
from banking.services import corrections
from foundation.backoffice import cells
from foundation.backoffice.cells import Column, Table
from foundation.backoffice.lists import MAX_ROWS, flag_filter, key_of, may_view
from foundation.backoffice.screens import aside, fieldset, link_to, stack

NEED_A_BUSINESS = (
    "To search for words, open a business or an account and follow the link to its "
    "transactions. Here you can search for ids only."
)
SEARCHED = (
    f"Only the newest {MAX_ROWS:,} transactions of this list were searched. "
    "To search older ones, choose a period."
)


class OfOneAccount(AccountFilter):
    def queryset(self, request, queryset):
        """Filter by the account, and by its business because the index begins with the business."""
        return queryset.filter(account=self.chosen, business=self.chosen.business_id)


class PeriodFilter(admin.SimpleListFilter):
    title, parameter_name = "period", "period"

    def lookups(self, request, model_admin):
        this_year = timezone.now().year
        years = [(str(year), str(year)) for year in range(this_year, this_year - 4, -1)]
        return [("7", "Past 7 days"), ("30", "Past 30 days"), *years]

    def queryset(self, request, queryset):
        days = {"7": 7, "30": 30}.get(self.value())
        if days:
            return queryset.filter(occurred_at__gte=timezone.now() - timedelta(days=days))
        is_listed = self.value() in dict(self.lookup_choices)
        return queryset.filter(occurred_at__year=int(self.value())) if is_listed else queryset


class TransactionScreen:
    """Columns of a transaction that the list and the page share."""

    amount = amounts.amount_of("amount_cents")
    status_badge = cells.badge_of("status")
    occurred = cells.timestamp_of("occurred_at")
    for_business = cells.flag_of("is_business", "for business")
    of_account = account_link_of("account")
    raw_name = cells.text_of("merchant_raw_name", "name in the file")
    mcc = cells.text_of("merchant.mcc", "MCC")
    website = cells.text_of("merchant.website", "website")
    merchant_known = cells.text_of("merchant_name", "merchant")
    place = cells.value_of("location.lines", "place", cells.lines)
    of_card = cells.value_of("card", "", lambda card: link_to(card, f"••••{card.last4}"))
    of_posting = posting_link_of("posting", "posting")
    reversed_posting = posting_link_of("posting.reverses", "reverses")
    reversal = posting_link_of("posting.reversed_by", "reversed by")

    @admin.display(description="coordinates")
    def coordinates(self, row):
        if row.location is None or row.location.latitude is None:
            return ""
        return f"{row.location.latitude}, {row.location.longitude}"

    @admin.display(description="original amount")
    def original(self, row):
        if row.original_amount_cents is None:
            return ""
        return foreign_text(row.original_amount_cents, row.original_currency)

    @admin.display(description="pays")
    def pays(self, row):
        payment, invoice = getattr(row, "bill_payment", None), getattr(row, "invoice", None)
        if payment:
            return link_to(payment.bill, f"Bill {payment.bill.number}")
        return link_to(invoice, f"Invoice {invoice.number}") if invoice else ""


def _is_reversible(row):
    posting = row.posting
    return bool(posting and not posting.reverses_id and not hasattr(posting, "reversed_by"))


OPERATIONS = {
    "reverse": Operation(
        "Reverse",
        corrections.propose_reversal,
        _is_reversible,
        "The opposite of the whole posting will be posted, once. It will name the one it reverses.",
        StatementTextForm,
    ),
    "release": Operation(
        "Release the hold",
        corrections.propose_release,
        lambda row: row.is_pending and getattr(row, "bill_payment", None) is None,
        "The amount will be available again, and the transaction will not be posted.",
    ),
}


@admin.register(Transaction)
class TransactionAdmin(TransactionScreen, OperationPages, ReceiptPages):
    """Transactions; without a business or an account, the newest of the bank.

    No count and no search reads more than `MAX_ROWS` rows, however many there are.
    """

    operations = OPERATIONS
    list_display = ["label", "where", "status_badge", "occurred", "amount"]
    list_filter = [BusinessFilter, OfOneAccount, PeriodFilter, "transaction_type", "status"]
    list_filter += [flag_filter("is_business", "business use")]
    list_select_related = ["business", "account", "merchant", "category"]
    show_facets = admin.ShowFacets.NEVER
    sortable_by = []
    ordering = ["-occurred_at", "-pk"]
    search_fields = ["merchant__name", "merchant_raw_name", "description", "note"]
    search_help_text = (
        "Transaction or posting id. Within a business or an account, also merchant, description "
        f"or note. Otherwise the list has the bank's newest {MAX_ROWS:,} transactions, or the "
        "pending ones."
    )
    id_fields = ["external_id", "posting_id"]
    headline_badge = TransactionScreen.status_badge
    fieldsets = [
        fieldset(
            "Transaction",
            "transaction_type",
            "category",
            "of_account",
            "occurred_at",
            "settled_at",
            "settles_at",
            "for_business",
            "original",
            "of_card",
            "pays",
            "description",
            "note",
        ),
        fieldset(
            "Merchant", "merchant_known", "raw_name", "mcc", "website", "place", "coordinates"
        ),
        fieldset("Ledger", "of_posting", "reversed_posting", "reversal"),
        aside("Record", "of_business", "external_id", "source_id"),
    ]

    def get_search_results(self, request, queryset, search_term):
        term = search_term.strip()
        if _is_id(term):
            return super().get_search_results(request, queryset, term)
        is_narrow = request.GET.get("business") or request.GET.get("account")
        if not is_narrow:
            if term:
                self.message_user(request, NEED_A_BUSINESS, messages.WARNING)
                return queryset.none(), False
            return _newest(request, queryset), False
        return super().get_search_results(
            request, self._within_reach(request, queryset, term), term
        )

    def _within_reach(self, request, queryset, term):
        """Return the MAX_ROWS newest rows, which a search for `term` may read; all if it is empty.

        If rows are left out, show a message to the user.
        """
        behind = (
            queryset.values_list("occurred_at", flat=True)[MAX_ROWS : MAX_ROWS + 1] if term else []
        )
        for timestamp in behind:
            self.message_user(request, SEARCHED, messages.INFO)
            return queryset.filter(occurred_at__gt=timestamp)
        return queryset

    def get_object(self, request, object_id, from_field=None):
        """Return the transaction with the rows that its page shows, or None, in one statement."""
        rows = self.get_queryset(request).select_related(
            "business",
            "account",
            "merchant",
            "category",
            "location",
            "card",
            "posting__reverses",
            "posting__reversed_by",
            "bill_payment__bill",
            "invoice",
        )
        return rows.filter(pk=key_of(object_id)).first()

    def get_fieldsets(self, request, obj=None):
        """Return the fieldsets of a transaction, without the merchant if there is none."""
        has_merchant = obj and (obj.merchant_name or obj.location)
        return [card for card in self.fieldsets if has_merchant or card[0] != "Merchant"]

    def headline(self, row):
        return row.merchant_name or row.description or row.get_transaction_type_display()

    def tiles(self, _request, row):
        held = [("Held", amounts.amount(row.held_cents))] if row.is_pending else []
        return [("Amount", self.amount(row)), *held]

    def tables(self, request, row):
        has_entries = row.posting and may_view(request, Entry)
        return [
            *self.receipt_tables(request, row),
            *([_entries_table(row.posting)] if has_entries else []),
        ]

    @admin.display(description="business and account")
    def where(self, row):
        return stack(self.of_business(row), self.of_account(row))

    @admin.display(description="transaction")
    def label(self, row):
        kind = f"{row.get_transaction_type_display()} · {row.category.display_name}"
        return stack(self.headline(row), kind)


def _entries_table(posting):
    entries = posting.entries.select_related("account__business").order_by("pk")
    return Table(
        title="Entries of its posting",
        columns=[Column("Account"), Column("Of"), Column("Amount", is_amount=True)],
        rows=[
            [
                link_to_account(entry.account),
                entry.account.business.legal_name if entry.account.business else "The bank",
                amounts.amount(entry.amount_cents),
            ]
            for entry in entries
        ],
    )


def newest_pending():
    """Return MAX_ROWS + 1 pending transactions at most, by settlement time, the latest first.

    The order is that of the index of pending transactions, so that no more rows are read.
    """
    return Transaction.objects.pending().order_by("-settles_at", "-pk")[: MAX_ROWS + 1]


def _newest(request, queryset):
    """Return the transactions of a queryset that are among the MAX_ROWS newest of the bank.

    If the list is filtered by PENDING, return those of `newest_pending` instead.
    """
    if request.GET.get("status__exact") == TransactionStatus.PENDING:
        return queryset.filter(pk__in=newest_pending().values("pk"))
    newest = Transaction.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    return queryset.filter(pk__gt=newest - MAX_ROWS)


def _is_id(term):
    try:
        uuid.UUID(term)
    except ValueError:
        return False
    return True
