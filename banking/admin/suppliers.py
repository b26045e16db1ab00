"""Suppliers: whom businesses pay, and how; the numbers of their accounts only ever masked."""

from django.contrib import admin

from banking.admin.records import BusinessFilter, RecordsAdmin
from banking.models import Bill, Payee, Supplier
from foundation.backoffice import cells
from foundation.backoffice.lists import date_filter, link_to_list
from foundation.backoffice.screens import FactsInline, aside, fieldset, stack


class PayeeInline(FactsInline):
    model = Payee
    verbose_name_plural = "payment methods"
    nothing = "No payment methods on file."
    ordering = ["method"]
    fields = ["method", "in_use", "payee", "bank", "number", "address"]
    in_use = cells.flag_of("is_active", "in use")
    payee = cells.text_of("payee_name", "payee")
    address = cells.value_of("lines", "address", cells.lines)

    @admin.display(description="bank")
    def bank(self, payee):
        return stack(payee.bank_name, payee.routing_number or payee.swift)

    @admin.display(description="account")
    def number(self, payee):
        return payee.iban_masked or payee.account_number_masked


@admin.register(Supplier)
class SupplierAdmin(RecordsAdmin):
    list_display = ["label", "of_business", "contact_name", "phone_number", "created"]
    list_filter = [BusinessFilter, date_filter("created_at")]
    list_select_related = ["business"]
    ordering = ["name", "pk"]
    search_fields = ["name", "email", "business__legal_name", "business__email"]
    search_help_text = "Supplier, business name, email, supplier or business id."
    id_fields = ["external_id", "business__external_id"]
    inlines = [PayeeInline]
    headline = cells.text_of("name")
    label = cells.stack_of("name", "email", "supplier")
    address = cells.value_of("lines", "address", cells.lines)
    created = cells.timestamp_of("created_at")
    fieldsets = [
        fieldset("Supplier", "name", "contact_name", "email", "phone_number", "address"),
        aside("Lists", "bills"),
        aside("Record", "of_business", "external_id", "created_at"),
    ]

    @admin.display(description="of this supplier")
    def bills(self, supplier):
        return link_to_list(Bill, "Bills", supplier=supplier.pk)
