"""The ledger: postings, and the entries that balance in each."""

from django.contrib import admin

from banking.admin import amounts
from banking.admin.records import RecordsAdmin, link_to_account
from banking.models import Entry, Posting, Transaction
from foundation.backoffice import cells
from foundation.backoffice.screens import FactsInline, aside, badge, fieldset, link_to, stack


def posting_name(posting):
    """Return the name of a posting: its description, or else the end of its id."""
    return posting.description or f"Posting {posting.pk.hex[-8:]}"


def posting_link_of(path, label):
    """Return an admin display that links to the posting to which `path` leads."""
    return cells.value_of(path, label, lambda row: link_to(row, posting_name(row)))


class ReversalFilter(admin.SimpleListFilter):
    title, parameter_name = "kind", "kind"

    def lookups(self, request, model_admin):
        return [("reversal", "Reversals"), ("reversed", "Reversed")]

    def queryset(self, request, queryset):
        if self.value() == "reversal":
            return queryset.filter(reverses__isnull=False)
        if self.value() == "reversed":
            return queryset.filter(reversed_by__isnull=False)
        return queryset


class EntryInline(FactsInline):
    model = Entry
    verbose_name_plural = "entries"
    ordering = ["pk"]
    fields = ["account_link", "holder", "amount"]
    select_related = ["account__business"]
    amount = amounts.amount_of("amount_cents")

    @admin.display(description="account")
    def account_link(self, entry):
        return stack(link_to_account(entry.account), entry.account.get_account_type_display())

    @admin.display(description="of")
    def holder(self, entry):
        business = entry.account.business
        return link_to(business, business.legal_name) if business else "The bank"


class TransactionInline(FactsInline):
    model = Transaction
    verbose_name_plural = "transactions"
    nothing = "The bank's own accounts have entries only."
    ordering = ["pk"]
    fields = ["transaction", "transaction_type", "category", "occurred", "amount"]
    occurred = cells.timestamp_of("occurred_at")
    select_related = ["merchant", "category", "account"]
    amount = amounts.amount_of("amount_cents")

    @admin.display(description="transaction")
    def transaction(self, row):
        text = row.merchant_name or row.description or row.get_transaction_type_display()
        return stack(link_to(row, text), row.account.masked_number)


@admin.register(Posting)
class PostingAdmin(RecordsAdmin):
    """Postings, sorted by their ids, which grow with time. Other orders are not offered."""

    list_display = ["label", "posted", "moved", "entry_count", "kind", "by"]
    list_filter = [ReversalFilter]
    list_select_related = ["posted_by", "reversed_by"]
    show_facets = admin.ShowFacets.NEVER
    sortable_by = []
    search_fields = ["idempotency_key__exact"]
    search_help_text = "Posting id, or the whole idempotency key."
    id_fields = ["pk"]
    inlines = [EntryInline, TransactionInline]
    posted = cells.timestamp_of("posted_at")
    reversed_posting = posting_link_of("reverses", "reverses")
    reversal = posting_link_of("reversed_by", "reversed by")
    fieldsets = [
        fieldset("Posting", "posted_at", "description", "by", "reversed_posting", "reversal"),
        aside("Record", "id", "idempotency_key"),
    ]

    def get_queryset(self, request):
        return super().get_queryset(request).prefetch_related("entries", "transactions__merchant")

    def headline(self, posting):
        names = [row.merchant_name for row in posting.transactions.all()]
        return next(filter(None, [posting.description, *names]), posting_name(posting))

    def tiles(self, _request, posting):
        return [("Moved", self.moved(posting)), ("Entries", self.entry_count(posting))]

    @admin.display(description="posting")
    def label(self, posting):
        return stack(self.headline(posting), posting.pk)

    @admin.display(description="moved")
    def moved(self, posting):
        came = (entry.amount_cents for entry in posting.entries.all() if entry.amount_cents > 0)
        return amounts.amount(sum(came))

    @admin.display(description="entries")
    def entry_count(self, posting):
        return len(posting.entries.all())

    @admin.display(description="kind")
    def kind(self, posting):
        if posting.reverses_id:
            return badge("reversal", "Reversal")
        return badge("reversed", "Reversed") if hasattr(posting, "reversed_by") else ""

    headline_badge = kind

    @admin.display(description="posted by")
    def by(self, posting):
        user = posting.posted_by
        return (user.get_full_name() or user.email) if user else "The service"
