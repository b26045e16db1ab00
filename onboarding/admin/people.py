"""People: base classes and display fields of the screens of leads and owners."""

from django.contrib import admin
from django.utils.html import format_html

from foundation.backoffice.cells import lines, number, value_of
from foundation.backoffice.screens import FactsAdmin, badge, link_to, stack
from foundation.privacy.masks import mask
from onboarding.admin.list_search import SearchByKeys
from onboarding.choices import Supplier
from onboarding.models import Lead

SHOWN_AS = {
    "first_name": "name",
    "last_name": "name",
    "ssn": "masked_ssn",
    "ein": "masked_ein",
    "passport_number": "masked_passport_number",
    "id_gov_number": "masked_id_gov_number",
    "ownership_percent": "share",
    "identity_status": "identity",
    "address": "address_lines",
}
ADDRESS_FIELDS = ["line1", "line2", "city", "state", "postal_code", "country"]


class LeadFactsAdmin(SearchByKeys):
    """Base of screens of rows that belong to a lead."""

    @admin.display(description="lead", ordering="lead__business_name")
    def of_lead(self, obj):
        return link_to(obj.lead, lead_name(obj.lead))

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("lead__partner")


class CaseLinked(FactsAdmin):
    """Mixin that adds a button to the case of the lead."""

    change_form_template = "admin/onboarding/to_case.html"

    def more_facts(self, request, row):
        case = current_case(row if isinstance(row, Lead) else row.lead)
        return super().more_facts(request, row) | {"case": case}


class PersonScreen:
    """Display fields of a person, with personal numbers masked."""

    masked_ssn = value_of("ssn", "SSN", mask)
    masked_passport_number = value_of("passport_number", "", mask)
    masked_id_gov_number = value_of("id_gov_number", "national ID number", mask)

    @admin.display(description="name", ordering="last_name")
    def name(self, person):
        return person.full_name

    @admin.display(description="share", ordering="ownership_percent")
    def share(self, person):
        if person.ownership_percent is None:
            return ""
        percent = number(person.ownership_percent)
        return format_html(
            '<meter class="share" max="100" value="{}"></meter> {}%', percent, percent
        )

    @admin.display(description="person")
    def who(self, person):
        return stack(link_to(person, person.full_name or "No name yet"), person.email)

    @admin.display(description="identity", ordering="identity_status")
    def identity(self, person):
        return badge(f"identity_{person.identity_status}", person.get_identity_status_display())

    def suppliers(self, person):
        """Return the supplier of each fact that the partner did not supply.

        If a fact has several fields, such as a name, a corrected field takes precedence.
        """
        by_weight = sorted(person.supplied_by, key=person.corrected.__contains__)
        return {SHOWN_AS.get(name, name): mark(person, name) for name in by_weight}


def lead_name(lead):
    """Return the business name of a lead, or else the email address."""
    return lead.business_name or lead.email


def current_case(lead):
    """Return the current application of a lead, or None."""
    return lead.applications.filter(is_current=True).first()


def render_address(address):
    """Render an address as lines. Shape: a dict with the keys in `ADDRESS_FIELDS`."""
    part = {name: address.get(name) or "" for name in ADDRESS_FIELDS}
    region = f"{part['state']} {part['postal_code']}".strip()
    town = ", ".join(filter(None, [part["city"], region]))
    return lines(filter(None, [part["line1"], part["line2"], town, part["country"]]))


def mark(person, name):
    """Return the supplier of a value that the partner did not supply, as text."""
    supplier = Supplier(person.supplied_by[name]).label
    return f"Changed by the {supplier.lower()}" if name in person.corrected else supplier
