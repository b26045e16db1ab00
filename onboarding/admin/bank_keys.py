"""Bank keys: the access keys of the bank's own systems. Commands issue, rotate and revoke them."""

from django.contrib import admin

from foundation.backoffice.screens import FactsAdmin, aside, fieldset
from onboarding.admin.api_keys import KeyScreen, StateFilter
from onboarding.models import BankKey


@admin.register(BankKey)
class BankKeyAdmin(KeyScreen, FactsAdmin):
    list_display = ["label_and_key", "state_and_use", "may", "networks_allowed", "lifetime"]
    list_filter = [StateFilter]
    ordering = ["-created_at", "-pk"]
    search_fields = ["access_key", "label"]
    search_help_text = "Access key or label."
    fieldsets = [
        fieldset("Bank key", "access_key", "label"),
        fieldset("Permissions", "may", "networks_allowed"),
        aside(
            "Record",
            "created_at",
            "expires_at",
            "last_used_at",
            "old_secret_until",
            "revoked_at",
        ),
    ]

    def headline(self, key):
        return key.label or key.access_key

    def headline_badge(self, key):
        return self.state(key)
