"""Taxes: the buckets that businesses fill, and tax statements."""

from django.contrib import admin

from banking.admin import amounts
from banking.admin.records import BusinessFilter, FileAdmin, RecordsAdmin, account_link_of
from banking.choices import FULL_YEAR
from banking.models import TaxBucket, TaxStatement
from foundation.backoffice import cells
from foundation.backoffice.lists import flag_filter
from foundation.backoffice.screens import aside, fieldset, stack


class BucketBusinessFilter(BusinessFilter):
    path = "account__business"


@admin.register(TaxBucket)
class TaxBucketAdmin(RecordsAdmin):
    list_display = ["label", "balance", "in_use", "saves", "set_aside", "rate"]
    list_filter = [BucketBusinessFilter, flag_filter("is_active", "use")]
    list_filter += [flag_filter("is_auto_save_enabled", "automatic saving")]
    list_select_related = ["account__business"]
    search_fields = ["account__business__legal_name", "account__business__email"]
    search_help_text = "Business name, email, account or business id."
    id_fields = ["account__external_id", "account__business__external_id"]
    label = cells.stack_of("account.business.legal_name", "account.masked_number", "business")
    of_business = cells.link_of("account.business", "legal_name", "business")
    of_account = account_link_of("account")
    balance = amounts.amount_of("account.current_cents", "balance")
    set_aside = cells.value_of("auto_set_aside_percent", "set aside", cells.percent)
    rate = cells.value_of("estimated_tax_rate_percent", "estimated tax rate", cells.percent)
    in_use = cells.flag_of("is_active", "in use")
    saves = cells.flag_of("is_auto_save_enabled", "saves automatically")
    fieldsets = [
        fieldset("Setting aside", "in_use", "saves", "set_aside", "rate"),
        aside("Record", "of_business", "of_account"),
    ]

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("account__business")

    def headline(self, bucket):
        return f"Tax bucket of {bucket.account.business.legal_name}"

    def tiles(self, _request, bucket):
        return [("Set aside", self.balance(bucket))]


class QuarterFilter(admin.SimpleListFilter):
    title = parameter_name = "quarter"

    def lookups(self, request, model_admin):
        quarters = [(str(number), f"Quarter {number}") for number in range(1, FULL_YEAR)]
        return [*quarters, (str(FULL_YEAR), "Full year")]

    def queryset(self, request, queryset):
        is_listed = self.value() in dict(self.lookup_choices)
        return queryset.filter(quarter=self.value()) if is_listed else queryset


@admin.register(TaxStatement)
class TaxStatementAdmin(FileAdmin):
    list_display = ["label", "of_business", "size", "created", "file_link"]
    list_filter = [BusinessFilter, "tax_year", QuarterFilter]
    list_select_related = ["business"]
    ordering = ["-tax_year", "-quarter", "-pk"]
    search_fields = ["business__legal_name", "business__email"]
    search_help_text = "Business name, email, statement or business id."
    id_fields = ["external_id", "business__external_id"]
    created = cells.timestamp_of("created_at")
    fieldsets = [
        fieldset("File", "period", "file_link", "file_name", "size", "sha256"),
        aside("Record", "of_business", "external_id", "created_at"),
    ]

    def headline(self, statement):
        return f"{statement.business.legal_name}, {self.period(statement)}"

    @admin.display(description="period", ordering="tax_year")
    def label(self, statement):
        return stack(self.period(statement), statement.file_name)

    @admin.display(description="period")
    def period(self, statement):
        if statement.quarter == FULL_YEAR:
            return f"Full year {statement.tax_year}"
        return f"Quarter {statement.quarter}, {statement.tax_year}"
