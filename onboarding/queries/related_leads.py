"""Related leads: the leads, of any partner, that share a number, a file or an address with a lead.

For staff only: partners must not learn which values other leads have.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Concat

from banking.models import LinkedAccount
from foundation.privacy.encryption import blind_indexes
from foundation.privacy.fields import encrypted_names
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import HitStatus
from onboarding.models import Application, Consent, Document, Lead, Owner, ScreeningHit
from onboarding.models.address_keys import (
    BUSINESS_KEY,
    HOME_KEY,
    MAILING_KEY,
    OWNER_KEY,
    address_key,
    text,
)
from onboarding.models.consents import SIGNED_FROM
from onboarding.queries.leads import LeadFile

MOST = 500  # leads that are counted per kind and table
COMMON = 20  # leads with one value, from which on the value says little: an office, a partner
SHOWN = 10  # leads on the page of a case


class SharedKind(models.TextChoices):
    """A kind of value that two leads can share, the strongest first."""

    SSN = "SSN", "SSN"
    EIN = "EIN", "EIN"
    FILE = "FILE", "File"
    LINKED_ACCOUNT = "LINKED_ACCOUNT", "Linked account"
    PHONE = "PHONE", "Phone"
    EMAIL = "EMAIL", "Email"
    ADDRESS = "ADDRESS", "Address"
    IP_ADDRESS = "IP_ADDRESS", "IP address of a signature"


@dataclass(frozen=True)
class Arm:
    """Rows of one table that share a kind of value with a lead.

    `lead` is the path from a row to its lead, `value` the column or expression that is shared.
    """

    kind: SharedKind
    rows: QuerySet[Any]
    lead: str
    value: Any


@dataclass(frozen=True)
class RelatedLead:
    """A related lead, by its current application, and what it shares with the lead in question.

    `shared` has for each kind the names of the people with a shared value, or of the files; no
    names for an EIN, linked account, address or IP address.
    """

    application: Application
    shared: Mapping[SharedKind, set[str]]
    was_denied: bool
    has_confirmed_hit: bool


@dataclass(frozen=True)
class SharedCount:
    """The number of leads that share a kind of value with a lead.

    At most MOST + 1 rows of each table are counted, so a number above MOST only means more than
    MOST. `flagged` leads were denied or have a confirmed screening hit. `is_common` is true for
    more than COMMON leads.
    """

    kind: SharedKind
    count: int
    flagged: int
    is_common: bool


@dataclass(frozen=True)
class Related:
    """The leads related to a lead: how many by each kind of value, and the closest of them."""

    counts: list[SharedCount]
    leads: list[RelatedLead]


def find_related(file: LeadFile) -> Related:
    """Return the related leads of a lead, in at most five statements.

    A kind of value that more than COMMON leads share is counted. A lead that shares nothing else is
    not listed, unless it was denied or has a confirmed hit. At most SHOWN leads are listed.
    """
    found = _find(file)
    denied, confirmed = _flagged({key for leads in found.values() for key in leads})
    counts = [
        SharedCount(kind, len(leads), len((denied | confirmed) & leads.keys()), len(leads) > COMMON)
        for kind, leads in found.items()
    ]
    close = {one.kind for one in counts if not one.is_common}
    by_lead: dict[int, dict[SharedKind, set[str]]] = defaultdict(dict)
    for kind, leads in found.items():
        for key, people in leads.items():
            by_lead[key][kind] = people
    flagged = denied | confirmed
    kept = [key for key, kinds in by_lead.items() if key in flagged or close & kinds.keys()]
    kept.sort(key=lambda key: (key not in flagged, -len(by_lead[key]), -key))
    kept = kept[:SHOWN]
    current = {row.lead_id: row for row in _current_applications(kept)}
    related = [
        RelatedLead(current[key], by_lead[key], key in denied, key in confirmed)
        for key in kept
        if key in current
    ]
    return Related(counts, related)


def list_keys(file: LeadFile, kind: SharedKind) -> QuerySet[Any]:
    """Return a subquery of the keys of the leads that share a kind of value with a lead."""
    arms = [arm.rows.values(arm.lead) for arm in ARMS[kind](file)]
    return arms[0].union(*arms[1:], all=True) if arms else Lead.objects.none().values("pk")


def _find(file: LeadFile) -> dict[SharedKind, dict[int, set[str]]]:
    """Return the keys of related leads by kind, each with names as in `RelatedLead.shared`."""
    arms = [arm for kind in SharedKind for arm in ARMS[kind](file)]
    found: dict[SharedKind, dict[int, set[str]]] = {}
    if not arms:
        return found
    names = _names(file)
    first, *others = map(_capped, arms)
    for key, kind, value in first.union(*others, all=True):
        if key is None:  # a business that no lead has become
            continue
        of_kind = found.setdefault(SharedKind(kind), defaultdict(set))
        of_kind[key] |= names.get(value, set())
    return {kind: found[kind] for kind in SharedKind if kind in found}


def _capped(arm: Arm) -> QuerySet[Any]:
    """Return lead, kind and value of at most MOST + 1 rows, for a union."""
    some = arm.rows.order_by().values("pk")[: MOST + 1]  # SQLite limits no part of a union
    rows: QuerySet[Any] = arm.rows.model._default_manager.filter(pk__in=some)  # noqa: SLF001 - Django's name for it
    said = {"shared_kind": Value(arm.kind.value), "shared_value": arm.value}
    found: QuerySet[Any] = rows.order_by().annotate(**said).values_list(arm.lead, *said)
    return found


def _names(file: LeadFile) -> dict[str, set[str]]:
    """Return the names of the people or files of the lead with a value, by the compared value."""
    names: dict[str, set[str]] = defaultdict(set)
    for person in file.people:
        for value in (*_indexes([person]), person.phone_number, person.email):
            names[value].add(person.full_name or person.email)
    for document in file.documents:
        names[document.sha256].add(document.file_name)
    names.pop("", None)  # no value: kinds that are shared without names have the value ""
    return names


def _indexes(people: Sequence[Lead | Owner]) -> list[str]:
    """Return the blind indexes of the SSNs of people, under each key."""
    return [index for person in people for index in blind_indexes(person.ssn, context="ssn")]


def _flagged(keys: Iterable[int]) -> tuple[set[int], set[int]]:
    """Return the leads that were denied, and those with a confirmed screening hit, by one query."""
    denied = Application.objects.filter(lead__in=keys, status=Status.DENIED)
    confirmed = ScreeningHit.objects.filter(lead__in=keys, status=HitStatus.CONFIRMED)
    rows = [
        found.order_by().annotate(flag=Value(flag)).values_list("lead", "flag")
        for flag, found in (("denied", denied), ("confirmed", confirmed))
    ]
    flags: dict[str, set[int]] = defaultdict(set)
    for key, flag in rows[0].union(rows[1]) if keys else []:
        flags[flag].add(key)
    return flags["denied"], flags["confirmed"]


def _current_applications(keys: Iterable[int]) -> QuerySet[Application]:
    found = Application.objects.filter(lead__in=keys, is_current=True)
    encrypted = [f"lead__{name}" for name in encrypted_names(Lead)]
    return found.select_related("lead__partner").defer(*encrypted)


def _of_people(kind: SharedKind, column: str, values: Iterable[str], lead: Lead) -> list[Arm]:
    """Return the arms of other leads' applicants and owners with one of the values in a column."""
    wanted = sorted({value for value in values if value})
    if not wanted:
        return []
    has_value = Q(**{f"{column}__in": wanted})
    return [
        Arm(kind, Lead.objects.filter(has_value).exclude(pk=lead.pk), "pk", F(column)),
        Arm(kind, Owner.objects.filter(has_value).exclude(lead=lead), "lead", F(column)),
    ]


