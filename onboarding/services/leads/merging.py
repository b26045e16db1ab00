"""Merging: sent values set on stored leads and owners, and the names of the changed values."""

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Field

from foundation.privacy.fields import encrypted_names
from onboarding.choices import Supplier
from onboarding.models.people import Person

Details = Mapping[str, Any]
EMPTY: tuple[Any, ...] = (None, "", {}, [])
MERGED_BY_KEY = {"business_address", "mailing_address", "address", "metadata"}


def merge_into(
    person: Person, details: Details, *, by: Supplier, compare_numbers: bool = True
) -> set[str]:
    """Set the sent values on the person, unsaved, and return the names of the changed values.

    Absent values are kept, None clears. Addresses and metadata merge key by key. `supplied_by`
    gets the supplier of each value, `corrected` the names of replaced values of the partner. A
    sent personal number is compared only with a number from the partner, and only with
    `compare_numbers`; otherwise it counts as changed, equal or not.
    """
    before = {name: getattr(person, name) for name in details}
    changed = {
        name
        for name, value in details.items()
        if _replaces(person, name, value, compare_numbers=compare_numbers)
    }
    for name in changed:
        setattr(person, name, _merged(person, name, details[name]))
    for name in changed:
        if by is Supplier.PARTNER:
            person.supplied_by.pop(name, None)
            _forget(person.corrected, name)
        else:
            is_partners = name not in person.supplied_by and before[name] not in EMPTY
            is_other = getattr(person, name) != before[name]  # a number may be typed again
            person.supplied_by[name] = by.value
            if is_partners and is_other and name not in person.corrected:
                person.corrected.append(name)
    return changed


def list_kept(person: Person, details: Details, *, of: Collection[Supplier]) -> set[str]:
    """Return the names of sent values that differ from values set by one of the suppliers.

    They always include a personal number that such a supplier has set, equal or not.
    """
    return {
        name
        for name, value in details.items()
        if person.supplied_by.get(name) in of and _replaces(person, name, value)
    }


def list_replaced(person: Person, details: Details) -> set[str]:
    """Return the names of sent values that count as changes; a personal number always does."""
    return {
        name
        for name, value in details.items()
        if _replaces(person, name, value, compare_numbers=False)
    }


def columns_of(changed: set[str]) -> list[str]:
    """Return the columns to save: the changed columns, `supplied_by` and `corrected`."""
    return sorted({*changed, "supplied_by", "corrected"})


def merge_edd_answers(stored: list[Details], sent: list[Details]) -> list[Details]:
    """Return the stored answers, updated by the sent answers of the same questionId or question.

    Absent values are kept, None clears.
    """
    answers = [dict(answer) for answer in stored]
    for answer in sent:
        known = next((one for one in answers if _is_same_question(one, answer)), None)
        if known is None:
            answers.append(known := {})
        known |= answer
    return [
        {name: value for name, value in answer.items() if value is not None} for answer in answers
    ]


def _replaces(person: Person, name: str, value: Any, *, compare_numbers: bool = True) -> bool:
    """Return whether the sent value counts as a change of the stored value."""
    is_partners = name not in person.supplied_by
    if value and name in encrypted_names(type(person)) and not (compare_numbers and is_partners):
        return True  # a result that depended on the comparison would let the caller guess
    return bool(_merged(person, name, value) != getattr(person, name))


def _merged(person: Person, name: str, value: Any) -> Any:
    if name == "edd_answers":
        return merge_edd_answers(getattr(person, name), value) if value is not None else []
    if value is None:
        return _empty(person, name)
    if name in MERGED_BY_KEY:
        both = {**getattr(person, name), **value}
        return {key: item for key, item in both.items() if item is not None}
    return value


def _empty(person: Person, name: str) -> Any:
    field = type(person)._meta.get_field(name)
    return None if field.null or not isinstance(field, Field) else field.get_default()


def _forget(names: list[str], name: str) -> None:
    if name in names:
        names.remove(name)


def _is_same_question(stored: Details, sent: Details) -> bool:
    ours, theirs = stored.get("question_id"), sent.get("question_id")
    if ours and theirs:
        return bool(ours == theirs)
    return bool(stored.get("question") and stored.get("question") == sent.get("question"))
