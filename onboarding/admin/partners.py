"""Partners: screens of the companies that register leads, and their suspension."""

from functools import partial

from django import forms
from django.contrib import admin, messages
from django.core.validators import MaxValueValidator
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from banking.admin.staff_changes import propose_change
from foundation.backoffice.cells import timestamp_of
from foundation.backoffice.lists import OptionsFilter, may_view
from foundation.backoffice.screens import aside, badge, fieldset
from onboarding.admin.api_keys import ApiKeyInline
from onboarding.admin.appearance import AppearanceScreen
from onboarding.admin.webhooks import webhook_table
from onboarding.models import ApiKey, Lead, Partner, Webhook
from onboarding.services.partners import code_waivers, limits, reinstatements, reliance


class WaiverForm(forms.Form):
    """Form for the name of a contract with a partner.

    Under one contract applicants sign without a code; under another, the bank relies on the
    partner's verifications.
    """

    contract = forms.CharField(max_length=200)


class LimitsForm(forms.Form):
    """Form for the limits of a partner; an empty field means the usual limit of the settings."""

    calls_per_minute = forms.IntegerField(required=False, min_value=1)
    creates_per_minute = forms.IntegerField(required=False, min_value=1)
    webhooks_max = forms.IntegerField(required=False, min_value=1)

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        for name, largest in limits.LARGEST.items():
            self.fields[name].validators.append(MaxValueValidator(largest))


class StandingFilter(OptionsFilter):
    """Filter partners by whether they are suspended."""

    title = parameter_name = "standing"
    options = [("active", "Active"), ("suspended", "Suspended")]

    def queryset(self, request, queryset):
        if self.value() not in {"active", "suspended"}:
            return queryset
        return queryset.filter(suspended_at__isnull=self.value() == "active")


