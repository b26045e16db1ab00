"""Access keys of partners."""

from django.contrib import admin
from django.utils.html import format_html_join

from foundation.backoffice.cells import link_of
from foundation.backoffice.screens import FactsInline, aside, fieldset, link_to, stack
from onboarding.admin.access_key_forms import IssueApiKeyForm
from onboarding.admin.access_keys import AccessKeyAdmin, KeyScreen, StateFilter
from onboarding.choices import Permission
from onboarding.models import ApiKey
from onboarding.services.partners import api_keys


class ApiKeyScreen(KeyScreen):
    """Display fields of a partner's access key."""

    @admin.display(description="may")
    def may(self, key):
        if set(key.permissions) == set(Permission.values):
            return "Everything"
        return super().may(key)


@admin.register(ApiKey)
class ApiKeyAdmin(ApiKeyScreen, AccessKeyAdmin):
    issue_form, issue_title = IssueApiKeyForm, "Propose an access key"
    list_display = ["label_and_key", "partner", "state_and_use", "may", "networks_allowed"]
    list_display += ["lifetime"]
    list_filter = [StateFilter, "partner"]
    list_select_related = ["partner"]
    search_fields = ["access_key", "label", "partner__name"]
    search_help_text = "Access key, label or partner."
    id_fields = ["partner__external_id"]
    of_partner = link_of("partner", "name")
    fieldsets = [
        fieldset("Access key", "access_key", "label"),
        fieldset("Permissions", "permissions_held", "networks_allowed"),
        aside("Record", "of_partner", *AccessKeyAdmin.times),
    ]

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("partner")

    def prepare(self, values):
        return api_keys.prepare_api_key(
            values["partner"],
            permissions=values["permissions"],
            label=values["label"],
            networks=values["networks"],
        )

    def recipient(self, key):
        return key.partner.name

    @admin.display(description="may")
    def permissions_held(self, key):
        labels = dict(Permission.choices)
        return format_html_join(
            "",
            '<span class="line">{} <code>{}</code></span>',
            ((labels.get(it, ""), it) for it in key.permissions),
        )


class ApiKeyInline(ApiKeyScreen, FactsInline):
    model = ApiKey
    nothing = "No access keys. The partner cannot call the API."
    ordering = ["-created_at", "-pk"]
    fields = ["key", "state_and_use", "may", "networks_allowed", "lifetime"]

    @admin.display(description="key")
    def key(self, key):
        return stack(link_to(key, key.label or "No label"), key.access_key)
