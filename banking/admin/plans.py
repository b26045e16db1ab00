"""Screens of plans and their subscribers."""

from django.contrib import admin
from django.db.models import Count, Q
from django.utils.html import format_html

from banking.admin import amounts
from banking.admin.proposed_rows import ProposedValuesAdmin
from banking.choices import SubscriptionStatus
from banking.models import Business, Plan, PlanBenefit
from banking.services import price_changes
from foundation.backoffice import cells
from foundation.backoffice.lists import link_to_list
from foundation.backoffice.screens import FactsInline, badge


class SubscriptionScreen:
    """Facts of the plan that a business is on."""

    price = amounts.amount_of("subscription.plan.price_cents", "price per month")
    subscribed = cells.value_of("subscription.started_date", "subscribed on", cells.day)
    renewed = cells.value_of("subscription.renewal_date", "renewed on", cells.day)
    plan_badge = cells.value_of(
        "subscription", "", lambda row: badge(row.status, row.get_status_display())
    )
    benefits = cells.value_of(
        "subscription.plan.benefits", "benefits", lambda rows: cells.lines(rows.order_by("pk"))
    )

    @admin.display(description="plan", ordering="subscription__plan__name")
    def plan(self, business):
        if not hasattr(business, "subscription"):
            return ""
        return format_html("{} {}", business.subscription.plan.name, self.plan_badge(business))


class BenefitInline(FactsInline):
    model = PlanBenefit
    verbose_name_plural = "benefits"
    nothing = "This plan has no benefits."
    ordering = ["pk"]
    fields = ["name", "code"]


@admin.register(Plan)
class PlanAdmin(ProposedValuesAdmin):
    kind = price_changes.PLAN
    list_display = ["label", "price", "is_default", "subscribers"]
    ordering = ["price_cents", "pk"]
    search_fields = ["name", "code"]
    inlines = [BenefitInline]
    label = cells.stack_of("name", "code", "plan")
    price = amounts.amount_of("price_cents", "price per month")
    readonly_fields = ["code", "subscribers"]
    fields = ["code", "name", "price_cents", "is_default", "subscribers"]

    def get_queryset(self, request):
        on_it = ~Q(subscriptions__status=SubscriptionStatus.CANCELED)
        return super().get_queryset(request).annotate(on_it=Count("subscriptions", filter=on_it))

    @admin.display(description="businesses on it", ordering="on_it")
    def subscribers(self, plan):
        return link_to_list(Business, f"{plan.on_it:,}", subscription__plan__id__exact=plan.pk)
