"""Firms of accountants: their people and clients."""

from django.contrib import admin
from django.db.models import Count
from django.utils import timezone

from banking.admin.accountants import AccessInline
from banking.admin.records import RecordsAdmin
from banking.choices import AccessStatus
from banking.models import Accountant, Firm, FirmDeparture
from banking.models.accountants import has_status
from foundation.backoffice import cells
from foundation.backoffice.screens import FactsInline, aside, fieldset, link_to, stack


class PersonInline(FactsInline):
    """The people of a firm."""

    model = Accountant
    verbose_name_plural = "people"
    nothing = "Nobody: the last person has left."
    ordering = ["pk"]
    fields = ["person", "is_manager", "joined", "invited_by", "terms_accepted"]
    select_related = ["user", "invitation__invited_by"]
    joined = cells.timestamp_of("invitation.accepted_at", "joined by invitation")
    invited_by = cells.text_of("invitation.invited_by.email", "invited by")
    terms_accepted = cells.timestamp_of("terms_accepted_at", "accepted the terms")

    @admin.display(description="person")
    def person(self, accountant):
        name = accountant.user.get_full_name() or accountant.user.email
        return stack(link_to(accountant, name), accountant.user.email)


class DepartureInline(FactsInline):
    """The removals of people from a firm by its managers."""

    model = FirmDeparture
    verbose_name_plural = "people who were removed"
    nothing = "Nobody."
    ordering = ["-removed_at", "-pk"]
    fields = ["of_person", "removed", "remover"]
    select_related = ["accountant__user", "removed_by"]
    of_person = cells.value_of("accountant", "person", lambda one: link_to(one, one.user.email))
    removed = cells.timestamp_of("removed_at", "removed")
    remover = cells.text_of("removed_by.email", "removed by")


class BusinessInline(AccessInline):
    """The clients of a firm."""

    verbose_name_plural = "clients"
    nothing = "No clients yet."
    ordering = ["business__legal_name", "pk"]
    fields = ["of_business", *AccessInline.fields]

    @admin.display(description="business")
    def of_business(self, access):
        return stack(link_to(access.business, access.business.legal_name), access.business.email)


@admin.register(Firm)
class FirmAdmin(RecordsAdmin):
    """Firms: owners give them access, managers invite and remove people."""

    list_display = ["name", "person_count", "client_count"]
    ordering = ["name", "pk"]
    search_fields = ["name", "people__user__email", "people__user__last_name", "core_id"]
    search_help_text = "Firm, its id in the core, email or last name of a person."
    id_fields = ["people__user__external_id"]
    inlines = [PersonInline, BusinessInline, DepartureInline]
    headline = cells.text_of("name")
    person_count = cells.value_of("persons", "people", "{:,}".format)
    client_count = cells.value_of("clients", "", "{:,}".format)
    fieldsets = [fieldset("Firm", "name"), aside("Record", "core_id")]

    def get_queryset(self, request):
        connected = has_status(AccessStatus.CONNECTED, at=timezone.now(), path="accesses__")
        return (
            super()
            .get_queryset(request)
            .annotate(
                persons=Count("people", distinct=True),
                clients=Count("accesses", filter=connected, distinct=True),
            )
        )