def _by_ssn(file: LeadFile) -> list[Arm]:
    return _of_people(SharedKind.SSN, "ssn_index", _indexes(file.people), file.lead)


def _by_phone(file: LeadFile) -> list[Arm]:
    numbers = [person.phone_number for person in file.people]
    return _of_people(SharedKind.PHONE, "phone_number", numbers, file.lead)


def _by_email(file: LeadFile) -> list[Arm]:
    return _of_people(SharedKind.EMAIL, "email", [one.email for one in file.people], file.lead)


def _by_ein(file: LeadFile) -> list[Arm]:
    indexes = blind_indexes(file.lead.ein, context="ein")
    rows = Lead.objects.filter(ein_index__in=indexes).exclude(pk=file.lead.pk)
    return [Arm(SharedKind.EIN, rows, "pk", F("ein_index"))] if indexes else []


def _by_file(file: LeadFile) -> list[Arm]:
    ours = sorted({document.sha256 for document in file.documents if document.sha256})
    rows = Document.objects.filter(~Q(sha256=""), sha256__in=ours).exclude(lead=file.lead)
    return [Arm(SharedKind.FILE, rows, "lead", F("sha256"))] if ours else []


def _by_address(file: LeadFile) -> list[Arm]:
    lead = file.lead
    said = [lead.business_address, lead.mailing_address, *(person.home for person in file.people)]
    keys = [
        address_key(text(one["line1"] or ""), text(one["postal_code"] or ""))
        for one in said
        if one.get("line1") and one.get("postal_code")
    ]
    if not keys:
        return []
    leads, owners = Lead.objects.exclude(pk=lead.pk), Owner.objects.exclude(lead=lead)
    places: list[tuple[QuerySet[Any], str, Concat]] = [
        (leads, "pk", key) for key in (BUSINESS_KEY, HOME_KEY, MAILING_KEY)
    ]
    return [
        Arm(
            SharedKind.ADDRESS,
            rows.alias(address_key=key).filter(address_key__in=keys),
            path,
            Value(""),
        )
        for rows, path, key in [*places, (owners, "lead", OWNER_KEY)]
    ]


