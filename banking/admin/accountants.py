"""Accountants, and the businesses they referred."""

from typing import ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import Count
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from banking.admin.records import RecordsAdmin
from banking.admin.second_factors import SecondFactorScreen
from banking.admin.staff_changes import PROPOSED
from banking.choices import AccessStatus
from banking.errors import StepRefused
from banking.models import Accountant, Business, ClientAccess, Referral, Statement, User
from banking.models.accountants import has_status
from banking.services import client_statements, new_accountants
from foundation.backoffice import cells
from foundation.backoffice.downloads import file_links, serve_stream
from foundation.backoffice.lists import ChosenFilter, date_filter, link_to_list, may_view
from foundation.backoffice.screens import FactsInline, aside, badge, fieldset, stack

STATEMENTS = "Clients' statements"


class AccessInline(FactsInline):
    """Accesses of firms to businesses."""

    model = ClientAccess
    fields = ["status_badge", "level_text", "invited", "since", "until"]
    select_related = ["firm", "business"]
    until = cells.value_of("last_day", "last day", cells.day)
    invited = cells.value_of("invited_at", "", cells.day)

    @admin.display(description="granted or revoked")
    def since(self, access):
        return cells.day(access.ended_at(timezone.now()) or access.granted_at)

    @admin.display(description="status")
    def status_badge(self, access):
        status = access.status_at(timezone.now())
        return badge(status, status.label)

    @admin.display(description="can read")
    def level_text(self, access):
        return access.get_level_display()


class ClientInline(AccessInline):
    """The accesses of firms of accountants to a business, on the page of the business."""

    verbose_name_plural = "accountants"
    nothing = "No accountant has access."
    ordering = ["firm__name", "pk"]
    fields = ["of_firm", *AccessInline.fields]
    of_firm = cells.link_of("firm", "name", "firm")


class NewAccountantForm(forms.ModelForm):
    """A new accountant: the person, whose email address is kept in lower case, and the firm."""

    email = forms.EmailField(max_length=254)
    first_name = forms.CharField(max_length=150)
    last_name = forms.CharField(max_length=150)
    firm_name = forms.CharField(max_length=255, help_text="A new firm, which the person manages.")

    class Meta:
        model = Accountant
        fields: ClassVar[list[str]] = []

    def clean_email(self):
        email = self.cleaned_data["email"].lower()
        if User.objects.filter(email=email).exists():
            raise forms.ValidationError("There is an account with this address.")
        return email


@admin.register(Accountant)
class AccountantAdmin(SecondFactorScreen):
    """Accountants. A new accountant is a proposal to a second administrator.

    Once it is confirmed, the person is mailed a link at which they choose a password.
    """

    list_display = ["label", "email", "client_count", "referral_count"]
    list_select_related = ["user", "firm"]
    ordering = ["firm__name", "pk"]
    search_fields = ["firm__name", "user__email", "user__first_name", "user__last_name"]
    search_help_text = "Firm, email, name or user id."
    id_fields = ["user__external_id"]
    of_firm = cells.link_of("firm", "name", "firm")
    terms_accepted = cells.timestamp_of("terms_accepted_at")
    email = cells.text_of("user.email", "email")
    external_id = cells.text_of("user.external_id", "user id")
    client_count = cells.value_of("clients", "", "{:,}".format)
    referral_count = cells.value_of("referred", "referrals", "{:,}".format)
    fieldsets = [
        fieldset("Accountant", "name", "email", "of_firm", "is_manager", "partner_referral_code"),
        aside("Lists", "referrals"),
        aside(STATEMENTS, "client_statements"),
        aside("Record", "external_id", "terms_accepted"),
    ]

    def get_queryset(self, request):
        connected = has_status(AccessStatus.CONNECTED, at=timezone.now(), path="firm__accesses__")
        return (
            super()
            .get_queryset(request)
            .select_related("user", "firm")
            .annotate(
                clients=Count("firm__accesses", filter=connected, distinct=True),
                referred=Count("referrals", distinct=True),
            )
        )

    def get_urls(self):
        return [self.page("statements", self.may_view_statements), *super().get_urls()]

    def has_add_permission(self, request):
        return request.user.has_perm("banking.add_user")

    def get_form(self, request, obj=None, change=False, **kwargs):
        if obj is None:
            kwargs["form"] = NewAccountantForm
        return super().get_form(request, obj, change=change, **kwargs)

    def add_view(self, request, form_url="", extra_context=None):
        """Propose a new accountant; a second administrator creates the account."""
        if request.method != "POST" or not self.has_add_permission(request):
            return super().add_view(request, form_url, extra_context)
        form = self.get_form(request)(request.POST)
        if not form.is_valid():
            return super().add_view(request, form_url, extra_context)
        try:
            new_accountants.propose(**form.cleaned_data, by=request.user, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.ERROR)
        else:
            self.message_user(request, PROPOSED, messages.WARNING)
        return redirect("admin:banking_accountant_changelist")

    def get_fieldsets(self, request, obj=None):
        """Return the fieldsets of the page, without statements for users who may not view them.

        The page that adds an accountant has the fields of its form.
        """
        if obj is None:
            return [(None, {"fields": [*NewAccountantForm.base_fields]})]
        may_view_all = self.may_view_statements(request)
        return [card for card in self.fieldsets if may_view_all or card[0] != STATEMENTS]

    def may_view_statements(self, request):
        """Return whether the user may view the statements of clients."""
        return may_view(request, Accountant, Business, Statement)

    def statements(self, request, accountant):
        """Stream one archive with the latest statement of each client of an accountant."""
        archive = client_statements.write_client_statements(accountant, at=timezone.now()).file
        document = f"accountant {accountant.user.external_id}, {archive.file_name}"
        return serve_stream(request, archive, document=document)

    def headline(self, accountant):
        return self.name(accountant)

    @admin.display(description="accountant", ordering="firm__name")
    def label(self, accountant):
        return stack(self.name(accountant), accountant.firm_name)

    @admin.display(description="name")
    def name(self, accountant):
        return accountant.user.get_full_name() or accountant.user.email

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
    list_filter = [AccountantFilter, "status", date_filter("invited_at")]
    list_select_related = ["accountant__firm"]
    ordering = ["-invited_at", "-pk"]
    search_fields = ["business_name", "email", "owner_last_name", "accountant__firm__name"]
    search_help_text = "Business, email, owner's last name, firm or referral id."
    headline = cells.text_of("business_name")
    label = cells.stack_of("business_name", "email", "business")
    of_accountant = cells.link_of("accountant", "firm_name", "referred by")
    invited = cells.timestamp_of("invited_at")
    completed = cells.timestamp_of("completed_at")
    fieldsets = [
        fieldset("Referral", "business_name", "owner", "email", "status_badge", "of_accountant"),
        fieldset("Invitation", "invited_at", "expires_at", "completed_at"),
        aside("Record", "external_id"),
    ]

    @admin.display(description="owner")
    def owner(self, referral):
        return f"{referral.owner_first_name} {referral.owner_last_name}"

    @admin.display(description="status", ordering="status")
    def status_badge(self, referral):
        status = referral.status_at(timezone.now())
        return badge(status, status.label)
