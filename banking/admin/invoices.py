"""Screens of invoices and service items."""

from django.contrib import admin
from django.utils import timezone

from banking.admin import amounts
from banking.admin.records import BusinessFilter, RecordsAdmin
from banking.choices import InvoiceStatus
from banking.models import Invoice, InvoiceDiscount, InvoiceLine, ServiceItem
from foundation.backoffice import cells
from foundation.backoffice.lists import date_filter
from foundation.backoffice.screens import FactsInline, aside, badge, fieldset, link_to, stack


class StatusFilter(admin.SimpleListFilter):
    """Filter invoices by status; overdue invoices are not among the sent ones."""

    title, parameter_name = "status", "status"

    def lookups(self, request, model_admin):
        return InvoiceStatus.choices

    def queryset(self, request, queryset):
        today = timezone.now().date()
        if self.value() == InvoiceStatus.OVERDUE:
            return queryset.overdue(on=today)
        if self.value() == InvoiceStatus.SENT:
            return queryset.not_yet_due(on=today)
        return queryset.filter(status=self.value()) if self.value() else queryset


class LineInline(FactsInline):
    model = InvoiceLine
    verbose_name_plural = "lines"
    nothing = "No lines."
    ordering = ["position"]
    fields = ["position", "name", "how_many", "unit_price", "amount"]
    unit_price = amounts.amount_of("unit_price_cents")
    amount = amounts.amount_of("amount_cents")

    how_many = cells.value_of("quantity", "", lambda quantity: cells.figure(cells.number(quantity)))


class DiscountInline(FactsInline):
    model = InvoiceDiscount
    verbose_name_plural = "discounts"
    nothing = "No discounts."
    ordering = ["pk"]
    fields = ["name", "discount_type", "value", "amount"]
    amount = amounts.amount_of("amount_cents")


@admin.register(Invoice)
class InvoiceAdmin(RecordsAdmin):
    list_display = ["label", "of_business", "status_badge", "dates", "total", "paid"]
    list_filter = [BusinessFilter, StatusFilter]
    list_filter += [date_filter(name) for name in ("issue_date", "due_date")]
    list_select_related = ["business"]
    ordering = ["-issue_date", "-pk"]
    search_fields = ["number", "recipient_name", "recipient_email"]
    search_fields += ["business__legal_name", "business__email"]
    search_help_text = "Invoice number, recipient, business name, email, invoice or business id."
    id_fields = ["external_id", "business__external_id"]
    inlines = [LineInline, DiscountInline]
    total = amounts.amount_of("total_cents")
    paid = amounts.amount_of("paid_cents")
    subtotal = amounts.amount_of("subtotal_cents")
    discount = amounts.amount_of("discount_cents", "discounts")
    sales_tax = amounts.amount_of("sales_tax_cents")
    pay_link = cells.text_of("pay_url", "pay link")
    label = cells.stack_of("number", "recipient_name", "invoice")
    recipient = cells.stack_of("recipient_name", "recipient_email", "recipient")
    ach_allowed = cells.flag_of("ach_payment_allowed", "ACH allowed")
    sales_tax_rate = cells.value_of("sales_tax_percent", "sales tax rate", cells.percent)
    payment_link = cells.value_of("payment", "paid by", lambda row: link_to(row, "Transaction"))
    fieldsets = [
        fieldset(
            "Invoice",
            "number",
            "status_badge",
            "recipient",
            "issue_date",
            "due_date",
            "description",
        ),
        fieldset("Totals", "subtotal", "discount", "sales_tax", "sales_tax_rate"),
        fieldset("Payment", "paid_date", "payment_link", "ach_allowed", "pay_link"),
        aside("Record", "of_business", "external_id", "created_at"),
    ]

    def headline(self, invoice):
        return f"Invoice {invoice.number}"

    def tiles(self, _request, invoice):
        return [("Total", self.total(invoice)), ("Paid", self.paid(invoice))]

    @admin.display(description="status", ordering="status")
    def status_badge(self, invoice):
        status = invoice.status_on(timezone.now().date())
        return badge(status, status.label)

    headline_badge = status_badge

    @admin.display(description="issued and due", ordering="issue_date")
    def dates(self, invoice):
        return stack(cells.day(invoice.issue_date), cells.day(invoice.due_date))


@admin.register(ServiceItem)
class ServiceItemAdmin(RecordsAdmin):
    list_display = ["label", "of_business", "unit_price"]
    list_filter = [BusinessFilter]
    list_select_related = ["business"]
    ordering = ["name", "pk"]
    search_fields = ["name", "business__legal_name", "business__email"]
    search_help_text = "Item, business name, email, item or business id."
    id_fields = ["external_id", "business__external_id"]
    headline = cells.text_of("name")
    label = cells.stack_of("name", "description", "item")
    unit_price = amounts.amount_of("unit_price_cents")
    fieldsets = [
        fieldset("Service item", "name", "unit_price", "description"),
        aside("Record", "of_business", "external_id"),
    ]
