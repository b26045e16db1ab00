"""Screens of bills, their payments and their attachments."""

from django import forms
from django.contrib import admin
from django.utils import timezone

from banking.admin import amounts
from banking.admin.proposed_rows import ProposedValuesAdmin
from banking.admin.records import BusinessFilter, FileAdmin, RecordsAdmin, SentFileScreen
from banking.choices import BillStatus
from banking.models import Bill, BillAttachment, BillPayment, PaymentRule, Supplier
from banking.models.bills import BillQuerySet
from banking.services import price_changes
from foundation.backoffice import cells
from foundation.backoffice.lists import ChosenFilter, date_filter
from foundation.backoffice.screens import FactsInline, aside, fieldset, link_to, stack


class SupplierFilter(ChosenFilter):
    title = parameter_name = "supplier"
    model = Supplier

    def name_of(self, supplier):
        return supplier.name


class RecurringFilter(admin.SimpleListFilter):
    title, parameter_name = "recurrence", "recurring"

    def lookups(self, request, model_admin):
        return [("yes", "Repeats"), ("no", "One time")]

    def queryset(self, request, queryset):
        once = {"yes": False, "no": True}.get(self.value())
        if once is None:
            return queryset
        return queryset.filter(frequency="") if once else queryset.exclude(frequency="")


class PaymentInline(FactsInline):
    model = BillPayment
    verbose_name_plural = "payments"
    nothing = "No payments."
    ordering = ["-scheduled_date", "-pk"]
    fields = ["method", "amount", "status_badge", "scheduled_date", "settled_date", "reason"]
    fields += ["of_transaction"]
    amount = amounts.amount_of("amount_cents")
    status_badge = cells.badge_of("status")
    reason = cells.text_of("failure_reason", "why it failed")
    select_related = ["transaction"]
    of_transaction = cells.value_of("transaction", "", lambda row: link_to(row, "Transaction"))


class AttachmentInline(SentFileScreen, FactsInline):
    model = BillAttachment
    verbose_name_plural = "attachments"
    nothing = "No attachments."
    ordering = ["-uploaded_at", "-pk"]
    fields = ["file_name", "content_type", "size", "uploaded", "file_link"]
    uploaded = cells.timestamp_of("uploaded_at")


@admin.register(Bill)
class BillAdmin(RecordsAdmin):
    list_display = ["label", "of_business", "status_badge", "due", "amount", "remaining"]
    list_filter = [BusinessFilter, SupplierFilter, "status", RecurringFilter]
    list_filter += [date_filter("due_date")]
    list_select_related = ["business", "supplier"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["number", "supplier__name", "business__legal_name", "business__email"]
    search_help_text = "Bill number, supplier, business name, email, bill or business id."
    id_fields = ["external_id", "business__external_id", "supplier__external_id"]
    inlines = [PaymentInline, AttachmentInline]
    label = cells.stack_of("number", "supplier.name", "bill")
    headline_badge = status_badge = cells.badge_of("status")
    amount = amounts.amount_of("amount_cents")
    remaining = amounts.amount_of("remaining_cents")
    of_supplier = cells.link_of("supplier", "name")
    fieldsets = [
        fieldset(
            "Bill",
            "number",
            "of_supplier",
            "status_badge",
            "invoice_date",
            "due_date",
            "description",
        ),
        fieldset("Recurrence", "frequency", "next_payment_date", "recurrence_end_date"),
        aside("Record", "of_business", "external_id", "created_at"),
    ]

    def get_fieldsets(self, request, obj=None):
        """Return the fieldsets of a bill, without the recurrence if the bill has none."""
        is_recurring = obj and obj.is_recurring
        return [card for card in self.fieldsets if is_recurring or card[0] != "Recurrence"]

    def get_queryset(self, request):
        bills: BillQuerySet = super().get_queryset(request)
        return bills.with_remaining()

    def headline(self, bill):
        return f"Bill {bill.number} of {bill.supplier.name}"

    def tiles(self, _request, bill):
        return [("Amount", self.amount(bill)), ("Remaining", self.remaining(bill))]

    @admin.display(description="due", ordering="due_date")
    def due(self, bill):
        late = bill.status == BillStatus.PENDING and bill.due_date < timezone.now().date()
        return stack(cells.day(bill.due_date), "late" if late else bill.get_frequency_display())


@admin.register(BillAttachment)
class BillAttachmentAdmin(SentFileScreen, FileAdmin):
    """The files of bills. The menu does not list them; the page of their bill links to them."""

    list_display = ["file_name", "of_bill", "size", "uploaded_at", "file_link"]
    list_select_related = ["bill__supplier"]
    search_fields = ["file_name", "bill__number"]
    id_fields = ["external_id", "bill__external_id"]
    headline = cells.text_of("file_name")
    of_bill = cells.link_of("bill", "number")
    fieldsets = [
        fieldset("File", "file_link", "content_type", "size", "sha256"),
        fieldset("Malware scan", "scan", "scanned_at", "scanned_with"),
        aside("Record", "of_bill", "external_id", "uploaded_at"),
    ]

    def has_module_permission(self, request):
        return False


class PaymentRuleForm(forms.ModelForm):
    """Form for the fee, limits, transit time and daily cutoff hour of a payment method."""

    class Meta:
        model = PaymentRule
        fields = [
            "fee_cents",
            "per_payment_limit_cents",
            "daily_limit_cents",
            "business_days",
            "cutoff_hour",
        ]
        labels = {
            "fee_cents": "Fee",
            "per_payment_limit_cents": "Most per payment",
            "daily_limit_cents": "Most per day",
        }
        help_texts = dict.fromkeys(labels, "US cents.")

    def clean(self):
        cleaned = super().clean()
        most, daily = cleaned.get("per_payment_limit_cents"), cleaned.get("daily_limit_cents")
        if most and daily and daily < most:
            self.add_error("daily_limit_cents", "A day must allow at least one whole payment.")
        return cleaned


@admin.register(PaymentRule)
class PaymentRuleAdmin(ProposedValuesAdmin):
    kind = price_changes.PAYMENT_RULE
    form = PaymentRuleForm
    list_display = ["method", "fee", "per_payment", "daily", "business_days", "cutoff_hour"]
    ordering = ["pk"]
    readonly_fields = ["method"]
    fee = amounts.amount_of("fee_cents")
    per_payment = amounts.amount_of("per_payment_limit_cents", "most per payment")
    daily = amounts.amount_of("daily_limit_cents", "most per day")
    fields = ["method", *PaymentRuleForm.Meta.fields]
