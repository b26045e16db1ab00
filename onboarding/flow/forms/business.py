"""The form about the business."""

from collections.abc import Iterator
from typing import Any, Self

from django import forms
from django.forms.boundfield import BoundField, BoundWidget
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from banking.choices import BusinessType
from onboarding.business_kinds import KINDS, Kind
from onboarding.flow.forms import addresses, doubts, wanted
from onboarding.flow.forms.addresses import AUTOCOMPLETE, PARTS
from onboarding.flow.forms.fields import Checked, OneOf
from onboarding.flow.forms.holding import OF_HOLDING, HoldingForm
from onboarding.flow.forms.industry import IndustryForm
from onboarding.flow.forms.mailing import OTHER, MailingForm
from onboarding.lead_fields import BUSINESS, LABELS
from onboarding.models import Lead, Owner
from onboarding.queries.leads import LeadFile, list_owners
from onboarding.queries.requirements import SOLE_PROPRIETORS
from onboarding.validators import WHOLE

FORMATION = ("incorporation_state", "incorporation_date")  # not of sole proprietors
UNANSWERED = _("Answer this question.")
AT_HOME = "HOME"  # and OTHER: choices of the premises
OF_SEVERAL = {BusinessType.MMLLC, BusinessType.GENERAL_PARTNERSHIP, BusinessType.LLP}
NO_PREMISES = _("Choose where the business is.")
HAS_OWNERS = _(
    "A sole proprietor is the only owner, but other owners are listed in the step “Review and "
    "sign”. Remove them there first, or choose another type."
)
SEVERAL_OWN = _("You chose an LLC with one owner, but other owners are listed.")
ONE_OWNS = _("You chose a business with several owners, but your share is 100 percent.")


