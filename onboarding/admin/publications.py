"""Publications: screens of webhook bodies, which contain identifiers only."""

import json
from operator import attrgetter

from django.contrib import admin
from django.db.models import Q
from django.utils.html import format_html

from foundation.backoffice.cells import link_of, table_of, timestamp_of
from foundation.backoffice.lists import CappedPaginator, OptionsFilter, date_filter, may_view
from foundation.backoffice.screens import aside, fieldset, link_to, stack
from foundation.privacy.fields import encrypted_names
from onboarding.admin.deliveries import TYPES, DeliveryScreen
from onboarding.admin.people import LeadFactsAdmin, lead_name
from onboarding.models import Delivery, Lead, Publication
from onboarding.queries.search import find_partners
from onboarding.queries.webhooks import SECRETS


class TypeFilter(OptionsFilter):
    """Filter publications by event type."""

    title = parameter_name = "type"
    options = list(TYPES.items())

    def queryset(self, request, queryset):
        return queryset.filter(type=self.value()) if self.value() in TYPES else queryset


@admin.register(Publication)
class PublicationAdmin(LeadFactsAdmin):
    list_display = ["label", "of_lead", "of_partner", "published"]
    list_filter = [TypeFilter, date_filter("published_at")]
    list_select_related = ["lead", "partner"]
    ordering = ["-pk"]
    search_help_text = "Event id, partner, names, email, phone number, or an id of any kind."
    id_fields = ["event__external_id", "lead__external_id", "partner__external_id"]
    paginator = CappedPaginator
    show_facets = admin.ShowFacets.NEVER
    has_history = False
    fieldsets = [
        fieldset("Published event", "body_text"),
        aside("Record", "of_partner", "of_lead", "of_event", "published", "message_id"),
    ]
    published = timestamp_of("published_at")
    of_partner = link_of("partner", "name")

    def more_matches(self, text):
        return Q(message_id=text.lower()) | Q(partner__in=find_partners(text))

    def get_queryset(self, request):
        unread = (f"lead__{name}" for name in encrypted_names(Lead))
        return super().get_queryset(request).select_related("event", "partner").defer(*unread)

    def headline(self, publication):
        return TYPES[publication.type]

    def tables(self, request, publication):
        return [_delivery_table(publication)] if may_view(request, Delivery) else []

    @admin.display(description="what", ordering="type")
    def label(self, publication):
        return stack(self.headline(publication), publication.message_id)

    @admin.display(description="lead", ordering="lead__business_name")
    def of_lead(self, publication):
        lead = publication.lead
        return link_to(lead, lead_name(lead)) if lead else ""

    @admin.display(description="event")
    def of_event(self, publication):
        event = publication.event
        return link_to(event, event.get_type_display()) if event else "None: a test"

    @admin.display(description="body")
    def body_text(self, publication):
        body = json.dumps(json.loads(publication.body), indent=2, ensure_ascii=False)
        return format_html('<pre class="said">{}</pre>', body)


def _delivery_table(publication):
    """Return the table of the deliveries of a publication, except those to deleted webhooks."""
    screen = DeliveryScreen()
    kept = publication.deliveries.filter(lane__webhook__deleted_at=None)
    sent = kept.select_related("lane__webhook").order_by("pk")
    rows = sent.defer(*(f"lane__webhook__{name}" for name in SECRETS))
    cells = {
        "To": lambda delivery: link_to(delivery, delivery.lane.webhook.server_url),
        "State": screen.state,
        "Attempts": attrgetter("attempts"),
        "Next attempt": screen.next_attempt,
    }
    nothing = "None. No webhook subscribed to this event, or the webhook was deleted."
    return table_of("Deliveries", rows, cells, nothing=nothing)
