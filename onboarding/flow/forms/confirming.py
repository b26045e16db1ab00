"""The base class of forms that ask about doubtful values at their fields."""

from typing import Any

from django import forms
from django.http import QueryDict

from onboarding.lazy_texts import StrOrPromise
from onboarding.models.people import Person
from onboarding.services.leads import marks
from onboarding.services.leads.marks import flat

SURE = "sure"  # name of the boxes with which the applicant confirms doubtful values


class ConfirmingForm(forms.Form):
    """A form about a person, in which doubtful values can be confirmed.

    A question is an error of the field until its box is ticked. The box has the value, so a
    changed value is asked about again. `confirmed` has the confirmed values by flat name, such as
    `business_address.city`.
    """

    data: QueryDict

    def __init__(self, person: Person, data: QueryDict | None = None) -> None:
        self.person = person
        self.confirmed: dict[str, str] = {}
        super().__init__(data, label_suffix="")

    def ask_about(self, name: str, question: StrOrPromise, value: Any) -> None:
        """Add a question to a field without another error, unless its value was confirmed."""
        if name in self.errors or marks.is_confirmed(self.person, flat(name), str(value)):
            return
        box = f"{name}={value}"
        if box in self._ticked():
            self.confirmed[flat(name)] = str(value)
            return
        self.fields[name].sure = box  # type: ignore[attr-defined]  # the template asks
        self.add_error(name, str(question))

    def _ticked(self) -> list[str]:
        return self.data.getlist(SURE) if isinstance(self.data, QueryDict) else []
