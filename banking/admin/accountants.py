"""Accountants: their clients, and the businesses they referred."""

from django.contrib import admin
from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_safe

from banking.admin.records import RecordsAdmin
from banking.choices import AccessStatus
from banking.models import Accountant, Business, ClientAccess, Referral, Statement
from banking.services import client_statements
from foundation.backoffice import cells
from foundation.backoffice.downloads import file_links, serve_stream
from foundation.backoffice.lists import ChosenFilter, link_to_list, may_view
from foundation.backoffice.screens import FactsInline, badge, link_to, stack

STATEMENTS = "Clients' statements"


class AccessInline(FactsInline):
    """Screens of accountants, their clients and their referrals."""

    model = ClientAccess
    fields = ["status_badge", "level_text", "invited", "since"]
    status_badge = cells.badge_of("status")

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("accountant__user", "business")

    @admin.display(description="invited")
    def invited(self, access):
        return cells.day(access.invited_at)

    @admin.display(description="granted or revoked")
    def since(self, access):
        return cells.day(access.revoked_at or access.granted_at)

    @admin.display(description="may read")
    def level_text(self, access):
        return access.get_level_display()


class ClientInline(AccessInline):
    """The accountants of a business."""

    verbose_name_plural = "accountants"
    nothing = "No accountant has access."
    ordering = ["accountant__firm_name", "pk"]
    fields = ["of_accountant", *AccessInline.fields]

    @admin.display(description="accountant")
    def of_accountant(self, access):
        person = access.accountant.user.get_full_name() or access.accountant.user.email
        return stack(link_to(access.accountant, person), access.accountant.firm_name)


class BusinessInline(AccessInline):
    """The clients of an accountant."""

    verbose_name_plural = "clients"
    nothing = "No clients yet."
    ordering = ["business__legal_name", "pk"]
    fields = ["of_business", *AccessInline.fields]

    @admin.display(description="business")
    def of_business(self, access):
        return stack(link_to(access.business, access.business.legal_name), access.business.email)


@admin.register(Accountant)
class AccountantAdmin(RecordsAdmin):
    list_display = ["label", "email", "client_count", "referral_count"]
    list_select_related = ["user"]
    ordering = ["firm_name", "pk"]
    search_fields = ["firm_name", "user__email", "user__first_name", "user__last_name"]
    search_help_text = "Firm, email, name or user id."
    id_fields = ["user__external_id"]
    inlines = [BusinessInline]
    fieldsets = [
        ("Accountant", {"fields": ["name", "email", "firm_name", "partner_referral_code"]}),
        ("Lists", {"classes": ["aside"], "fields": ["referrals"]}),
        (STATEMENTS, {"classes": ["aside"], "fields": ["client_statements"]}),
        ("Record", {"classes": ["aside"], "fields": ["external_id"]}),
    ]

    def get_queryset(self, request):
        connected = Q(accesses__status=AccessStatus.CONNECTED)
        return (
            super()
            .get_queryset(request)
            .select_related("user")
            .annotate(
                clients=Count("accesses", filter=connected, distinct=True),
                referred=Count("referrals", distinct=True),
            )
        )

    def get_urls(self):
        return [self.page("statements", self.may_view_statements), *super().get_urls()]

    def get_fieldsets(self, request, obj=None):
        """Return no card with statements for those who may not view them."""
        may_view_all = self.may_view_statements(request)
        return [card for card in self.fieldsets if may_view_all or card[0] != STATEMENTS]

    def may_view_statements(self, request):
        """Say whether the user may have the statements of clients."""
        return may_view(request, Accountant, Business, Statement)

    @method_decorator(require_safe)
    def statements(self, request, accountant):
        """Stream the latest statement of each client."""
        archive = client_statements.write_client_statements(accountant, at=timezone.now()).file
        document = f"accountant {accountant.user.external_id}, {archive.file_name}"
        return serve_stream(request, archive, document=document)

    def headline(self, accountant):
        return self.name(accountant)

    @admin.display(description="accountant", ordering="firm_name")
    def label(self, accountant):
        return stack(self.name(accountant), accountant.firm_name)

    @admin.display(description="name")
    def name(self, accountant):
        return accountant.user.get_full_name() or accountant.user.email

    @admin.display(description="email", ordering="user__email")
    def email(self, accountant):
        return accountant.user.email

    @admin.display(description="user id")
    def external_id(self, accountant):
        return str(accountant.user.external_id)

    @admin.display(description="clients", ordering="clients")
    def client_count(self, accountant):
        return f"{accountant.clients:,}"

    @admin.display(description="referrals", ordering="referred")
    def referral_count(self, accountant):
        return f"{accountant.referred:,}"

    @admin.display(description="of this accountant")
    def referrals(self, accountant):
        text = f"Referrals ({accountant.referred:,})"
        return link_to_list(Referral, text, accountant=accountant.pk)

    @admin.display(description="the latest of each")
    def client_statements(self, accountant):
        url = reverse("admin:banking_accountant_statements", args=[accountant.pk])
        return file_links(url, is_shown=False)


class AccountantFilter(ChosenFilter):
    title = parameter_name = "accountant"
    model = Accountant

    def name_of(self, accountant):
        return accountant.firm_name


@admin.register(Referral)
class ReferralAdmin(RecordsAdmin):
    list_display = ["label", "of_accountant", "status_badge", "invited", "completed"]
    list_filter = [AccountantFilter, "status", ("invited_at", admin.DateFieldListFilter)]
    list_select_related = ["accountant__user"]
    ordering = ["-invited_at", "-pk"]
    search_fields = ["business_name", "email", "owner_last_name", "accountant__firm_name"]
    search_help_text = "Business, email, owner's last name, firm or referral id."
    invited = cells.timestamp_of("invited_at")
    completed = cells.timestamp_of("completed_at")
    fieldsets = [
        (
            "Referral",
            {"fields": ["business_name", "owner", "email", "status_badge", "of_accountant"]},
        ),
        ("Invitation", {"fields": ["invited_at", "expires_at", "completed_at"]}),
        ("Record", {"classes": ["aside"], "fields": ["external_id"]}),
    ]

    def headline(self, referral):
        return referral.business_name

    @admin.display(description="business", ordering="business_name")
    def label(self, referral):
        return stack(referral.business_name, referral.email)

    @admin.display(description="owner")
    def owner(self, referral):
        return f"{referral.owner_first_name} {referral.owner_last_name}"

    @admin.display(description="status", ordering="status")
    def status_badge(self, referral):
        status = referral.status_at(timezone.now())
        return badge(status, status.label)

    @admin.display(description="referred by", ordering="accountant__firm_name")
    def of_accountant(self, referral):
        return link_to(referral.accountant, referral.accountant.firm_name)
