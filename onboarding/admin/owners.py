"""Owners: screens of the other owners of a business."""

from django.contrib import admin
from django.db.models import Q

from foundation.backoffice.cells import timestamp_of, value_of
from foundation.backoffice.lists import CappedPaginator, date_filter
from foundation.backoffice.screens import FactsInline, aside, fieldset, stack
from onboarding.admin.people import CaseLinked, LeadFactsAdmin, PersonScreen, render_address
from onboarding.models import Owner


@admin.register(Owner)
class OwnerAdmin(PersonScreen, CaseLinked, LeadFactsAdmin):
    list_display = ["label", "of_lead", "share", "role", "identity", "created"]
    list_filter = ["role", "identity_status", date_filter("created_at")]
    list_select_related = ["lead"]
    paginator = CappedPaginator
    ordering = ["-pk"]  # the newest first, by the index of the keys
    search_help_text = "Names, email or phone number of anybody of the business, or an id."
    id_fields = ["external_id", "lead__external_id"]
    created = timestamp_of("created_at")
    address_lines = value_of("home", "address", render_address)
    fieldsets = [
        fieldset("Person", "name", "email", "phone_number", "birth_date", "title"),
        fieldset("Ownership", "share", "role", "is_control_person"),
        fieldset(
            "Identification",
            "masked_ssn",
            "masked_passport_number",
            "masked_id_gov_number",
            "id_country",
            "id_expiration_date",
            "identity",
        ),
        fieldset("Address", "address_lines"),
        aside("Record", "of_lead", "external_id", "created_at"),
    ]

    def more_matches(self, text):
        return Q(email=text.lower())

    def headline(self, owner):
        return owner.full_name or owner.email or str(owner)

    @admin.display(description="owner", ordering="last_name")
    def label(self, owner):
        return stack(owner.full_name or "No name yet", owner.email)


class OwnerInline(PersonScreen, FactsInline):
    model = Owner
    nothing = "There are no other owners."
    ordering = ["pk"]
    fields = ["who", "share", "role", "is_control_person", "masked_ssn", "identity"]
