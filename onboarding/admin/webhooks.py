"""Webhooks: screens of the endpoints of partners and their state, without secrets."""

from functools import partial

from django.contrib import admin, messages
from django.urls import reverse
from django.utils.html import format_html, format_html_join

from banking.admin.staff_changes import propose_change
from foundation.backoffice.cells import (
    figure,
    link_of,
    number,
    pairs,
    table_of,
    text_of,
    timestamp_of,
)
from foundation.backoffice.lists import MAX_ROWS, may_view
from foundation.backoffice.screens import FactsAdmin, aside, badge, fieldset, link_to, stack
from foundation.backoffice.site import Figure, figures
from foundation.times import show_time
from onboarding.admin.deliveries import delivery_table
from onboarding.admin.mails import mail_table
from onboarding.choices import DeliveryStatus, WebhookStatus
from onboarding.models import Delivery, Mail, Webhook
from onboarding.queries.webhooks import SECRETS
from onboarding.services.webhooks import enablings, endpoints

BY_STAFF = "Disabled by the bank."


class WebhookScreen:
    """Display fields of a webhook."""

    failing = timestamp_of("failing_since", "failing since")
    url = text_of("server_url", "URL")

    @admin.display(description="webhook", ordering="server_url")
    def label(self, webhook):
        return stack(webhook.description or "No description", webhook.server_url)

    @admin.display(description="state", ordering="status")
    def state(self, webhook):
        label = badge(webhook.status, webhook.get_status_display())
        return stack(label, webhook.disabled_reason) if webhook.disabled_reason else label

    @admin.display(description="events", ordering="type")
    def sent(self, webhook):
        if not webhook.event_types:
            return webhook.get_type_display()
        return format_html_join(" ", "<code>{}</code>", ((it,) for it in webhook.event_types))


@admin.register(Webhook)
class WebhookAdmin(WebhookScreen, FactsAdmin):
    change_form_template = "admin/onboarding/webhook/change_form.html"
    list_display = ["label", "of_partner", "state", "failing", "sent", "created"]
    list_filter = ["status", ("failing_since", admin.EmptyFieldListFilter), "type"]
    ordering = ["-pk"]
    search_fields = ["server_url", "description", "partner__name"]
    search_help_text = "URL, description, partner, or webhook id."
    id_fields = ["external_id", "partner__external_id"]
    actions = ["enable_selected", "disable_selected"]
    action_steps = {"enable": "enable_selected", "disable": "disable_selected"}
    fieldsets = [
        fieldset("Webhook", "url", "description", "sent", "type", "version"),
        fieldset("Status", "state", "failing", "disturbed"),
        aside("Record", "of_partner", "created", "old_secret_until", "external_id"),
    ]
    created = timestamp_of("created_at")
    of_partner = link_of("partner", "name")

    def get_queryset(self, request):
        kept = super().get_queryset(request).filter(deleted_at=None)
        return kept.defer(*SECRETS).select_related("partner")

    def headline(self, webhook):
        return webhook.description or webhook.server_url

    def headline_badge(self, webhook):
        return badge(webhook.status, webhook.get_status_display())

    def tiles(self, request, webhook):
        if not may_view(request, Delivery):
            return []
        sent = Delivery.objects.filter(lane__webhook=webhook)
        return [
            (
                "Waiting" if webhook.is_active else "Held",
                _count(sent.filter(next_attempt_at__isnull=False)),
            ),
            ("Given up", _count(sent.filter(status=DeliveryStatus.FAILED))),
        ]

    def tables(self, request, webhook):
        shown = [(Delivery, delivery_table), (Mail, mail_table)]
        return [table(webhook) for model, table in shown if may_view(request, model)]

    @admin.display(description="old secret signs until")
    def old_secret_until(self, webhook):
        until = webhook.previous_expires_at
        return show_time(until) if until else ""

    @admin.display(description="simulated faults")
    def disturbed(self, webhook):
        return pairs((name.replace("_", " "), share) for name, share in webhook.chaos.items())

    @admin.action(description="Enable the selected webhooks", permissions=["step"])
    def enable_selected(self, request, chosen):
        """Propose to a second administrator to enable webhooks that are disabled."""
        for webhook in chosen:
            if webhook.is_active:
                self.message_user(request, f"{webhook} is already enabled.", messages.WARNING)
            else:
                propose_change(self, request, partial(enablings.propose, webhook))

    @admin.action(description="Disable the selected webhooks", permissions=["step"])
    def disable_selected(self, request, chosen):
        for webhook in chosen:
            if endpoints.disable_webhook(webhook, reason=BY_STAFF):
                self.log_change(request, webhook, "Disabled.")
                self.message_user(request, f"{webhook} is disabled.", messages.SUCCESS)
            else:
                self.message_user(request, f"{webhook} is already disabled.", messages.WARNING)


def webhook_table(partner):
    """Return the table of the webhooks of a partner, without deleted ones."""
    screen = WebhookScreen()
    rows = partner.webhooks.kept().defer(*SECRETS).order_by("-pk")
    cells = {
        "Webhook": lambda webhook: link_to(webhook, webhook.server_url),
        "State": screen.state,
        "Events": screen.sent,
        "Failing since": screen.failing,
    }
    return table_of(
        "Webhooks", rows, cells, nothing="None. The partner calls the API or reads the event feed."
    )


@figures("Webhooks")
def webhooks_that_do_not_work(request):
    """Return figures of failing and disabled webhooks; none for users who may not view webhooks."""
    if not may_view(request, Webhook):
        return []
    listed = reverse("admin:onboarding_webhook_changelist")
    active, disabled = (Webhook.objects.kept().filter(status=status) for status in WebhookStatus)
    failing = active.filter(failing_since__isnull=False)
    return [
        Figure("Failing", failing, f"{listed}?status__exact=ACTIVE&failing_since__isempty=0"),
        Figure("Disabled", disabled, f"{listed}?status__exact=DISABLED"),
    ]


def _count(rows):
    """Return the number of rows, or "more than MAX_ROWS"."""
    count = rows.order_by()[: MAX_ROWS + 1].count()
    return (
        figure(number(count))
        if count <= MAX_ROWS
        else format_html("more than {}", number(MAX_ROWS))
    )