@admin.register(Partner)
class PartnerAdmin(AppearanceScreen):
    change_form_template = "admin/onboarding/partner/change_form.html"
    list_display = ["name", "standing", "lead_count", "live_key_count", "created"]
    list_filter = [StandingFilter]
    search_fields = ["name"]
    search_help_text = "Name or partner id."
    ordering = ["name"]
    created = timestamp_of("created_at")
    actions = ["suspend_selected", "reinstate_selected"]
    action_steps = {"suspend": "suspend_selected", "reinstate": "reinstate_selected"}
    steps = [
        "waive_code",
        "ask_for_code",
        "send_reminders",
        "stop_reminders",
        "rely",
        "stop_relying",
        "set_limits",
    ]
    inlines = [ApiKeyInline]
    fieldsets = [
        fieldset(
            "Partner",
            "name",
            "lead_count",
            "live_key_count",
            "suspended_at",
            "code_waiver_contract",
            "reliance_contract",
            "sends_nudges",
            "calls_a_minute",
            "creates_a_minute",
            "most_webhooks",
        ),
        fieldset(
            "Appearance and embedding",
            "for_applicants",
            "colour",
            "shown_logo",
            "support_email",
            "return_url",
            "origins",
        ),
        aside("Record", "external_id", "created_at"),
    ]

    def has_add_permission(self, request):
        return admin.ModelAdmin.has_add_permission(self, request)

    def get_fieldsets(self, request, obj=None):
        return self.fieldsets if obj else [(None, {"fields": ["name"]})]

    def get_inlines(self, request, obj):
        return self.inlines if obj else []

    def get_queryset(self, request):
        live = ApiKey.objects.live(at=timezone.now())
        return (
            super()
            .get_queryset(request)
            .annotate(leads_held=_count(Lead.objects.all()), live_keys=_count(live))
        )

    def headline(self, partner):
        return partner.name

    def tables(self, request, partner):
        return [webhook_table(partner)] if may_view(request, Webhook) else []

    def headline_badge(self, partner):
        return self.standing(partner)

    @admin.display(ordering="suspended_at")
    def standing(self, partner):
        if partner.suspended_at:
            return badge("SUSPENDED", "Suspended", "Every call is refused")
        return badge("ACTIVE", "Active")

    @admin.display(description="leads", ordering="leads_held")
    def lead_count(self, partner):
        return partner.leads_held

    @admin.display(description="live keys", ordering="live_keys")
    def live_key_count(self, partner):
        return partner.live_keys

    @admin.action(description="Suspend the selected partners", permissions=["step"])
    def suspend_selected(self, request, partners):
        for partner in partners:
            if not partner.suspend(at=timezone.now()):
                self.message_user(request, f"{partner} is already suspended.", messages.WARNING)
                continue
            self.log_change(request, partner, "Suspended.")
            done = f"{partner} is suspended. All its calls are refused."
            self.message_user(request, done, messages.SUCCESS)

    @admin.action(description="Reinstate the selected partners", permissions=["step"])
    def reinstate_selected(self, request, partners):
        """Propose to a second administrator to end suspensions."""
        for partner in partners:
            if partner.suspended_at:
                propose_change(self, request, partial(reinstatements.propose, partner))
            else:
                self.message_user(request, f"{partner} is not suspended.", messages.WARNING)

    def waive_code(self, request, partner):
        """Propose a contract by which applicants sign in the partner's pages without a code.

        A second administrator must confirm it.
        """
        form = WaiverForm(request.POST)
        if not form.is_valid():
            self.message_user(request, "Enter the contract that waives the code.", messages.ERROR)
            return
        contract = form.cleaned_data["contract"]
        propose_change(self, request, partial(code_waivers.propose, partner, contract))

    def ask_for_code(self, request, partner):
        """Remove the contract at once, so that applicants enter a mailed code before they sign."""
        Partner.objects.filter(pk=partner.pk).update(code_waiver_contract="")
        self.log_change(request, partner, "Applicants enter a code to sign.")
        self.message_user(request, f"Applicants of {partner} enter a code to sign.")

    def rely(self, request, partner):
        """Propose a contract by which verifications of the partner count for checks.

        A second administrator must confirm it.
        """
        form = WaiverForm(request.POST)
        if not form.is_valid():
            self.message_user(request, "Enter the contract of reliance.", messages.ERROR)
            return
        contract = form.cleaned_data["contract"]
        propose_change(self, request, partial(reliance.propose, partner, contract))

    def stop_relying(self, request, partner):
        """Propose to a second administrator that no verification of the partner counts any more."""
        propose_change(self, request, partial(reliance.propose_end, partner))

    @admin.display(description="calls a minute and key")
    def calls_a_minute(self, partner):
        return _limit(partner, "calls_per_minute")

    @admin.display(description="creates a minute and key")
    def creates_a_minute(self, partner):
        return _limit(partner, "creates_per_minute")

    @admin.display(description="webhooks, at most")
    def most_webhooks(self, partner):
        return _limit(partner, "webhooks_max")

    def set_limits(self, request, partner):
        """Propose limits of the partner to a second administrator."""
        form = LimitsForm(request.POST)
        if not form.is_valid():
            largest = ", ".join(f"{most:,}" for most in limits.LARGEST.values())
            text = f"Enter whole numbers from 1 to {largest}, or nothing for the usual limit."
            self.message_user(request, text, messages.ERROR)
            return
        wanted = limits.PartnerLimits(**form.cleaned_data)
        if wanted == limits.PartnerLimits(*(getattr(partner, name) for name in limits.USUAL)):
            self.message_user(request, "These are the limits already.", messages.WARNING)
            return
        propose_change(self, request, partial(limits.propose, partner, wanted))

    def send_reminders(self, request, partner):
        """Switch on reminders to the partner's applicants who have not submitted yet."""
        self._switch_reminders(request, partner, is_on=True)

    def stop_reminders(self, request, partner):
        """Switch off reminders to the partner's applicants who have not submitted yet."""
        self._switch_reminders(request, partner, is_on=False)

    def _switch_reminders(self, request, partner, *, is_on):
        Partner.objects.filter(pk=partner.pk).update(sends_nudges=is_on)
        are = "are" if is_on else "are not"
        self.log_change(request, partner, f"Applicants {are} reminded before they submit.")
        self.message_user(request, f"Applicants of {partner} {are} reminded before they submit.")


def _limit(partner, name):
    """Return a limit as text, which says whether it is the partner's own."""
    own = getattr(partner, name) is not None
    return f"{limits.limit_of(partner, name):,}{'' if own else ' (the usual)'}"


def _count(rows):
    """Return a subquery that counts the `rows` of a partner. Joins would multiply the counts."""
    counted = rows.filter(partner=OuterRef("pk")).order_by().values("partner")
    return Coalesce(Subquery(counted.annotate(count=Count("pk")).values("count")), 0)
