"""Deliveries: screens of webhook deliveries and their attempts."""

from operator import attrgetter

from django.contrib import admin, messages
from django.utils import timezone
from django.utils.html import format_html

from foundation.backoffice.cells import table_of, timestamp, timestamp_of
from foundation.backoffice.lists import (
    CappedPaginator,
    ChosenFilter,
    OptionsFilter,
    date_filter,
    link_to_list,
)
from foundation.backoffice.screens import (
    FactsAdmin,
    FactsInline,
    aside,
    badge,
    fieldset,
    link_to,
    stack,
)
from foundation.privacy.fields import encrypted_names
from onboarding.admin.people import lead_name
from onboarding.choices import ShownDeliveryStatus
from onboarding.event_types import sent_choices
from onboarding.models import Delivery, DeliveryAttempt, Lead, Webhook
from onboarding.queries.webhooks import SECRETS
from onboarding.services.webhooks import deliveries

NEWEST = 25
TYPES = dict(sent_choices())
UNREAD_IN_TABLE = ["publication__body", *(f"lane__webhook__{name}" for name in SECRETS)]
UNREAD = [
    *UNREAD_IN_TABLE,
    *(f"publication__lead__{name}" for name in encrypted_names(Lead)),
]


class WebhookFilter(ChosenFilter):
    title = parameter_name = "webhook"
    model = Webhook
    path = "lane__webhook"

    def name_of(self, webhook):
        return webhook.server_url


class StatusFilter(OptionsFilter):
    title = parameter_name = "status"
    options = ShownDeliveryStatus.choices

    def queryset(self, request, queryset):
        return queryset.shown_as(self.value()) if self.value() else queryset


class DeliveryScreen:
    """Display fields of a delivery."""

    created = timestamp_of("created_at", "since")

    @admin.display(description="what", ordering="publication__type")
    def what(self, delivery):
        lead = delivery.publication.lead
        return stack(TYPES[delivery.publication.type], lead_name(lead) if lead else "No lead")

    @admin.display(description="next attempt", ordering="next_attempt_at")
    def next_attempt(self, delivery):
        return timestamp(delivery.shown_next_attempt_at)

    @admin.display(description="state", ordering="status")
    def state(self, delivery):
        label = badge(delivery.shown_status, delivery.shown_status.label)
        return stack(label, delivery.fault) if delivery.fault else label


class AttemptInline(FactsInline):
    model = DeliveryAttempt
    verbose_name_plural = "attempts"
    nothing = "None yet."
    fields = ["number", "when", "duration", "status_code", "answered"]
    when = timestamp_of("at", "when")

    @admin.display(description="took")
    def duration(self, attempt):
        return f"{attempt.duration_ms} ms"

    @admin.display(description="answer")
    def answered(self, attempt):
        answer = format_html('<pre class="said">{}</pre>', attempt.answer) if attempt.answer else ""
        return stack(attempt.fault, answer) if attempt.fault else answer


@admin.register(Delivery)
class DeliveryAdmin(DeliveryScreen, FactsAdmin):
    change_form_template = "admin/onboarding/delivery/change_form.html"
    list_display = ["what", "to", "state", "attempts", "next_attempt", "created"]
    list_filter = [StatusFilter, date_filter("created_at"), WebhookFilter]
    ordering = ["-pk"]
    search_fields = ["=publication__message_id", "lane__webhook__server_url"]
    search_fields += ["lane__webhook__partner__name"]
    search_help_text = "Event id, URL, partner, or an id of any kind."
    id_fields = ["external_id", "lane__webhook__external_id", "publication__lead__external_id"]
    paginator = CappedPaginator
    show_facets = admin.ShowFacets.NEVER
    actions = ["send_selected_again"]
    action_steps = {"send_again": "send_selected_again"}
    inlines = [AttemptInline]
    fieldsets = [
        fieldset("Delivery", "publication_link", "to", "of_lead"),
        fieldset(
            "Result",
            "state",
            "attempts",
            "status_code",
            "next_attempt",
            "failing_since",
            "finished_at",
        ),
        aside("Record", "created", "external_id"),
    ]

    def get_queryset(self, request):
        kept = super().get_queryset(request).filter(lane__webhook__deleted_at=None)
        found = kept.select_related("lane__webhook__partner", "publication__lead")
        return found.defer(*UNREAD)

    def headline(self, delivery):
        return TYPES[delivery.publication.type]

    def headline_badge(self, delivery):
        return badge(delivery.shown_status, delivery.shown_status.label)

    @admin.display(description="what")
    def publication_link(self, delivery):
        """Link to the publication."""
        return stack(link_to(delivery.publication, self.headline(delivery)), delivery.publication)

    @admin.display(description="to", ordering="lane__webhook")
    def to(self, delivery):
        webhook = delivery.lane.webhook
        return stack(link_to(webhook, webhook.partner.name), webhook.server_url)

    @admin.display(description="lead")
    def of_lead(self, delivery):
        lead = delivery.publication.lead
        return link_to(lead, lead_name(lead)) if lead else ""

    @admin.action(description="Send the selected deliveries again", permissions=["step"])
    def send_selected_again(self, request, chosen):
        now = timezone.now()
        for delivery in chosen:
            if not delivery.lane.webhook.is_active:
                text = f"The webhook of {delivery} is disabled. Enable it first."
                self.message_user(request, text, messages.WARNING)
                continue
            deliveries.redeliver(delivery, at=now)
            self.log_change(request, delivery, "Sent again.")
            self.message_user(request, f"{delivery} will be sent again.", messages.SUCCESS)


def delivery_table(webhook):
    """Return the table of the newest deliveries of a webhook, at most NEWEST."""
    screen = DeliveryScreen()
    rows = Delivery.objects.filter(lane__webhook=webhook).defer(*UNREAD_IN_TABLE)
    newest = rows.select_related("publication", "lane__webhook").order_by("-pk")[:NEWEST]
    cells = {
        "Since": screen.created,
        "What": lambda delivery: link_to(delivery, TYPES[delivery.publication.type]),
        "State": screen.state,
        "Attempts": attrgetter("attempts"),
        "Next attempt": screen.next_attempt,
    }
    more = link_to_list(Delivery, "All deliveries", webhook=webhook.pk)
    return table_of("Deliveries", newest, cells, nothing="None yet.", more=more)
