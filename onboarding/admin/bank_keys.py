"""Bank keys: the access keys of the bank's own systems, for the record feed."""

from django.contrib import admin

from foundation.backoffice.screens import aside, fieldset
from onboarding.admin.access_key_forms import IssueBankKeyForm
from onboarding.admin.access_keys import AccessKeyAdmin, StateFilter
from onboarding.models import BankKey
from onboarding.services.partners import api_keys


@admin.register(BankKey)
class BankKeyAdmin(AccessKeyAdmin):
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

    def prepare(self, values):
        return api_keys.prepare_bank_key(
            scopes=values["permissions"], label=values["label"], networks=values["networks"]
        )

    def recipient(self, key):
        return f"the operators of {key.label or 'the system'}"
