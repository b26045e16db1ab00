"""Screens of cards and of enrollments in the secured card program."""

from django.contrib import admin

from banking.admin import amounts
from banking.admin.operation_pages import Operation, OperationPages
from banking.admin.records import BusinessFilter, RecordsAdmin, account_link_of
from banking.choices import CardStatus
from banking.models import Card, SecuredCard
from banking.services import freezes
from foundation.backoffice import cells
from foundation.backoffice.lists import date_filter
from foundation.backoffice.screens import FactsInline, aside, fieldset, link_to, stack


class CardScreen:
    """Columns that the list and the page of a card share, for admin classes to inherit."""

    status_badge = cells.badge_of("status")
    of_account = account_link_of("account")

    @admin.display(description="card", ordering="last4")
    def number(self, card):
        return f"{card.get_network_display()} ••••{card.last4}"


OPERATIONS = {
    "freeze": Operation(
        "Freeze",
        freezes.propose_card_freeze,
        lambda card: card.status == CardStatus.ACTIVE,
        "The card will be frozen. The cardholder and the partner can see that.",
    ),
    "unfreeze": Operation(
        "Unfreeze",
        freezes.propose_card_unfreeze,
        lambda card: card.status == CardStatus.FROZEN,
        "The card will be active again.",
    ),
}


@admin.register(Card)
class CardAdmin(CardScreen, OperationPages, RecordsAdmin):
    operations = OPERATIONS
    list_display = ["label", "of_business", "product_type", "status_badge", "created"]
    list_filter = [BusinessFilter, "status", "product_type", "network"]
    list_filter += [date_filter("created_at")]
    list_select_related = ["business", "account"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["cardholder_name", "last4", "business__legal_name", "business__email"]
    search_help_text = "Cardholder, last four digits, business name, email, card or business id."
    id_fields = ["external_id", "business__external_id"]
    created = cells.timestamp_of("created_at")
    headline = CardScreen.number
    headline_badge = CardScreen.status_badge
    fieldsets = [
        fieldset(
            "Card",
            "number",
            "cardholder_name",
            "product_type",
            "status_badge",
            "of_account",
            "shipping_date",
        ),
        aside("Record", "of_business", "external_id", "created_at"),
    ]

    @admin.display(description="card", ordering="last4")
    def label(self, card):
        return stack(self.number(card), card.cardholder_name)


class CardInline(CardScreen, FactsInline):
    model = Card
    nothing = "No cards."
    ordering = ["-created_at", "-pk"]
    fields = ["card", "product_type", "status_badge", "of_account", "created"]
    select_related = ["account"]
    created = cells.timestamp_of("created_at")

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
    label = cells.stack_of("business.legal_name", "business.email", "business")
    headline_badge = enrollment_badge = cells.badge_of("enrollment_status", "enrollment")
    status_badge = cells.badge_of("status")
    limit = amounts.amount_of("card_account.credit_limit_cents", "limit")
    collateral = amounts.amount_of("collateral_account.current_cents", "collateral")
    minimum_payment = amounts.amount_of("minimum_payment_cents")
    card_account_link = account_link_of("card_account")
    collateral_account_link = account_link_of("collateral_account")
    fieldsets = [
        fieldset("Program", "enrollment_badge", "status_badge", "enrolled_at"),
        fieldset("Accounts", "card_account_link", "collateral_account_link"),
        fieldset("Next payment", "minimum_payment", "next_payment_due_date"),
        aside("Record", "of_business"),
    ]

    def headline(self, secured):
        return f"Secured card of {secured.business.legal_name}"

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

    @admin.display(description="used", ordering="-card_account__current_cents")
    def used(self, secured):
        return amounts.amount(secured.card_account and -secured.card_account.current_cents)
