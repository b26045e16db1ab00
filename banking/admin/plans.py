"""Screens of plans and their subscribers."""

from django.contrib import admin
from django.db.models import Count, Q
from django.utils.html import format_html

from banking.admin import amounts
from banking.admin.records import RecordsAdmin
from banking.choices import SubscriptionStatus
from banking.models import Business, Plan, PlanBenefit
from foundation.backoffice import cells
from foundation.backoffice.lists import link_to_list
from foundation.backoffice.screens import FactsInline, badge, stack


class SubscriptionScreen:
    """Facts of the plan that a business is on."""

    @admin.display(description="plan", ordering="subscription__plan__name")
    def plan(self, business):
        subscription = _subscription(business)
        if subscription is None:
            return ""
        return format_html("{} {}", subscription.plan.name, self.plan_badge(business))

    def plan_badge(self, business):
        """Return where the subscription stands."""
        subscription = _subscription(business)
        return badge(subscription.status, subscription.get_status_display()) if subscription else ""

    @admin.display(description="price per month")
    def price(self, business):
        subscription = _subscription(business)
        return amounts.amount(subscription.plan.price_cents) if subscription else ""

    @admin.display(description="subscribed on")
    def subscribed(self, business):
        subscription = _subscription(business)
        return cells.day(subscription.started_date) if subscription else ""

    @admin.display(description="renewed on")
    def renewed(self, business):
        subscription = _subscription(business)
        return cells.day(subscription.renewal_date) if subscription else ""

    @admin.display(description="benefits")
    def benefits(self, business):
        subscription = _subscription(business)
        return cells.lines(subscription.plan.benefits.order_by("pk")) if subscription else ""


class BenefitInline(FactsInline):
    model = PlanBenefit
    verbose_name_plural = "benefits"
    nothing = "Nothing comes with this plan."
    ordering = ["pk"]
    fields = ["name", "code"]


@admin.register(Plan)
class PlanAdmin(RecordsAdmin):
    list_display = ["label", "price", "subscribers"]
    ordering = ["price_cents", "pk"]
    search_fields = ["name", "code"]
    id_fields = []
    inlines = [BenefitInline]
    price = amounts.amount_of("price_cents", "price per month")
    fieldsets = [("Plan", {"fields": ["name", "code", "price", "subscribers"]})]

    def get_queryset(self, request):
        on_it = ~Q(subscriptions__status=SubscriptionStatus.CANCELED)
        return super().get_queryset(request).annotate(on_it=Count("subscriptions", filter=on_it))

    @admin.display(description="plan", ordering="name")
    def label(self, plan):
        return stack(plan.name, plan.code)

    @admin.display(description="businesses on it", ordering="on_it")
    def subscribers(self, plan):
        return link_to_list(Business, f"{plan.on_it:,}", subscription__plan__id__exact=plan.pk)


def _subscription(business):
    return getattr(business, "subscription", None)
