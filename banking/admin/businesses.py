"""Screens of businesses: their facts, their accounts and their cash flows."""

from django.contrib import admin
from django.db.models import OuterRef, Subquery, Sum, prefetch_related_objects
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from banking.admin import amounts
from banking.admin.accountants import ClientInline
from banking.admin.accounts import AccountInline, LinkedAccountInline
from banking.admin.cards import CardInline
from banking.admin.charts import flow_chart
from banking.admin.documents import LETTERS, BusinessDocuments
from banking.admin.plans import SubscriptionScreen
from banking.admin.second_factors import SecondFactorScreen
from banking.admin.terms import AcceptanceInline
from banking.choices import CREDIT, AddressKind, BusinessOwnerRole
from banking.models import (
    Account,
    Bill,
    Business,
    BusinessOwner,
    Invoice,
    ServiceItem,
    Statement,
    Supplier,
    TaxStatement,
    Transaction,
    User,
)
from banking.queries import cash_flows
from banking.queries.profiles import LARGEST_FIRST
from foundation.backoffice import cells
from foundation.backoffice.lists import date_filter, link_to_list, may_view
from foundation.backoffice.screens import FactsInline, aside, badge, fieldset, stack

LISTS = [Transaction, Invoice, ServiceItem, Bill, Supplier, Statement, TaxStatement]


class OwnerInline(FactsInline):
    model = BusinessOwner
    verbose_name_plural = "owners"
    nothing = "No owners on file."
    ordering = [LARGEST_FIRST, "pk"]
    fields = ["who", "share", "role_badge", "signs_in"]
    role_badge = cells.badge_of("role")

    @admin.display(description="who")
    def who(self, owner):
        return stack(f"{owner.first_name} {owner.last_name}", owner.email)

    @admin.display(description="share")
    def share(self, owner):
        if owner.ownership_percent is None:
            return ""
        percent = cells.percent(owner.ownership_percent)
        number = percent.removesuffix("%")
        meter = '<meter class="share" max="100" value="{}"></meter> {}'
        shown = format_html(meter, number, percent)
        return stack(shown, f"through {owner.held_through}") if owner.held_through else shown

    @admin.display(description="signs in")
    def signs_in(self, owner):
        if owner.user_id is None:
            return "No"
        is_primary = owner.role == BusinessOwnerRole.PRIMARY_OWNER
        return "Yes" if is_primary else owner.get_sign_in_role_display()


@admin.register(Business)
class BusinessAdmin(SecondFactorScreen, SubscriptionScreen, BusinessDocuments):
    list_display = ["label", "business_type", "plan", "deposits", "created"]
    list_filter = ["business_type", "subscription__plan", "subscription__status"]
    list_filter += [date_filter("created_at")]
    list_select_related = ["subscription__plan"]
    ordering = ["legal_name", "pk"]
    search_fields = ["legal_name", "email", "owners__email"]
    search_help_text = "Legal name, email of the business or of an owner, or business id."
    inlines = [OwnerInline, AccountInline, CardInline, LinkedAccountInline, ClientInline]
    inlines += [AcceptanceInline]
    created = cells.timestamp_of("created_at", "customer since")
    website_text = cells.text_of("website")
    headline = cells.text_of("legal_name")
    headline_badge = SubscriptionScreen.plan_badge
    label = cells.stack_of("legal_name", "email", "business")
    deposits = amounts.amount_of("deposits_cents")
    duns_name = cells.value_of(
        "duns_registration",
        "registered as",
        lambda duns: cells.lines([duns.registered_name, *duns.lines]),
    )
    duns_date = cells.value_of("duns_registration.registered_date", "registered on", cells.day)
    fieldsets = [
        fieldset(
            "Business",
            "legal_name",
            "business_type",
            "incorporation_state",
            "incorporation_date",
            "tax_state",
            "email",
            "phone_number",
            "website_text",
            "filing_status",
        ),
        fieldset("Addresses", "registered_address", "operational_address", "mailing_address"),
        fieldset("Plan", "plan", "price", "subscribed", "renewed", "benefits"),
        fieldset("DUNS registration", "duns_number", "duns_name", "duns_date"),
        aside("Lists", "records"),
        aside("Expense reports", "expense_reports", "detailed_reports"),
        aside("Transactions as CSV", "csv_files"),
        aside(LETTERS, "bank_letters"),
        aside("Record", "external_id", "created_at"),
    ]

    def get_queryset(self, request):
        held = Account.objects.filter(business=OuterRef("pk")).exclude(account_type__in=CREDIT)
        sums = held.order_by().values("business").annotate(sum=Sum("current_cents")).values("sum")
        return super().get_queryset(request).annotate(deposits_cents=Subquery(sums))

    def get_object(self, request, object_id, from_field=None):
        business = super().get_object(request, object_id, from_field)
        if business:
            prefetch_related_objects([business], "addresses")
        return business

    def list_users(self, business):
        return User.objects.filter(business_owner__business=business)

    def tiles(self, request, business):
        if not may_view(request, Account):
            return []
        accounts = business.accounts.open()
        credit = [account for account in accounts if account.account_type in CREDIT]
        owed = -sum(account.current_cents for account in credit)
        deposits = sum(account.current_cents for account in accounts) + owed
        return [
            ("Deposits", amounts.amount(deposits)),
            ("Held for pending", amounts.amount(sum(account.held_cents for account in accounts))),
            ("Owed on credit", amounts.amount(owed)),
        ]

    def chart(self, request, business):
        if not may_view(request, Transaction):
            return ""
        flows = cash_flows.list_cash_flows(business, through=timezone.now().date())
        return flow_chart(flows, "Money in and out, month by month")

    @admin.display(description="registered")
    def registered_address(self, business):
        return _address(business, AddressKind.REGISTERED)

    @admin.display(description="operational")
    def operational_address(self, business):
        return _address(business, AddressKind.OPERATIONAL)

    @admin.display(description="mailing")
    def mailing_address(self, business):
        return _address(business, AddressKind.MAILING)

    @admin.display(description="DUNS number")
    def duns_number(self, business):
        duns = getattr(business, "duns_registration", None)
        if duns is None:
            return ""
        return format_html("{} {}", duns.number, badge(duns.status, duns.get_status_display()))

    @admin.display(description="of this business")
    def records(self, business):
        links = (
            link_to_list(
                model, str(model._meta.verbose_name_plural).capitalize(), business=business.pk
            )
            for model in LISTS
        )
        return format_html_join("", '<span class="line">{}</span>', ((link,) for link in links))


def _address(business, kind):
    """Return the lines of the business's address of a kind, such as MAILING, or an empty text."""
    found = [address.lines for address in business.addresses.all() if address.kind == kind]
    return cells.lines(found[0]) if found else ""
