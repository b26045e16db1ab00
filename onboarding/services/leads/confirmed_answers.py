"""Confirmed answers: doubtful values that a person was asked about and confirmed."""

from collections.abc import Iterator
from decimal import Decimal

from onboarding.models import Lead
from onboarding.models.people import Person
from onboarding.queries.leads import LeadFile
from onboarding.services.leads import marks
from onboarding.validators import ownership_total

OTHERS = "others"  # the question for further owners, and the name under which its answer is kept
SINCE_CHANGED = "changed since it was confirmed"
WHERE = {"business_address": "business address", "mailing_address": "mailing address"}
OF_ADDRESS = {
    "postal_code": "The ZIP code is of another state",
    "line1": "The address may be a rented mailbox",
}
QUESTIONS = {
    "business_type": "The type has one owner, and others are listed",
    "ownership_percent": "The type has several owners, and the share is 100 percent",
    OTHERS: "Nobody else owns 25 percent or more, or controls the business",
}


def shares_of(file: LeadFile) -> str:
    """Return the number of people and the shares in the business, as text, for example `2 75.5`.

    The answer about further owners must be given again when this text has changed. Units: percent.
    """
    return f"{len(file.people)} {total_of(file).normalize():f}"


def total_of(file: LeadFile) -> Decimal:
    """Return the sum of the direct shares of people, trusts and companies in the business.

    Units: percent.
    """
    return sum((one.share for one in file.holdings), start=held_by_people(file))


def held_by_people(file: LeadFile) -> Decimal:
    """Return the sum of the direct shares of people; entries with one email are one person.

    Units: percent.
    """
    lead, owners = file.lead, [vars(one) for one in file.owners]
    return ownership_total(lead.email, lead.ownership_percent, owners)


def list_confirmed(person: Person, file: LeadFile) -> list[str]:
    """Return a text for each value that a person confirmed, with the value or SINCE_CHANGED."""
    return [_say(person, one.partition("=")[0], file) for one in sorted(person.confirmed)]


def _say(person: Person, name: str, file: LeadFile) -> str:
    prefix, _, end = name.rpartition(".")
    part = end or name
    value = dict(_values(person, prefix, file)).get(part, "")
    is_address = part in OF_ADDRESS
    where = WHERE.get(prefix, "home address") if is_address else ""
    shown = value.strip() if is_address else ""
    is_same = marks.is_confirmed(person, name, value)
    facts = ", ".join(filter(None, [where, shown if is_same else SINCE_CHANGED]))
    return ": ".join(filter(None, [{**OF_ADDRESS, **QUESTIONS}.get(part, name), facts]))


def _values(person: Person, prefix: str, file: LeadFile) -> Iterator[tuple[str, str]]:
    """Yield the last part of each doubtful value's flat name, and the value in the confirmed form.

    `prefix` is the column of the address; empty for the home address.
    """
    address = getattr(person, prefix) if prefix else person.home
    line1, line2, state, code = (
        address.get(name) or "" for name in ("line1", "line2", "state", "postal_code")
    )
    yield "postal_code", f"{state} {code}"
    yield "line1", f"{line1} {line2}"
    if isinstance(person, Lead):
        kind, share = person.business_type, person.ownership_percent
        listed = [one for one in file.owners if one.email != person.email]
        yield "business_type", f"{kind} {sum(bool(one.ownership_percent) for one in listed)}"
        yield "ownership_percent", f"{kind} {share.normalize():f}" if share else ""
        yield OTHERS, shares_of(file)
