"""Access keys: screens to issue, rotate and revoke keys. A secret is shown once."""

from datetime import timedelta

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import Q
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html_join

from foundation.backoffice.cells import link_of
from foundation.backoffice.lists import OptionsFilter
from foundation.backoffice.screens import (
    FactsAdmin,
    FactsInline,
    aside,
    badge,
    fieldset,
    link_to,
    stack,
)
from onboarding.admin import issued_secrets
from onboarding.admin.api_key_forms import IssueKeyForm, RotateKeyForm
from onboarding.choices import Permission
from onboarding.models import ApiKey
from onboarding.services.partners import api_keys


class StateFilter(OptionsFilter):
    """Filter by live, expired and revoked keys."""

    title = parameter_name = "state"
    options = [("live", "Live"), ("expired", "Expired"), ("revoked", "Revoked")]

    def queryset(self, request, queryset):
        now = timezone.now()
        states = {
            "live": Q(revoked_at=None, expires_at__gt=now),
            "expired": Q(revoked_at=None, expires_at__lte=now),
            "revoked": Q(revoked_at__isnull=False),
        }
        return queryset.filter(states.get(self.value() or "", Q()))


class KeyScreen:
    """Display fields of an access key."""

    @admin.display(description="state")
    def state(self, key):
        if key.revoked_at:
            return badge("REVOKED", "Revoked")
        live = key.expires_at > timezone.now()
        return badge("LIVE", "Live") if live else badge("EXPIRED", "Expired")

    @admin.display(description="may")
    def may(self, key):
        if set(key.permissions) == set(Permission.values):
            return "Everything"
        return format_html_join(" ", "<code>{}</code>", ((it,) for it in key.permissions))

    @admin.display(description="key", ordering="access_key")
    def label_and_key(self, key):
        return stack(key.label or "No label", key.access_key)

    @admin.display(description="created, expires", ordering="expires_at")
    def lifetime(self, key):
        created, expires = (
            date_format(at, "DATE_FORMAT") for at in (key.created_at, key.expires_at)
        )
        return stack(created, f"to {expires}")

    @admin.display(description="state, last used", ordering="last_used_at")
    def state_and_use(self, key):
        used = key.last_used_at
        return stack(self.state(key), date_format(used, "DATE_FORMAT") if used else "Never used")

    @admin.display(description="from")
    def networks_allowed(self, key):
        if not key.networks:
            return "Any address"
        return format_html_join(" ", "<code>{}</code>", ((it,) for it in key.networks))

    @admin.display(description="old secret works until")
    def old_secret_until(self, key):
        until = key.previous_expires_at
        return date_format(until, "DATETIME_FORMAT") if until else ""


@admin.register(ApiKey)
class ApiKeyAdmin(KeyScreen, FactsAdmin):
    change_form_template = "admin/onboarding/apikey/change_form.html"
    add_form_template = "admin/onboarding/apikey/add_form.html"
    list_display = ["label_and_key", "partner", "state_and_use", "may", "networks_allowed"]
    list_display += ["lifetime"]
    list_filter = [StateFilter, "partner"]
    list_select_related = ["partner"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["access_key", "label", "partner__name"]
    search_help_text = "Access key, label or partner."
    id_fields = ["partner__external_id"]
    steps = ["rotate", "revoke"]
    of_partner = link_of("partner", "name")
    fieldsets = [
        fieldset("Access key", "access_key", "label"),
        fieldset("Permissions", "permissions_held", "networks_allowed"),
        aside(
            "Record",
            "of_partner",
            "created_at",
            "expires_at",
            "last_used_at",
            "old_secret_until",
            "revoked_at",
        ),
    ]

    def has_add_permission(self, request):
        return admin.ModelAdmin.has_add_permission(self, request)

    def has_secret_permission(self, request):
        """Return whether the user may issue or rotate keys, and so see a new secret."""
        return self.has_add_permission(request) or self.has_step_permission(request)

    def get_urls(self):
        return [self.page("secret", self.has_secret_permission), *super().get_urls()]

    def get_form(self, request, obj=None, change=False, **kwargs):
        if obj is None:
            kwargs["form"] = IssueKeyForm
        return super().get_form(request, obj, change, **kwargs)

    def get_fieldsets(self, request, obj=None):
        return self.fieldsets if obj else [(None, {"fields": IssueKeyForm.SHOWN})]

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("partner")

    def more_facts(self, _request, key):
        is_live = not key.revoked_at and key.expires_at > timezone.now()
        return {"is_live": is_live, "rotate_form": RotateKeyForm()}

    def save_model(self, request, obj, form, change):
        """Issue a key from the values of the form."""
        issued = api_keys.issue_api_key(
            obj.partner,
            at=timezone.now(),
            label=obj.label,
            permissions=obj.permissions,
            networks=obj.networks,
            lifetime=timedelta(days=form.cleaned_data["days"]),
        )
        obj.pk, obj.access_key = issued.key.pk, issued.key.access_key
        issued_secrets.keep(request, issued)

    def add_view(self, request, form_url="", extra_context=None):
        title = {"title": "Issue an access key"}
        return super().add_view(request, form_url, {**title, **(extra_context or {})})

    def response_add(self, request, obj, post_url_continue=None):
        return self.to_page("secret", obj)

    def rotate(self, request, key):
        form = RotateKeyForm(request.POST)
        if not form.is_valid():
            self.message_user(request, "A grace period lasts 0 to 168 hours.", messages.ERROR)
            return None
        hours = form.cleaned_data["grace_hours"]
        try:
            issued = api_keys.rotate_api_key(key, at=timezone.now(), grace=timedelta(hours=hours))
        except api_keys.KeyNotLive:
            self.message_user(request, f"{key} is no longer live.", messages.ERROR)
            return None
        self.log_change(request, key, f"Rotated. The old secret works for {hours} more hours.")
        issued_secrets.keep(request, issued)
        return self.to_page("secret", key)

    def revoke(self, request, key):
        if key.revoked_at:
            self.message_user(request, f"{key} is already revoked.", messages.WARNING)
            return
        api_keys.revoke_api_key(key, at=timezone.now())
        self.log_change(request, key, "Revoked.")
        self.message_user(request, f"{key} is revoked and no longer works.", messages.SUCCESS)

    def secret(self, request, key):
        """Show the new secret in the session, and delete it there: the page works once."""
        secret = issued_secrets.take(request, key)
        if secret is None:
            once = "The secret is shown only once. To get a new one, rotate the key."
            self.message_user(request, once, messages.WARNING)
            return None
        return self.show_page(
            request,
            "onboarding/apikey/secret",
            title="Copy the secret now",
            key=key,
            secret=secret,
            scheme=settings.LEAD_API_SCHEME,
        )

    def headline(self, key):
        return key.label or key.access_key

    def headline_badge(self, key):
        return self.state(key)

    @admin.display(description="may")
    def permissions_held(self, key):
        labels = dict(Permission.choices)
        return format_html_join(
            "",
            '<span class="line">{} <code>{}</code></span>',
            ((labels.get(it, ""), it) for it in key.permissions),
        )


class ApiKeyInline(KeyScreen, FactsInline):
    model = ApiKey
    nothing = "No access keys. The partner cannot call the API."
    ordering = ["-created_at", "-pk"]
    fields = ["key", "state_and_use", "may", "networks_allowed", "lifetime"]

    @admin.display(description="key")
    def key(self, key):
        return stack(link_to(key, key.label or "No label"), key.access_key)
