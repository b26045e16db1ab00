"""Sandbox data: invented values for the fields that an applicant has not filled in."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import ROUND_DOWN, Decimal
from typing import Any

from onboarding import legal_texts
from onboarding.models import Application, Owner
from onboarding.models.people import Person
from onboarding.queries.leads import LeadFile, open_lead_file
from onboarding.queries.requirements import Kind, Requirement, list_missing_of_part
from onboarding.services.leads import drafts, owner_parts
from onboarding.services.leads.submissions import SHORTEST_NAME
from onboarding.validators import ownership_total

WHOLE, SMALLEST_SHARE = Decimal(100), Decimal("0.0001")
PASSES = 2  # the fields of a business depend on its type, which may be missing itself
FIRST_SERIAL = 6789  # of an SSN; serials with a meaning in the sandbox begin with zeros
LANGUAGE = "en"
ANSWER = "Invented by the sandbox."
ADDRESS = {
    "line1": "1 Example Street",
    "city": "New York",
    "state": "NY",
    "postal_code": "10001",
}
VALUES: Mapping[str, Any] = {
    **ADDRESS,
    "first_name": "Sam",
    "last_name": "Sandbox",
    "birth_date": date(1985, 12, 10),
    "phone_number": "+12025550100",
    "business_name": "Sandbox Supplies LLC",
    "business_type": "LLC",
    "naics_code": "541511",
    "ein": "123456789",
    "incorporation_state": "DE",
}


def fill_in(application: Application, *, at: datetime) -> None:
    """Save invented values for all fields that the submission lacks, as the applicant.

    Invited owners complete their parts with invented values, too.

    Raises: LeadLocked, Invalid.
    """
    for _ in range(PASSES):
        _fill_in(open_lead_file(application), at)
        application.lead.refresh_from_db()
    file = open_lead_file(application)
    for owner in file.owners:
        if owner.is_waited_for:
            _sign_part(application, owner, at)
    if [person.is_control_person for person in file.people].count(True) > 1:
        owner_id = file.control_person.ubo_id
        drafts.choose_control_person(application, str(owner_id) if owner_id else None, at=at)


def _fill_in(file: LeadFile, at: datetime) -> None:
    share = _free_share(file)
    application, missing = file.application, file.requirements
    values = {**_invent(missing, None, share), **_answers(file), **_signable_name(file.lead)}
    if values:
        drafts.save_lead(application, values, seen="", at=at)
    for place, owner in enumerate(file.owners, 1):
        if values := _invent(missing, owner, share, place=place):
            drafts.save_owner(application, str(owner.external_id), values, seen="", at=at)
        part = list_missing_of_part(owner) if owner.is_waited_for else []
        if values := _invent(part, owner, share, place=place):
            owner_parts.save_part(application, owner, values, seen="", at=at)


def _sign_part(application: Application, owner: Owner, at: datetime) -> None:
    if values := _signable_name(owner):
        saved = owner_parts.save_part(application, owner, values, seen="", at=at)
        owner.last_name = saved.person.last_name
    owner_parts.complete(
        application,
        owner,
        signed_name=owner.full_name,
        agreed={text: legal_texts.current(text, LANGUAGE).version for text in owner_parts.TEXTS},
        language=LANGUAGE,
        seen=owner_parts.state_of(Owner.objects.get(pk=owner.pk)),
        at=at,
    )


def _invent(
    missing: list[Requirement], owner: Owner | None, share: Decimal, *, place: int = 0
) -> dict[str, Any]:
    """Return values for the missing fields of a person, under the flat names of a draft.

    Without an `owner` the person is the applicant. `place` makes the SSNs of owners differ.
    """
    ubo_id = owner.external_id if owner else None
    names = [
        requirement.code.removesuffix("_MISSING").lower()
        for requirement in missing
        if requirement.kind == Kind.FIELD and requirement.ubo_id == ubo_id
    ]
    of_person = {
        "ownership_percent": share,
        "identification": f"12345{FIRST_SERIAL + place}",
        "email": f"owner-{ubo_id}@example.com",
    }
    values: dict[str, Any] = {}
    for name in names:
        if name in {"address", "business_address"}:
            values |= {f"{name}.{part}": value for part, value in ADDRESS.items()}
        else:
            field = "ssn" if name == "identification" else name
            values[field] = of_person.get(name, VALUES.get(name))
    return values


def _answers(file: LeadFile) -> dict[str, str]:
    return {
        f"edd_answers.{place}": ANSWER
        for place, answer in enumerate(file.lead.edd_answers)
        if answer.get("question") and not answer.get("answer")
    }


def _signable_name(person: Person) -> dict[str, str]:
    """Return values with another last name if a person's name is too short for a signature."""
    letters = sum(character.isalpha() for character in person.full_name)
    return {"last_name": VALUES["last_name"]} if letters < SHORTEST_NAME else {}


def _free_share(file: LeadFile) -> Decimal:
    """Return the share for each person whose share is not known: equal parts of the rest.

    Units: percent.
    """
    lead = file.lead
    shares = [person.ownership_percent for person in file.people]
    taken = ownership_total(lead.email, lead.ownership_percent, [*map(vars, file.owners)])
    free = max(WHOLE - taken, Decimal(0))
    return (free / max(shares.count(None), 1)).quantize(SMALLEST_SHARE, ROUND_DOWN)
