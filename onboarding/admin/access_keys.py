"""Access keys of any kind: screens to propose, rotate and revoke keys. A secret is shown once.

New keys and secrets are proposals, which a second administrator confirms.
"""

from datetime import timedelta
from functools import partial

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.templatetags.admin_urls import admin_urlname
from django.db.models import Q
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join

from banking.admin.staff_changes import propose_change
from foundation.backoffice.lists import OptionsFilter
from foundation.backoffice.screens import FactsAdmin, badge, stack
from foundation.times import show_day, show_time
from onboarding.admin.access_key_forms import IssueKeyForm, RotateKeyForm
from onboarding.services.partners import api_keys, key_proposals


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
        return format_html_join(" ", "<code>{}</code>", ((it,) for it in key.permissions))

    @admin.display(description="key", ordering="access_key")
    def label_and_key(self, key):
        return stack(key.label or "No label", key.access_key)

    @admin.display(description="created, expires", ordering="expires_at")
    def lifetime(self, key):
        created, expires = (show_day(at) for at in (key.created_at, key.expires_at))
        return stack(created, f"to {expires}")

    @admin.display(description="state, last used", ordering="last_used_at")
    def state_and_use(self, key):
        used = key.last_used_at
        return stack(self.state(key), show_day(used) if used else "Never used")

    @admin.display(description="from")
    def networks_allowed(self, key):
        if not key.networks:
            return "Any address"
        return format_html_join(" ", "<code>{}</code>", ((it,) for it in key.networks))

    @admin.display(description="old secret works until")
    def old_secret_until(self, key):
        until = key.previous_expires_at
        return show_time(until) if until else ""


class AccessKeyAdmin(KeyScreen, FactsAdmin):
    """A screen of access keys. Subclasses prepare the keys of one kind."""

    change_form_template = "admin/onboarding/accesskey/change_form.html"
    add_form_template = "admin/onboarding/accesskey/add_form.html"
    ordering = ["-created_at", "-pk"]
    steps = ["rotate", "revoke"]
    times = ["created_at", "expires_at", "last_used_at", "old_secret_until", "revoked_at"]
    issue_form: type[IssueKeyForm]
    issue_title: str

    def prepare(self, values):
        """Return an `IssuedKey`: a key with the values of the form, not saved, and its secret."""
        raise NotImplementedError

    def recipient(self, key):
        """Return, as text for the page with a new secret of a key, who is to receive the secret."""
        raise NotImplementedError

    def has_add_permission(self, request):
        return admin.ModelAdmin.has_add_permission(self, request)

    def get_form(self, request, obj=None, change=False, **kwargs):
        if obj is None:
            kwargs["form"] = self.issue_form
        return super().get_form(request, obj, change, **kwargs)

    def get_fieldsets(self, request, obj=None):
        return self.fieldsets if obj else [(None, {"fields": self.issue_form.field_order})]

    def more_facts(self, _request, key):
        is_live = not key.revoked_at and key.expires_at > timezone.now()
        return {"is_live": is_live, "rotate_form": RotateKeyForm()}

    def add_view(self, request, form_url="", extra_context=None):
        """Show the form of a new key; on POST propose the key, and show its secret once."""
        shown = {"title": self.issue_title, **(extra_context or {})}
        if request.method != "POST" or not self.has_add_permission(request):
            return super().add_view(request, form_url, shown)
        form = self.get_form(request)(request.POST)
        if not form.is_valid():
            return super().add_view(request, form_url, shown)
        issued = self.prepare(form.cleaned_data)
        lifetime = timedelta(days=form.cleaned_data["days"])

        def propose(**facts):
            key_proposals.propose_issue(issued, lifetime=lifetime, **facts)
            return issued

        return self._propose(request, propose)

    def rotate(self, request, key):
        """Propose another secret of a key, and show the secret once.

        The key keeps its present secret until a second administrator confirms the proposal. Returns
        None for a form that is not valid.
        """
        form = RotateKeyForm(request.POST)
        if not form.is_valid():
            self.message_user(request, "A grace period lasts 0 to 168 hours.", messages.ERROR)
            return None
        grace = timedelta(hours=form.cleaned_data["grace_hours"])
        return self._propose(request, partial(key_proposals.propose_rotation, key, grace=grace))

    def revoke(self, request, key):
        if key.revoked_at:
            self.message_user(request, f"{key} is already revoked.", messages.WARNING)
            return
        api_keys.revoke_api_key(key, at=timezone.now())
        self.log_change(request, key, "Revoked.")
        self.message_user(request, f"{key} is revoked and no longer works.", messages.SUCCESS)

    def _propose(self, request, propose):
        """Propose a new secret by `propose`, and return the only page that shows it.

        If the proposal is refused, return a redirect to the list.
        """
        listed = reverse(admin_urlname(self.opts, "changelist"))
        issued = propose_change(self, request, propose)
        if issued is None:
            return redirect(listed)
        return self.show_page(
            request,
            "onboarding/accesskey/secret",
            title="Copy the secret now",
            key=issued.key,
            secret=issued.secret,
            recipient=self.recipient(issued.key),
            scheme=settings.LEAD_API_SCHEME,
            done=listed,
        )

    def headline(self, key):
        return key.label or key.access_key

    def headline_badge(self, key):
        return self.state(key)
