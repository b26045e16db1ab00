"""Screens of cards and of enrollments in the secured card program."""

from django.contrib import admin

from banking.admin import amounts
from banking.admin.records import BusinessFilter, RecordsAdmin, link_to_account
from banking.models import Card, SecuredCard
from foundation.backoffice import cells
from foundation.backoffice.screens import FactsInline, link_to, stack


class CardScreen:
    """Facts of a card."""

    status_badge = cells.badge_of("status")

    @admin.display(description="card", ordering="last4")
    def number(self, card):
        return f"{card.get_network_display()} ••••{card.last4}"

    @admin.display(description="account", ordering="account__name")
    def of_account(self, card):
        return link_to_account(card.account)


@admin.register(Card)
class CardAdmin(CardScreen, RecordsAdmin):
    list_display = ["label", "of_business", "product_type", "status_badge", "created"]
    list_filter = [BusinessFilter, "status", "product_type", "network"]
    list_filter += [("created_at", admin.DateFieldListFilter)]
    list_select_related = ["business", "account"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["cardholder_name", "last4", "business__legal_name", "business__email"]
    search_help_text = "Cardholder, last four digits, business name, email, card or business id."
    id_fields = ["external_id", "business__external_id"]
    created = cells.timestamp_of("created_at")
    fieldsets = [
        (
            "Card",
            {
                "fields": [
                    "number",
                    "cardholder_name",
                    "product_type",
                    "status_badge",
                    "of_account",
                    "shipping_date",
                ]
            },
        ),
        ("Record", {"classes": ["aside"], "fields": ["of_business", "external_id", "created_at"]}),
    ]

    def headline(self, card):
        return self.number(card)

    def headline_badge(self, card):
        return self.status_badge(card)

    @admin.display(description="card", ordering="last4")
    def label(self, card):
        return stack(self.number(card), card.cardholder_name)


class CardInline(CardScreen, FactsInline):
    model = Card
    nothing = "No cards."
    ordering = ["-created_at", "-pk"]
    fields = ["card", "product_type", "status_badge", "of_account", "created"]
    created = cells.timestamp_of("created_at")

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("account")

    @admin.display(description="card")
    def card(self, card):
        return stack(link_to(card, self.number(card)), card.cardholder_name)


@admin.register(SecuredCard)
class SecuredCardAdmin(RecordsAdmin):
    list_display = ["label", "enrollment_badge", "status_badge", "limit", "used", "collateral"]
    list_display += ["next_payment_due_date"]
    list_filter = [BusinessFilter, "enrollment_status", "status"]
    list_select_related = ["business", "card_account", "collateral_account"]
    search_fields = ["business__legal_name", "business__email"]
    search_help_text = "Business name, email or business id."
    id_fields = ["business__external_id"]
    enrollment_badge = cells.badge_of("enrollment_status", "enrollment")
    status_badge = cells.badge_of("status")
    minimum_payment = amounts.amount_of("minimum_payment_cents")
    fieldsets = [
        ("Program", {"fields": ["enrollment_badge", "status_badge", "enrolled_at"]}),
        ("Accounts", {"fields": ["card_account_link", "collateral_account_link"]}),
        ("Next payment", {"fields": ["minimum_payment", "next_payment_due_date"]}),
        ("Record", {"classes": ["aside"], "fields": ["of_business"]}),
    ]

    def headline(self, secured):
        return f"Secured card of {secured.business.legal_name}"

    def headline_badge(self, secured):
        return self.enrollment_badge(secured)

    def tiles(self, _request, secured):
        if secured.card_account is None:
            return []
        left = amounts.amount(secured.card_account.available_cents)
        return [
            ("Open to buy", left),
            ("Used", self.used(secured)),
            ("Credit limit", self.limit(secured)),
            ("Collateral", self.collateral(secured)),
        ]

    @admin.display(description="business", ordering="business__legal_name")
    def label(self, secured):
        return stack(secured.business.legal_name, secured.business.email)

    @admin.display(description="limit", ordering="card_account__credit_limit_cents")
    def limit(self, secured):
        return amounts.amount(secured.card_account and secured.card_account.credit_limit_cents)

    @admin.display(description="used", ordering="-card_account__current_cents")
    def used(self, secured):
        return amounts.amount(secured.card_account and -secured.card_account.current_cents)

    @admin.display(description="collateral", ordering="collateral_account__current_cents")
    def collateral(self, secured):
        return amounts.amount(
            secured.collateral_account and secured.collateral_account.current_cents
        )

    @admin.display(description="card account")
    def card_account_link(self, secured):
        return link_to_account(secured.card_account) if secured.card_account else ""

    @admin.display(description="collateral account")
    def collateral_account_link(self, secured):
        return link_to_account(secured.collateral_account) if secured.collateral_account else ""
