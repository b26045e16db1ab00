"""Verifications: screens of providers, of the requests to them, and of partners' own checks."""

import json

from django.contrib import admin
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.html import format_html

from foundation.backoffice.cells import figure, minute, timestamp_of
from foundation.backoffice.lists import CappedPaginator, date_filter
from foundation.backoffice.screens import FactsAdmin, aside, badge, fieldset, link_to, stack
from foundation.privacy.fields import encrypted_names
from foundation.privacy.masks import mask
from foundation.times import show_time
from foundation.verification import registry
from onboarding.admin.list_search import SearchByKeys
from onboarding.admin.people import lead_name
from onboarding.choices import BreakerState, CheckResult, VerificationStatus
from onboarding.models import (
    Lead,
    PartnerVerification,
    VerificationProvider,
    VerificationRequest,
)
from onboarding.models.verifications import OPEN_REQUEST
from onboarding.queries import search

SHOWN = {  # values of messages that name no person and no business
    *("version", "requestId", "kind", "outcome", "reference", "reasons", "status", "state"),
    *("country", "businessType", "incorporationState"),
}
TONES = {
    BreakerState.CLOSED: "active",
    BreakerState.HALF_OPEN: "trial",
    BreakerState.OPEN: "suspended",
}
STATUS_TONES = {
    VerificationStatus.WAITING: "queued",
    VerificationStatus.SENT: "sent",
    VerificationStatus.ANSWERED: "settled",
    VerificationStatus.REJECTED: "failed",
    VerificationStatus.UNANSWERED: "failed",
}
RESULT_TONES = {
    CheckResult.PASS: "settled",
    CheckResult.WARN: "trial",
    CheckResult.FAIL: "failed",
}
OF_LEAD = [f"application__lead__{name}" for name in encrypted_names(Lead)]


class OfApplication(SearchByKeys):
    """Base of screens of rows about an application."""

    paginator = CappedPaginator
    show_facets = admin.ShowFacets.NEVER
    has_history = False
    ordering = ["-pk"]
    search_path, find_keys = "application", staticmethod(search.search_applications)
    search_help_text = "Names, email, phone number, or an id."

    def get_queryset(self, request):
        rows = super().get_queryset(request).select_related("application__lead")
        return rows.defer(*OF_LEAD)

    def headline(self, row):
        return row.get_kind_display()

    @admin.display(description="case", ordering="application__lead__business_name")
    def case(self, row):
        return link_to(row.application, lead_name(row.application.lead))

    @admin.display(description="check", ordering="kind")
    def what(self, row):
        return row.get_kind_display()


@admin.register(VerificationRequest)
class VerificationRequestAdmin(OfApplication):
    list_display = ["what", "case", "provider", "state", "outcome", "asked", "answered"]
    list_filter = ["status", "result", "provider", "kind", date_filter("asked_at")]
    fieldsets = [
        fieldset("Request", "what", "case", "provider", "state", "attempts", "asked", "until"),
        fieldset("Answer", "outcome", "reference", "reasons_shown", "answered"),
        fieldset("Evidence, masked", "sent_masked", "received_masked"),
        aside("Record", "external_id", "ubo_id"),
    ]
    asked = timestamp_of("asked_at", "asked")
    answered = timestamp_of("settled_at", "answered or given up")
    until = timestamp_of("deadline")

    def headline_badge(self, request):
        return status_badge(request)

    @admin.display(description="state", ordering="status")
    def state(self, request):
        return (
            stack(status_badge(request), request.fault) if request.fault else status_badge(request)
        )

    @admin.display(description="result", ordering="result")
    def outcome(self, request):
        return (
            badge(RESULT_TONES[request.result], request.get_result_display())
            if request.result
            else ""
        )

    @admin.display(description="reasons")
    def reasons_shown(self, request):
        return ", ".join(request.reasons) or "None"

    @admin.display(description="sent")
    def sent_masked(self, request):
        return _masked_text(request.sent)

    @admin.display(description="received")
    def received_masked(self, request):
        return _masked_text(request.received)


@admin.register(PartnerVerification)
class PartnerVerificationAdmin(OfApplication):
    list_display = ["what", "case", "method", "verified_on", "reference", "received"]
    list_filter = ["kind", "method"]
    fieldsets = [
        fieldset("Verification", "what", "case", "method", "verified_on", "reference", "contract"),
        fieldset("Documents", "documents"),
        aside("Record", "received", "external_id", "ubo_id"),
    ]
    received = timestamp_of("at", "received")

    @admin.display(description="documents")
    def documents(self, row):
        found = row.application.lead.documents.filter(external_id__in=row.document_ids)
        return format_html(
            "{}", ", ".join(one.file_name or one.get_llc_file_type_display() for one in found)
        )


@admin.register(VerificationProvider)
class VerificationProviderAdmin(FactsAdmin):
    list_display = ["name", "state", "asked_for", "waiting", "answered", "failed"]
    id_fields = []
    has_history = False
    fieldsets = [
        fieldset("Provider", "name", "state", "asked_for", "waiting"),
        fieldset("Calls", "answered", "failed", "fault", "failures"),
    ]
    answered = timestamp_of("answered_at", "last answer")

    def get_queryset(self, request):
        rows = VerificationRequest.objects.filter(OPEN_REQUEST, provider=OuterRef("name"))
        counted = rows.order_by().values("provider").annotate(count=Count("pk")).values("count")
        return super().get_queryset(request).annotate(open=Coalesce(Subquery(counted), 0))

    def headline_badge(self, provider):
        return breaker_badge(provider)

    @admin.display(description="state", ordering="open_until")
    def state(self, provider):
        is_configured = any(one.name == provider.name for one in registry.list_accounts())
        return breaker_badge(provider) if is_configured else badge("ended", "Not configured")

    @admin.display(description="asked for")
    def asked_for(self, provider):
        kinds = [kind for kind, name in registry.list_providers().items() if name == provider.name]
        return ", ".join(kinds) or "Nothing"

    @admin.display(description="open requests", ordering="open")
    def waiting(self, provider):
        return figure(provider.open)

    @admin.display(description="last failure", ordering="failed_at")
    def failed(self, provider):
        if provider.failed_at is None:
            return ""
        return stack(provider.fault, minute(provider.failed_at))


def breaker_badge(provider):
    """Return the state of a provider's circuit breaker as a badge."""
    state = provider.breaker(at=timezone.now())
    until = f"Until {show_time(provider.open_until)}" if provider.open_until else ""
    return badge(TONES[state], state.label, until)


def status_badge(request):
    """Return the status of a request as a badge."""
    status = VerificationStatus(request.status)
    return badge(STATUS_TONES[status], status.label)


def _masked_text(text):
    """Return a message with its values masked; a text that is no JSON is not shown."""
    if not text:
        return "Nothing"
    try:
        value = json.loads(text)
    except ValueError:
        return f"{len(text):,} characters that are no JSON"
    return format_html(
        "<pre>{}</pre>", json.dumps(mask_values(value), indent=2, ensure_ascii=False)
    )


def mask_values(value, *, name=""):
    """Return a parsed message with all values masked but booleans, None and the names in SHOWN."""
    if isinstance(value, dict):
        return {key: mask_values(one, name=key) for key, one in value.items()}
    if isinstance(value, list):
        return [mask_values(one, name=name) for one in value]
    if name in SHOWN or isinstance(value, bool) or value is None:
        return value
    return mask(str(value))
