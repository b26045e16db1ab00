"""Partners: screens of the companies that register leads, and their suspension."""

from django.contrib import admin, messages
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST

from foundation.backoffice.lists import may_view
from foundation.backoffice.screens import badge
from onboarding.admin.api_keys import ApiKeyInline
from onboarding.admin.appearance import AppearanceScreen
from onboarding.admin.webhooks import webhook_table
from onboarding.models import ApiKey, Lead, Partner, Webhook


@admin.register(Partner)
class PartnerAdmin(AppearanceScreen):
    change_form_template = "admin/onboarding/partner/change_form.html"
    list_display = ["name", "standing", "lead_count", "live_key_count", "created_at"]
    list_filter = [("suspended_at", admin.EmptyFieldListFilter)]
    search_fields = ["name"]
    search_help_text = "Name or partner id."
    ordering = ["name"]
    actions = ["suspend_selected", "reinstate_selected", "waive_code", "ask_for_code"]
    steps = ["suspend", "reinstate", "appearance"]
    inlines = [ApiKeyInline]
    fieldsets = [
        (
            "Partner",
            {
                "fields": [
                    "name",
                    "lead_count",
                    "live_key_count",
                    "suspended_at",
                    "signs_without_code",
                ]
            },
        ),
        (
            "Appearance and embedding",
            {
                "fields": [
                    "for_applicants",
                    "colour",
                    "shown_logo",
                    "support_email",
                    "return_url",
                    "origins",
                ]
            },
        ),
        ("Record", {"classes": ["aside"], "fields": ["external_id", "created_at"]}),
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
            self._suspend(request, partner)

    @admin.action(description="Reinstate the selected partners", permissions=["step"])
    def reinstate_selected(self, request, partners):
        for partner in partners:
            self._reinstate(request, partner)

    @admin.action(
        description="Let applicants sign without a code (by contract)", permissions=["step"]
    )
    def waive_code(self, request, partners):
        self._set_waiver(request, partners, is_waived=True)

    @admin.action(description="Ask for a code before the signature", permissions=["step"])
    def ask_for_code(self, request, partners):
        self._set_waiver(request, partners, is_waived=False)

    def _set_waiver(self, request, partners, *, is_waived):
        for partner in partners.exclude(signs_without_code=is_waived):
            Partner.objects.filter(pk=partner.pk).update(signs_without_code=is_waived)
            said = "sign without a code, by contract" if is_waived else "enter a code to sign"
            self.log_change(request, partner, f"Applicants in the partner's pages {said}.")
            self.message_user(request, f"Applicants of {partner} {said}.", messages.SUCCESS)

    @method_decorator(require_POST)
    def suspend(self, request, partner):
        self._suspend(request, partner)
        return self.to_page("change", partner)

    @method_decorator(require_POST)
    def reinstate(self, request, partner):
        self._reinstate(request, partner)
        return self.to_page("change", partner)

    def _suspend(self, request, partner):
        if not partner.suspend(at=timezone.now()):
            self.message_user(request, f"{partner} was suspended already.", messages.WARNING)
            return
        self.log_change(request, partner, "Suspended.")
        self.message_user(
            request, f"{partner} is suspended: every call is refused from now on.", messages.SUCCESS
        )

    def _reinstate(self, request, partner):
        if not partner.reinstate():
            self.message_user(request, f"{partner} is not suspended.", messages.WARNING)
            return
        self.log_change(request, partner, "Reinstated.")
        self.message_user(request, f"{partner} may call again.", messages.SUCCESS)


def _count(rows):
    """Return a subquery that counts the `rows` of a partner. Joins would multiply the counts."""
    counted = rows.filter(partner=OuterRef("pk")).order_by().values("partner")
    return Coalesce(Subquery(counted.annotate(count=Count("pk")).values("count")), 0)