def _by_linked_account(file: LeadFile) -> list[Arm]:
    """Return the arm of linked accounts of other businesses that this business has linked, too.

    Runs one database query if the lead has an account.
    """
    account = file.application.account
    if account is None:
        return []
    same = Q()
    for institution, last4 in LinkedAccount.objects.filter(
        business=account.business_id
    ).values_list("institution_name", "last4"):
        same |= Q(institution_name=institution, last4=last4)
    rows = LinkedAccount.objects.filter(same).exclude(business=account.business_id)
    path = "business__accounts__application__lead"
    return [Arm(SharedKind.LINKED_ACCOUNT, rows, path, Value(""))] if same else []


def _by_ip_address(file: LeadFile) -> list[Arm]:
    """Return the arm of other leads' signatures from an IP address of this lead. Runs one query."""
    signed = Consent.objects.filter(SIGNED_FROM)
    ours = signed.filter(application__lead=file.lead).values_list("address", flat=True)
    addresses = sorted(set(ours))
    rows = signed.filter(address__in=addresses).exclude(application__lead=file.lead)
    path = "application__lead"
    return [Arm(SharedKind.IP_ADDRESS, rows, path, Value(""))] if addresses else []


ARMS: dict[SharedKind, Callable[[LeadFile], list[Arm]]] = {
    SharedKind.SSN: _by_ssn,
    SharedKind.EIN: _by_ein,
    SharedKind.FILE: _by_file,
    SharedKind.LINKED_ACCOUNT: _by_linked_account,
    SharedKind.PHONE: _by_phone,
    SharedKind.EMAIL: _by_email,
    SharedKind.ADDRESS: _by_address,
    SharedKind.IP_ADDRESS: _by_ip_address,
}
