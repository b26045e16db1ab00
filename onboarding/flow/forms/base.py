"""The base class of forms about people and businesses."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from foundation.privacy.masks import last_four
from onboarding.errors import ErrorCode, Fault
from onboarding.flow.forms import wanted
from onboarding.flow.forms.confirming import ConfirmingForm
from onboarding.flow.forms.conflicts import conflict_text
from onboarding.flow.forms.declared import form_field
from onboarding.flow.forms.fields import OneOf, PersonalNumberField, explain
from onboarding.lazy_texts import StrOrPromise
from onboarding.lead_fields import LeadField
from onboarding.models.people import Person
from onboarding.names import camel
from onboarding.services.leads import drafts, marks
from onboarding.services.leads.form_drafts import Draft
from onboarding.services.leads.marks import flat

HIDDEN = {"seen_marks", "drafted"}
REMOVE = "remove"  # name of the boxes that remove a kept number
TOTALS = {ErrorCode.OWNERSHIP_TOTAL_EXCEEDED: "ownership_percent"}  # faults between several values
KEEP = _("We have a number ending in %(last_four)s. Leave this blank to keep it.")
KEEP_UNSHOWN = _("We have this number. Leave this blank to keep it.")  # too short to show its end
USE = _("We kept the number ending in %(last_four)s that you entered. Leave this blank to use it.")
USE_UNSHOWN = _("We kept the number that you entered. Leave this blank to use it.")


class FlowForm(ConfirmingForm):
    """A form about a person, or about the lead's business.

    Fields are named after the values, parts of an address like `business_address_city`, whose flat
    name is `business_address.city`. Fields in `aside` are no values. `drafted` names the fields of
    the draft that the page shows. Personal numbers are never shown: a blank field keeps the stored
    number.
    """

    use_required_attribute = False  # the summary names every fault at once
    lead_fields: ClassVar[Sequence[LeadField]] = ()  # fields with a label are shown
    aside: ClassVar[frozenset[str]] = frozenset(HIDDEN)
    conditional: ClassVar[frozenset[str]] = frozenset()
    autocomplete: ClassVar[dict[str, str]] = {}
    wanted: ClassVar[Mapping[str, StrOrPromise]] = {}  # messages for blank fields
    removable: ClassVar[frozenset[str]] = frozenset()  # numbers that a person may remove
    names_fields = True  # the messages for blank fields name their field
    seen_marks = forms.CharField(widget=forms.HiddenInput({"id": False}), required=False)
    drafted = forms.CharField(widget=forms.HiddenInput({"id": False}), required=False)

    def __init__(self, person: Person, data: QueryDict | None = None) -> None:
        self.held: set[str] = set()  # valid, and not to be saved beside a wrong field
        self.conflicts: list[str] = []  # flat names of values that were changed elsewhere
        self.faults: list[Fault] = []  # between several values
        self.is_unsaved = False  # true if no value could be saved
        super().__init__(person, data)
        self._add_lead_fields()
        self.add_fields()
        self.order_fields(self.field_order)
        self.initial = {name: self.stored(name) for name in self._shown()}
        self.initial["seen_marks"] = self._marks_of_stored  # called if a page shows the field
        self._offer_to_keep()
        for name, field in self.fields.items():
            if message := wanted.find(self.wanted, name):
                field.error_messages["required"] = message
            field.is_conditional = self.is_conditional(name)  # type: ignore[attr-defined]  # templates ask
            if field.required and not isinstance(field.widget, forms.HiddenInput | OneOf):
                field.widget.attrs.setdefault("aria-required", "true")
            if name in self.autocomplete:
                field.widget.attrs.setdefault("autocomplete", self.autocomplete[name])

    def _add_lead_fields(self) -> None:
        """Add the declared values for which the class has no field of its own, in their order."""
        own = self.fields
        made = {
            declared.name: own.get(declared.name) or form_field(declared)
            for declared in self.lead_fields
            if declared.label
        }
        self.fields = made | {name: field for name, field in own.items() if name not in made}

    def add_fields(self) -> None:
        """Add or remove fields, as the person requires; for subclasses."""

    def stored(self, name: str) -> Any:
        """Return the value that a field shows when the page is opened."""
        return marks.value_of(self.person, flat(name))

    def is_conditional(self, name: str) -> bool:
        """Return whether an optional field is required in some cases."""
        return name in self.conditional or isinstance(self.fields[name], PersonalNumberField)

    @property
    def names(self) -> list[str]:
        """Return the flat names of the form's values, such as `business_address.city`."""
        return [flat(name) for name in self.fields if name not in self.aside]

    @property
    def seen(self) -> str:
        """Return the posted marks: signed hashes of the values that the page showed when opened."""
        return str(self.data.get(self.add_prefix("seen_marks"), ""))

    @property
    def values(self) -> dict[str, Any]:
        """Return the valid values by flat name, without blank numbers, whose stored values stay."""
        return {
            flat(name): value
            for name, value in self.cleaned_data.items()
            if name not in self.aside
            and (
                value
                or name in self.removed
                or not isinstance(self.fields[name], PersonalNumberField)
            )
        }

    @property
    def removed(self) -> set[str]:
        """Return the numbers whose box is ticked and that are not replaced by another."""
        ticked = self.data.getlist(REMOVE) if isinstance(self.data, QueryDict) else []
        return {name for name in self.removable.intersection(ticked) if not self.data.get(name)}

    @property
    def typed_numbers(self) -> dict[str, str]:
        """Return the valid numbers that were typed, by keys such as `<ubo_id>:ssn`."""
        names = self._personal_numbers()
        typed = {name: str(self.cleaned_data.get(name) or "") for name in names}
        return {f"{self.person.ubo_id}:{name}": one for name, one in typed.items() if one}

    def require(self, *names: str) -> None:
        """Add errors to blank fields that are required in this case."""
        for name in names:
            if not self.cleaned_data.get(name) and name not in self.errors:
                message = self.fields[name].error_messages["required"]
                self.add_error(name, forms.ValidationError(message, code="required"))

    def leave_out(self, *names: str) -> None:
        """Drop the values and errors of fields that do not apply; their stored values stay."""
        for name in names:
            self.cleaned_data.pop(name, None)
            self.errors.pop(name, None)
            self.held.discard(name)

    def add_faults(self, faults: Iterable[Fault]) -> None:
        """Show faults between several values, at fields without another error."""
        by_path: dict[tuple[str | int, ...], str] = {_pointer(name): name for name in self.fields}
        self.faults = list(faults)
        for fault in self.faults:
            name = by_path.get(fault.path[-2:]) or by_path.get(fault.path[-1:])
            name = name or self._total_of(fault)
            if name not in self.errors:
                self.add_error(name, explain(fault.code))

    def show_again(self, saved: drafts.Saved) -> None:
        """Prepare the form to be shown again after its valid fields were saved.

        Reports values that were changed elsewhere meanwhile; saving again replaces them.
        """
        self._add_conflicts(saved.conflicts)
        self.conflicts = saved.conflicts
        wrong = {flat(name) for name in self.errors} - set(saved.conflicts)
        names = [name for name in self.names if name not in wrong]
        self.data = self.data.copy()
        self.data["seen_marks"] = marks.remember(saved.person, names, beside=self.seen)
        self._offer_to_keep()

    @classmethod
    def restored(cls, person: Person, draft: Draft, **options: Any) -> Self:
        """Return the form with stored values overridden by the draft, errors included.

        While the form is unfinished, only errors that were shown before, and conflicts, are shown.
        """
        form = cls(person, **options)
        form._receive(form.as_posted(draft))
        form.add_faults(draft.faults)
        form._add_conflicts(draft.conflicts)
        shown = {*draft.values, NON_FIELD_ERRORS}
        if draft.is_unsaved:
            shown &= {*draft.version.split(), *map(marks.field_name, draft.conflicts)}
        for name in form.errors.keys() - shown:
            del form.errors[name]
        form._offer_to_use(draft)
        return form

    @classmethod
    def checked(cls, person: Person, draft: Draft | None = None) -> Self:
        """Return the form with the stored values and the draft, and the errors of all fields."""
        form = cls(person)
        form._receive(form.as_posted(draft or Draft({})))
        return form

    @classmethod
    def of_stored(cls, person: Person) -> Self:
        """Return the form with the errors of the stored values, for lists of errors.

        It has no marks, so no page may show it.
        """
        form = cls(person)
        form._receive(form.as_data({}))
        return form

    def _receive(self, data: QueryDict) -> None:
        """Validate the form as if its page had posted the data."""
        self.data, self.is_bound = data, True
        self.is_valid()

    def as_posted(self, draft: Draft) -> QueryDict:
        """Return the data that the page would post with the draft typed into it."""
        data = self.as_data(draft.values)
        names = [flat(name) for name in self.fields if name not in {*self.aside, *draft.values}]
        data["seen_marks"] = marks.remember(self.person, names, beside=draft.seen)
        data["drafted"] = " ".join(draft.values)
        return data

    def as_data(self, typed: Mapping[str, list[str]]) -> QueryDict:
        """Return the stored values as the page would post them, overridden by typed values."""
        data = QueryDict(mutable=True)
        for name in self.fields.keys() - HIDDEN:
            value = self[name].value()
            data.setlist(name, typed.get(name, [] if value is None else [value]))
        return data

    def use_numbers(self, draft: Draft) -> None:
        """Fill blank fields with valid numbers of the draft, which pages do not show again."""
        data = self.data.copy()
        for name in self._personal_numbers():
            is_kept = not data.get(name) and name not in self.removed
            if is_kept and (number := self._right_number(name, draft)):
                data[name] = number
        self.data = data

    def rest(self, *, skips_blank: bool, due: set[str] | None = None) -> Draft:
        """Return a draft of the fields that were not saved; of all fields if nothing was saved.

        `skips_blank` leaves out blank fields. `due` names the fields whose errors an unfinished
        form shows; None shows all errors. Errors that were shown once are shown until they are
        mended.
        """
        names = [name for name in self.fields if self._is_left(name)]
        values = {name: self.data.getlist(name) for name in names if name not in HIDDEN}
        if skips_blank:
            values = {name: given for name, given in values.items() if any(given)}
        elif not self.errors:
            values = {}
        return Draft(
            values,
            seen=self.seen,
            conflicts=self.conflicts,
            faults=self.faults,
            version=" ".join(self.errors if due is None else due),
            is_unsaved=due is not None and any(map(self._is_unsaved, values)),
        )

    def is_blank(self, name: str) -> bool:
        """Return whether a field shows nothing and no other value needs it."""
        return self[name].value() in (None, "") and not self.is_needed(name)

    def is_needed(self, name: str) -> bool:
        """Return whether another value needs this blank field, which is no requirement itself.

        By default False; for subclasses.
        """
        return False

    def has_number(self, name: str) -> bool:
        """Return whether a personal number is stored, and not removed by this form."""
        return bool(getattr(self.person, name)) and name not in self.removed

    def _marks_of_stored(self) -> str:
        return marks.remember(self.person, self.names)

    def _shown(self) -> list[str]:
        values = [name for name in self.fields if name not in self.aside]
        return [name for name in values if not isinstance(self.fields[name], PersonalNumberField)]

    def _personal_numbers(self) -> list[str]:
        return [
            name for name, field in self.fields.items() if isinstance(field, PersonalNumberField)
        ]

    def _is_left(self, name: str) -> bool:
        """Return whether a field was not saved; for a choice in `aside`, whether it was changed."""
        if name in self.aside and name not in self.errors:
            return self.data.get(name) != self.fields[name].initial
        return self._is_unsaved(name)

    def _is_unsaved(self, name: str) -> bool:
        return self.is_unsaved or name in {*self.errors, *self.held}

    def _right_number(self, name: str, draft: Draft) -> str:
        """Return a number of the draft; empty if it is missing or invalid."""
        try:
            return str(self.fields[name].clean("".join(draft.values.get(name, []))))
        except forms.ValidationError:
            return ""

    def _offer_to_use(self, draft: Draft) -> None:
        for name in self._personal_numbers():
            if number := self._right_number(name, draft):
                end = last_four(number)
                self._keep(name, USE % {"last_four": end} if end else USE_UNSHOWN)

    def _offer_to_keep(self) -> None:
        for name, field in self.fields.items():
            if isinstance(field, PersonalNumberField) and self.has_number(name):
                end = last_four(getattr(self.person, name))
                self._keep(name, KEEP % {"last_four": end} if end else KEEP_UNSHOWN)

    def _keep(self, name: str, words: StrOrPromise) -> None:
        """Show `words` at a field whose stored number is kept; offer to remove optional numbers."""
        self[name].help_text = words
        if name in self.removable:
            self.fields[name].removal = REMOVE  # type: ignore[attr-defined]  # the template asks

    def _add_conflicts(self, names: Iterable[str]) -> None:
        """Show conflicts at their fields; skip questions that were removed with their field."""
        for name in names:
            if field := self.fields.get(marks.field_name(name)):
                self.add_error(marks.field_name(name), conflict_text(self.person, name, field))

    def _total_of(self, fault: Fault) -> str | None:
        name = TOTALS.get(fault.code)
        return name if name in self.fields else None


def _pointer(name: str) -> tuple[str, ...]:
    return tuple(camel(part) for part in flat(name).split("."))
