"""Screens of terms of service and their acceptances."""

from django.contrib import admin
from django.db.models import Count

from banking.admin.records import RecordsAdmin
from banking.models import TermsAcceptance, TermsOfService
from foundation.backoffice import cells
from foundation.backoffice.screens import FactsInline, aside, fieldset, link_to, stack


@admin.register(TermsOfService)
class TermsAdmin(RecordsAdmin):
    list_display = ["label", "published", "accepted"]
    ordering = ["-published_at", "-pk"]
    search_fields = ["title", "version"]
    search_help_text = "Title, version or document id."
    published = cells.timestamp_of("published_at")
    url_text = cells.text_of("url", "address")
    accepted = cells.value_of("acceptance_count", "accepted by", "{:,} businesses".format)
    fieldsets = [
        fieldset("Terms", "title", "version", "url_text", "published_at", "accepted"),
        aside("Record", "external_id"),
    ]

    def get_queryset(self, request):
        return super().get_queryset(request).annotate(acceptance_count=Count("acceptances"))

    def headline(self, terms):
        return str(terms)

    @admin.display(description="terms", ordering="title")
    def label(self, terms):
        return stack(terms.title, f"Version {terms.version}")


class AcceptanceInline(FactsInline):
    model = TermsAcceptance
    verbose_name_plural = "terms of service"
    nothing = "No terms were accepted yet."
    ordering = ["-accepted_at", "-pk"]
    fields = ["accepted_terms", "who", "accepted"]
    select_related = ["terms", "accepted_by"]
    accepted = cells.timestamp_of("accepted_at")

    @admin.display(description="terms")
    def accepted_terms(self, acceptance):
        return stack(link_to(acceptance.terms, acceptance.terms.title), acceptance.terms.version)

    @admin.display(description="accepted by")
    def who(self, acceptance):
        user = acceptance.accepted_by
        return stack(user.get_full_name() or user.email, user.email) if user else ""
