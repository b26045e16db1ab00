"""The form about a trust or a company that holds a share, and the people who hold it."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from foundation.privacy.masks import last_four
from onboarding import validators
from onboarding.choices import HolderKind
from onboarding.flow.forms.base import KEEP, KEEP_UNSHOWN
from onboarding.flow.forms.fields import (
    Checked,
    OneOf,
    PersonalNumberField,
    Share,
)
from onboarding.flow.members import name_of
from onboarding.lead_fields import BUSINESS
from onboarding.models import Holder, Lead, Owner, Stake
from onboarding.services.leads.holders import (
    CircularHolding,
    HolderDetails,
    SharesExceeded,
    TooManyHolders,
)

APPLICANT = "applicant"
EIN = next(one for one in BUSINESS if one.name == "ein")
UNCHOSEN = _("Choose whether it is a trust or a company.")
UNCHOSEN_WORDS = {"required": UNCHOSEN, "invalid_choice": UNCHOSEN}
REFUSED = (SharesExceeded, CircularHolding, TooManyHolders)
REFUSALS = {
    SharesExceeded.__name__: _("The shares add up to more than 100 percent."),
    CircularHolding.__name__: _("A trust or company cannot be held by itself."),
    TooManyHolders.__name__: _("You cannot add more trusts and companies here."),
}


class HolderForm(forms.Form):
    """The form about one holder; `people` are the applicant and the owners.

    The EIN is never shown again: blank, it keeps the stored number.
    """

    use_required_attribute = False
    kind = forms.ChoiceField(
        label=_("What is it?"),
        choices=HolderKind.choices,
        widget=OneOf,
        error_messages=UNCHOSEN_WORDS,
    )
    name = Checked(label=_("Name"), max_length=255)
    ein = PersonalNumberField(
        check=validators.ein, attrs=dict(EIN.attrs), label=EIN.label, help_text=EIN.hint
    )
    parent = forms.ChoiceField(label=_("It holds a share of"), required=False)
    share_percent = Share(label=_("Its share, in percent"))
    is_rest_small = forms.BooleanField(
        label=_("Nobody else holds 25 percent or more of the business through it."), required=False
    )

    def __init__(
        self,
        holder: Holder | None,
        people: Iterable[Lead | Owner],
        others: Iterable[Holder],
        data: QueryDict | None = None,
    ) -> None:
        super().__init__(data, label_suffix="", initial=_shown(holder))
        business: Any = _("The business")
        choices = [("", business), *((str(one.external_id), one.name) for one in others)]
        self.fields["parent"].choices = choices  # type: ignore[attr-defined]  # a ChoiceField
        self.people = {f"person_{person.ubo_id or APPLICANT}": person for person in people}
        for name, person in self.people.items():
            self.fields[name] = Share(label=name_of(person), required=False)
        for name in ("parent", *self.people):
            self.fields[name].is_conditional = True  # type: ignore[attr-defined]  # it is not called optional
        if holder and holder.ein:
            end = last_four(holder.ein)
            self.fields["ein"].help_text = KEEP % {"last_four": end} if end else KEEP_UNSHOWN

    @property
    def shares(self) -> list[forms.BoundField]:
        """Return the fields for the share of each person."""
        return [self[name] for name in self.people]

    @property
    def details(self) -> HolderDetails:
        """Return the valid values."""
        given = self.cleaned_data
        return HolderDetails(
            kind=given["kind"],
            name=given["name"],
            ein=given["ein"],
            share_percent=given["share_percent"],
            is_rest_small=given["is_rest_small"],
            parent_id=UUID(given["parent"]) if given["parent"] else None,
            stakes={person.ubo_id: given[name] for name, person in self.people.items()},
        )

    def clean_share_percent(self) -> Decimal:
        share: Decimal = self.cleaned_data["share_percent"]
        if not share:
            raise forms.ValidationError(_("Enter a share above 0."))
        return share

    def refuse(self, reason: str) -> None:
        """Add the message for `reason` as an error; do nothing if it is no key of REFUSALS."""
        if reason in REFUSALS:
            self.add_error("share_percent", REFUSALS[reason])


def _shown(holder: Holder | None) -> dict[str, Any]:
    """Return the initial values of a form for a stored holder; empty for a new holder."""
    if holder is None:
        return {}
    shares = {
        f"person_{one.owner.external_id if one.owner else APPLICANT}": one.share_percent
        for one in Stake.objects.filter(holder=holder).select_related("owner")
    }
    parent = holder.parent.external_id if holder.parent else ""
    return {
        "kind": holder.kind,
        "name": holder.name,
        "share_percent": holder.share_percent,
        "is_rest_small": holder.is_rest_small,
        "parent": str(parent),
        **shares,
    }
