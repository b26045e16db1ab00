"""Bank keys: the access keys of the bank's own systems, for the record feed."""

from datetime import timedelta

from django.contrib import admin, messages
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from banking.admin.staff_changes import PROPOSED
from banking.errors import StepRefused
from foundation.backoffice.screens import aside, fieldset
from onboarding.admin.access_key_forms import IssueBankKeyForm, RotateKeyForm
from onboarding.admin.access_keys import AccessKeyAdmin, StateFilter
from onboarding.models import BankKey
from onboarding.services.partners import bank_keys


@admin.register(BankKey)
class BankKeyAdmin(AccessKeyAdmin):
    """Bank keys. New keys and secrets are proposals, which a second administrator confirms."""

    issue_form, issue_title = IssueBankKeyForm, "Propose a bank key"
    list_display = ["label_and_key", "state_and_use", "may", "networks_allowed", "lifetime"]
    list_filter = [StateFilter]
    search_fields = ["access_key", "label"]
    search_help_text = "Access key or label."
    id_fields = []
    fieldsets = [
        fieldset("Bank key", "access_key", "label"),
        fieldset("Scopes", "may", "networks_allowed"),
        aside("Record", *AccessKeyAdmin.times),
    ]

    def add_view(self, request, form_url="", extra_context=None):
        if request.method != "POST" or not self.has_add_permission(request):
            return super().add_view(request, form_url, extra_context)
        form = self.get_form(request)(request.POST)
        if not form.is_valid():
            return super().add_view(request, form_url, extra_context)
        said = form.cleaned_data
        values = {
            "scopes": said["permissions"],
            "label": said["label"],
            "networks": said["networks"],
            "lifetime": timedelta(days=said["days"]),
        }
        return self._propose(request, bank_keys.propose_issue, **values)

    def rotate(self, request, key):
        form = RotateKeyForm(request.POST)
        if not form.is_valid():
            self.message_user(request, "A grace period lasts 0 to 168 hours.", messages.ERROR)
            return None
        grace = timedelta(hours=form.cleaned_data["grace_hours"])
        return self._propose(request, bank_keys.propose_rotation, key, grace=grace)

    def more_facts(self, request, key):
        return {**super().more_facts(request, key), "takes_two": True}

    def recipient(self, key):
        return f"the operators of {key.label or 'the system'}"

    def _propose(self, request, propose, *subject, **values):
        """Propose a new secret, and show it on the page of this answer alone."""
        try:
            issued = propose(*subject, **values, by=request.user, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.ERROR)
            return redirect("admin:onboarding_bankkey_changelist")
        self.message_user(request, PROPOSED, messages.WARNING)
        done = reverse("admin:onboarding_bankkey_changelist")
        return self.show_secret(request, issued.key, issued.secret, done=done)
