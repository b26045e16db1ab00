"""Requested changes: the values now and as requested, and the form by which staff ask for one."""

from django import forms
from django.core.exceptions import ValidationError

from foundation.backoffice.cells import table_of
from foundation.backoffice.lists import link_to_list
from foundation.backoffice.screens import link_to
from foundation.privacy.masks import mask
from onboarding import validators
from onboarding.admin.case_forms import StepForm, limit, text_field
from onboarding.admin.people import render_address
from onboarding.choices import OwnerRole
from onboarding.errors import InvalidValue
from onboarding.lead_fields import BUSINESS, ENCRYPTED, PERSON
from onboarding.models import Document, Lead, Owner
from onboarding.names import wire
from onboarding.queries.customer_changes import read_details
from onboarding.services.customers.changes import REMOVED

ADDRESSES = {"business_address", "mailing_address", "address"}
STAFF_LABELS = {one.name: str(one.staff_label or one.label) for one in (*PERSON, *BUSINESS)}
LABELS = {
    "business_name": "Business name",
    "business_address": "Business address",
    "mailing_address": "Mailing address",
    "address": "Home address",
    "line1": "Home address, line 1",
    "line2": "Home address, line 2",
    "role": "Access",
}


def name_changes(case):
    """Return the names of the requested values in words."""
    known = {wire(name): _label(name) for name in {**STAFF_LABELS, **LABELS}}
    known |= {"uboList": "Owners", wire(REMOVED): "Owners who leave"}
    return ", ".join(known.get(name, name) for name in case.changed)


def requested_values(case):
    """Return the table of a requested change: values now and as requested, numbers masked."""
    details = read_details(case)
    lead = Lead.objects.get(pk=case.customer.lead_id)
    known = {owner.email: owner for owner in Owner.objects.filter(lead=lead)}
    separate = {"owners", REMOVED}
    rows = [
        _row(_label(name), name, getattr(lead, name), value)
        for name, value in details.items()
        if name not in separate
    ]
    for sent in details["owners"]:
        owner = known.get(sent["email"])
        rows += [
            _row(f"{sent['email']}: {_label(name)}", name, getattr(owner, name, ""), value)
            for name, value in sent.items()
            if name != "email"
        ]
        rows += [] if owner else [(f"{sent['email']}: owner", "", "Added")]
    leaving = [one for one in known.values() if str(one.external_id) in details.get(REMOVED, [])]
    rows += [(f"{one.email}: owner", one.full_name or "Yes", "Removed") for one in leaving]
    cells = {
        "Value": lambda row: row[0],
        "Now": lambda row: row[1],
        "Requested": lambda row: row[2],
    }
    more = link_to_list(Document, "Documents of the lead", q=lead.email)
    return table_of("Requested change", rows, cells, more=more)


def evidence_of(case):
    """Return the table of the documents that came with a requested change."""
    found = Document.objects.filter(external_id__in=case.document_ids).order_by("pk")
    cells = {
        "Document": lambda row: link_to(row, row.file_name),
        "Kind": lambda row: row.get_llc_file_type_display() or "",
        "State": lambda row: row.get_status_display(),
    }
    return table_of("Evidence", found, cells, nothing="No document came with it.")


def _row(label, name, now, requested):
    if name in ADDRESSES:
        merged = {**(now or {}), **(requested or {})}
        return label, render_address(now or {}), render_address(merged) if requested else "Removed"
    if name in ENCRYPTED:
        return label, mask(now or ""), mask(requested or "") or "Removed"
    return label, _text(now), _text(requested) or "Removed"


def _text(value):
    return "" if value in (None, "") else str(value)


def _label(name):
    label = LABELS.get(name) or STAFF_LABELS.get(name) or name.replace("_", " ")
    return label[:1].upper() + label[1:]


def _checked(check, field):
    """Return the value as the API's check of the field normalizes it; a blank value is kept.

    Raises: ValidationError.
    """
    try:
        return check(field) if field else field
    except InvalidValue as exc:
        raise ValidationError(exc.code.texts["en"].format_map(_Params(exc.params))) from None


class _Params(dict):
    def __missing__(self, key):
        return "…"


class RequestChangeForm(StepForm):
    """Form by which staff ask for a change; an empty field leaves its value as it is.

    The cleaned `details` are what `changes.request_by_staff` takes.
    """

    business_name = forms.CharField(max_length=255, required=False)
    phone_number = forms.CharField(
        label="Phone", required=False, help_text="E.164, for example +14155550100."
    )
    line1 = forms.CharField(label="Business address, line 1", max_length=255, required=False)
    line2 = forms.CharField(label="Line 2", max_length=255, required=False)
    city = forms.CharField(max_length=30, required=False)
    state = forms.CharField(max_length=2, required=False, help_text="Two letters.")
    postal_code = forms.CharField(max_length=10, required=False)
    owner_email = forms.EmailField(
        label="Email of an owner",
        required=False,
        help_text="An owner with this email is changed, or else added.",
    )
    first_name = forms.CharField(label="First name of the owner", max_length=100, required=False)
    last_name = forms.CharField(label="Last name of the owner", max_length=100, required=False)
    ownership_percent = forms.DecimalField(
        label="Share of the owner",
        min_value=0,
        max_value=100,
        max_digits=7,
        decimal_places=4,
        required=False,
    )
    role = forms.ChoiceField(
        label="Access of the owner", choices=[("", "As it is"), *OwnerRole.choices], required=False
    )
    removed = forms.MultipleChoiceField(
        label="Owners to remove", required=False, widget=forms.CheckboxSelectMultiple
    )
    text = text_field("Why", max_length=500, help_text="For staff and auditors only.")

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        owners = Owner.objects.filter(lead=self.application.lead_id).order_by("pk")
        names = owners.values_list("external_id", "first_name", "last_name", "email")
        known = [(str(key), f"{first} {last}".strip() or mail) for key, first, last, mail in names]
        limit(self, "removed", choices=known)
        if not known:
            del self.fields["removed"]

    def clean_phone_number(self):
        return _checked(validators.phone_number, self.cleaned_data["phone_number"])

    def clean_state(self):
        return _checked(validators.state, self.cleaned_data["state"])

    def clean(self):
        said = super().clean() or {}
        of_owner = ["first_name", "last_name", "ownership_percent", "role"]
        if any(said.get(name) not in (None, "") for name in of_owner) and not said.get(
            "owner_email"
        ):
            self.add_error("owner_email", "Name the owner by the email.")
        return {**said, "details": self._details(said)}

    def _details(self, said):
        """Return the values that were entered, as the service takes them."""
        found = {name: said[name] for name in ("business_name", "phone_number") if said.get(name)}
        parts = ["line1", "line2", "city", "state", "postal_code"]
        if address := {part: said[part] for part in parts if said.get(part)}:
            found["business_address"] = {**address, "country": "US"}
        if said.get("owner_email"):
            names = ["first_name", "last_name", "ownership_percent", "role"]
            values = {name: said[name] for name in names if said.get(name) not in (None, "")}
            found["owners"] = [{"email": said["owner_email"].lower(), **values}]
        if said.get("removed"):
            found[REMOVED] = said["removed"]
        return found
