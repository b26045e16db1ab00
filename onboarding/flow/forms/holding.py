"""A person's share of the business and title there, in the forms of the business and of owners."""

from decimal import Decimal

from django import forms

from onboarding.flow.forms.base import FlowForm
from onboarding.lead_fields import PERSON

NAMES = ("ownership_percent", "title")
OF_HOLDING = [declared for declared in PERSON if declared.name in NAMES]
OF_PERSON = [declared for declared in PERSON if declared.name not in NAMES]


class HoldingForm(FlowForm):
    """A form with the share of a person."""

    @property
    def share(self) -> Decimal:
        """Return the share that the field shows; 0 if it is empty or invalid."""
        shown = self["ownership_percent"]
        try:
            return shown.field.clean(shown.value()) or Decimal(0)
        except forms.ValidationError:
            return Decimal(0)