class BusinessForm(IndustryForm, HoldingForm, MailingForm):
    """The form about the business: type, owner's share, addresses and further questions."""

    person: Lead
    prefixes = ("business_address_",)
    needs_street = doubts.NEEDS_STREET_OF_BUSINESS
    wanted = wanted.BUSINESS
    field_order = (
        "business_type",
        *(declared.name for declared in (*BUSINESS, *OF_HOLDING)),
        "premises",
        *(f"business_address_{part}" for part in PARTS),
        "mailing",
    )
    aside = IndustryForm.aside | MailingForm.aside | {"premises"}
    conditional = MailingForm.conditional | {"incorporation_state"}
    autocomplete = {
        f"business_address_{part}": f"section-business {name}"
        for part, name in AUTOCOMPLETE.items()
    } | {"title": "organization-title"}
    lead_fields = (*BUSINESS, *OF_HOLDING)

    business_type = forms.ChoiceField(
        label=LABELS["business_type"],
        choices=[(kind.value, words.name) for kind, words in KINDS.items()],
        widget=OneOf,
    )
    incorporation_state = addresses.state(LABELS["incorporation_state"])

    @property
    def kinds(self) -> Iterator[tuple[BoundWidget, Kind]]:
        """Return the radio button of each type of business with the texts about the type."""
        return zip(self["business_type"], KINDS.values(), strict=True)

    @property
    def questions(self) -> list[BoundField]:
        """Return the fields of the questions of enhanced due diligence, which vary by business."""
        return [self[name] for name in self.fields if name.startswith("edd_answers_")]

    @property
    def further(self) -> list[BoundField]:
        """Return the optional fields of the business that the page keeps under a summary."""
        optional = [one.name for one in BUSINESS if not one.is_required]
        return [self[name] for name in optional if name in self.fields and name not in FORMATION]

    @property
    def is_further_open(self) -> bool:
        """Return whether the page shows the further fields at once: one has a value or a fault."""
        return any(field.value() or field.errors for field in self.further)

    def add_fields(self) -> None:
        super().add_fields()
        if self.person.line1:
            self.fields["premises"] = self._premises()
        for position, asked in enumerate(self.person.edd_answers):
            if asked.get("question"):
                self.fields[f"edd_answers_{position}"] = Checked(
                    label=asked["question"],
                    check=without_returns,
                    error_messages={"required": UNANSWERED},
                    widget=forms.Textarea({"rows": 3, "cols": False}),
                )

    def _premises(self) -> forms.ChoiceField:
        """Return the field that asks whether the business is at the applicant's home.

        The answer is preselected if an address of the business is stored.
        """
        seat = self.person.business_address
        is_home = {part: seat.get(part) or "" for part in PARTS} == self._home()
        return forms.ChoiceField(
            label=_("Where is the business?"),
            choices=[(AT_HOME, _("At my home address")), (OTHER, _("At another address"))],
            widget=OneOf,
            required=False,
            initial=(AT_HOME if is_home else OTHER) if seat else None,
        )

    def clean(self) -> dict[str, Any]:
        super().clean()
        self._clean_premises()
        self._clean_registration()
        self._clean_owners()
        name = self.cleaned_data.get("business_name")
        if name and not doubts.is_latin_business(name):
            self.add_error("business_name", doubts.NOT_LATIN_BUSINESS)
        return self.cleaned_data

    def _clean_premises(self) -> None:
        """Take the home address as the business address, if that was chosen; refuse a P.O. box.

        Without a choice and without a typed address, the choice gets an error.
        """
        names = [f"business_address_{part}" for part in PARTS]
        if self.cleaned_data.get("premises") == AT_HOME:
            self.leave_out(*names)
            self.cleaned_data |= zip(names, self._home().values(), strict=True)
            if doubts.is_po_box(self._home()):
                self.add_error("premises", self.needs_street)
        elif "premises" in self.fields and not self._has_premises(names[1:]):
            self.leave_out(*names)
            self.add_error("premises", forms.ValidationError(NO_PREMISES, code="required"))

    def _has_premises(self, names: list[str]) -> bool:
        """Return whether the premises were chosen, or an address was typed without the choice."""
        return bool(self.cleaned_data.get("premises")) or any(map(self.data.get, names))

    def _home(self) -> dict[str, str]:
        home = self.person.home
        return {part: home[part] or ("US" if part == "country" else "") for part in PARTS}

    def _clean_registration(self) -> None:
        """Require the EIN and state of registered businesses; a DBA may have an EIN.

        A sole proprietor owns everything, and without a DBA does business in their own name.
        """
        kind = self.cleaned_data.get("business_type")
        if kind in SOLE_PROPRIETORS:
            self.leave_out(*FORMATION, "ownership_percent", "title")
            self.cleaned_data["ownership_percent"] = WHOLE
            if kind == BusinessType.SSN:
                self.leave_out("ein")
                self._name_after_owner()
        elif kind:
            self.require("incorporation_state")
            if not self.has_number("ein"):
                self.require("ein")

    def _name_after_owner(self) -> None:
        if self.person.first_name and self.person.last_name:
            self.leave_out("business_name")
            self.cleaned_data["business_name"] = self.person.full_name

    def _clean_owners(self) -> None:
        """Compare the type with the list of owners, which a sole proprietor must not have."""
        kind, share = (
            self.cleaned_data.get(name) for name in ("business_type", "ownership_percent")
        )
        others = [one for one in self.others if one.ownership_percent]
        if kind in SOLE_PROPRIETORS and self.others:
            self.add_error("business_type", HAS_OWNERS)
        elif kind == BusinessType.LLC and others:
            self.ask_about("business_type", SEVERAL_OWN, f"{kind} {len(others)}")
        elif kind in OF_SEVERAL and share == WHOLE:
            self.ask_about("ownership_percent", ONE_OWNS, f"{kind} {share.normalize():f}")

    @cached_property
    def others(self) -> list[Owner]:
        """Return the owners besides the applicant."""
        if self.person.pk is None:
            return []
        return _without_applicant(list_owners(self.person), self.person)

    @classmethod
    def of_file(cls, file: LeadFile) -> Self:
        """Return the form with the errors of the stored values, as `of_stored` does.

        The owners are those of `file`; only the risk rules of the industry are read.
        """
        form = cls(file.lead)
        form.others = _without_applicant(file.owners, file.lead)
        form._receive(form.as_data({}))
        return form


def _without_applicant(owners: list[Owner], lead: Lead) -> list[Owner]:
    return [owner for owner in owners if owner.email != lead.email]


def without_returns(text: str) -> str:
    """Return a text with line feeds for the CRLF line ends in which browsers send it."""
    return text.replace("\r\n", "\n")
