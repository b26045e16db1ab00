"""Screens of invoices and service items."""

from django.contrib import admin
from django.utils import timezone

from banking.admin import amounts
from banking.admin.records import BusinessFilter, RecordsAdmin
from banking.choices import InvoiceStatus
from banking.models import Invoice, InvoiceDiscount, InvoiceLine, ServiceItem
from foundation.backoffice import cells
from foundation.backoffice.screens import FactsInline, badge, link_to, stack


class StatusFilter(admin.SimpleListFilter):
    """Filters invoices by status, overdue ones included."""

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

    @admin.display(description="quantity")
    def how_many(self, line):
        return cells.figure(cells.number(line.quantity))


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
    list_filter += [(name, admin.DateFieldListFilter) for name in ("issue_date", "due_date")]
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
    fieldsets = [
        (
            "Invoice",
            {
                "fields": [
                    "number",
                    "status_badge",
                    "recipient",
                    "issue_date",
                    "due_date",
                    "description",
                ]
            },
        ),
        ("Sums", {"fields": ["subtotal", "discount", "sales_tax", "sales_tax_rate"]}),
        (
            "Payment",
            {"fields": ["paid_date", "payment_link", "ach_allowed", "pay_link"]},
        ),
        ("Record", {"classes": ["aside"], "fields": ["of_business", "external_id", "created_at"]}),
    ]

    def headline(self, invoice):
        return f"Invoice {invoice.number}"

    def headline_badge(self, invoice):
        return self.status_badge(invoice)

    def tiles(self, _request, invoice):
        return [("Total", self.total(invoice)), ("Paid", self.paid(invoice))]

    @admin.display(description="invoice", ordering="number")
    def label(self, invoice):
        return stack(invoice.number, invoice.recipient_name)

    @admin.display(description="status", ordering="status")
    def status_badge(self, invoice):
        status = invoice.status_on(timezone.now().date())
        return badge(status, status.label)

    @admin.display(description="issued and due", ordering="issue_date")
    def dates(self, invoice):
        return stack(cells.day(invoice.issue_date), cells.day(invoice.due_date))

    @admin.display(description="ACH allowed", boolean=True)
    def ach_allowed(self, invoice):
        return invoice.ach_payment_allowed

    @admin.display(description="sales tax rate")
    def sales_tax_rate(self, invoice):
        return cells.percent(invoice.sales_tax_percent)

    @admin.display(description="recipient")
    def recipient(self, invoice):
        return stack(invoice.recipient_name, invoice.recipient_email)

    @admin.display(description="paid by")
    def payment_link(self, invoice):
        return link_to(invoice.payment, "Transaction") if invoice.payment else ""


@admin.register(ServiceItem)
class ServiceItemAdmin(RecordsAdmin):
    list_display = ["label", "of_business", "unit_price"]
    list_filter = [BusinessFilter]
    list_select_related = ["business"]
    ordering = ["name", "pk"]
    search_fields = ["name", "business__legal_name", "business__email"]
    search_help_text = "Item, business name, email, item or business id."
    id_fields = ["external_id", "business__external_id"]
    unit_price = amounts.amount_of("unit_price_cents")
    fieldsets = [
        ("Service item", {"fields": ["name", "unit_price", "description"]}),
        ("Record", {"classes": ["aside"], "fields": ["of_business", "external_id"]}),
    ]

    def headline(self, item):
        return item.name

    @admin.display(description="item", ordering="name")
    def label(self, item):
        return stack(item.name, item.description)
