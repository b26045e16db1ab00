"""Parties: everybody whose name is compared with the lists, of applications and of the records.

A source is a table that is read by its primary key, so that a comparison can go on where it was.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Exists, F, Model, OuterRef, QuerySet

from banking.choices import JobStatus
from banking.models import Accountant, Business, BusinessOwner, Firm, Job, Payee, Supplier
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import PartyKind
from onboarding.entry_facts import PartyFacts, plain_number
from onboarding.models import Application, Holder, Lead, Owner

SCREENED = [  # in review, or a customer: screening hits are judged
    Status.ID_VERIFICATION,
    Status.DOCUMENTS_REQUIRED,
    Status.IN_REVIEW,
    Status.APPROVED_TEMPORARY,
    Status.APPROVED,
]
LEADS, OWNERS, HOLDERS = "LEADS", "LEAD_OWNERS", "LEAD_HOLDERS"  # the sources of applications
COMPARE_PARTY = "compare_party"  # the job that repeats a comparison
NUMBERS = ("passport_number", "id_gov_number", "ssn")
Names = tuple[tuple[str, bool], ...]  # a name, and whether it is looked for as a person's


@dataclass(frozen=True)
class Party:
    """A row of a source with its names; `lead` is the lead that it belongs to, if any."""

    row: int
    names: Names
    lead: int | None = None
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecordParty:
    """A party of the bank's records, with its known facts and its business."""

    kind: PartyKind
    row: int
    names: Names
    business: Business | None
    facts: PartyFacts

    @property
    def name(self) -> str:
        return self.names[0][0]


@dataclass(frozen=True)
class RecordSource:
    """A table of the bank's records. `is_person` is None where a name may be a company's, too."""

    rows: Callable[[], QuerySet[Any]]
    name: Callable[[Any], str]
    is_person: bool | None
    business: Callable[[Any], Business | None]
    country: Callable[[Any], str] = lambda _row: ""

    def names_of(self, row: Model) -> Names:
        """Return the names of a row, as a person's and as a company's where it may be either."""
        readings = (True, False) if self.is_person is None else (self.is_person,)
        return tuple((self.name(row), is_person) for is_person in readings)


def _person(row: Any) -> str:
    return f"{row.first_name} {row.last_name}".strip()


def _payees() -> QuerySet[Payee]:
    """Return the payees with another name than their supplier, who is a party already."""
    found = Payee.objects.select_related("supplier__business").defer("account_number", "iban")
    return found.exclude(payee_name=F("supplier__name"))


RECORDS: Final[Mapping[PartyKind, RecordSource]] = {
    PartyKind.BUSINESS: RecordSource(
        Business.objects.all, lambda row: row.legal_name, False, lambda row: row
    ),
    PartyKind.OWNER: RecordSource(
        lambda: BusinessOwner.objects.select_related("business"),
        _person,
        True,
        lambda row: row.business,
    ),
    PartyKind.SUPPLIER: RecordSource(
        lambda: Supplier.objects.select_related("business"),
        lambda row: row.name,
        None,
        lambda row: row.business,
        lambda row: row.country,
    ),
    PartyKind.PAYEE: RecordSource(
        _payees,
        lambda row: row.payee_name,
        None,
        lambda row: row.supplier.business,
        lambda row: row.supplier.country,
    ),
    PartyKind.ACCOUNTANT: RecordSource(
        lambda: Accountant.objects.select_related("user"),
        lambda row: _person(row.user),
        True,
        lambda _row: None,
    ),
    PartyKind.FIRM: RecordSource(Firm.objects.all, lambda row: row.name, False, lambda _row: None),
}
SOURCES: Final = [LEADS, OWNERS, HOLDERS, *(kind.value for kind in RECORDS)]  # in their order


def read_parties(source: str, *, after: int, limit: int, with_numbers: bool) -> list[Party]:
    """Return the parties of a source with keys above `after`, in their order, in one statement.

    `source` is one of SOURCES. `with_numbers` also returns document numbers, SSN and EIN of parties
    of applications, which are decrypted. At most `limit` parties.
    """
    if source == LEADS:
        leads = Lead.objects.filter(_is_screened("pk"))
        leads = leads.only(*_columns(with_numbers), "business_name", *(["ein"] * with_numbers))
        return [_of_lead(row, with_numbers) for row in _next(leads, after, limit)]
    if source == OWNERS:
        owners = Owner.objects.filter(_is_screened("lead")).only(*_columns(with_numbers), "lead")
        return [_of_owner(row, with_numbers) for row in _next(owners, after, limit)]
    if source == HOLDERS:
        holders = Holder.objects.filter(_is_screened("lead"))
        holders = holders.only("lead", "name", *(["ein"] * with_numbers))
        return [_of_holder(row, with_numbers) for row in _next(holders, after, limit)]
    records = RECORDS[PartyKind(source)]
    rows = _next(records.rows(), after, limit)
    return [Party(row.pk, records.names_of(row)) for row in rows]


def find_record(kind: PartyKind, row: int) -> RecordParty | None:
    """Return a party of the records; None if its row is gone, or needs no comparison."""
    source = RECORDS[kind]
    found = source.rows().filter(pk=row).first()
    if found is None:
        return None
    country = source.country(found).upper()
    facts = PartyFacts(countries=frozenset([country] if country else []))
    return RecordParty(kind, row, source.names_of(found), source.business(found), facts)


def _is_screened(lead: str) -> Exists:
    """Return the condition that a lead's current application is in review, or has an account."""
    current = Application.objects.filter(is_current=True, status__in=SCREENED)
    return Exists(current.filter(lead=OuterRef(lead)))


def _columns(with_numbers: bool) -> Iterable[str]:
    return ["external_id", "first_name", "last_name", *(NUMBERS if with_numbers else ())]


def _next(rows: QuerySet[Any], after: int, limit: int) -> QuerySet[Any]:
    return rows.filter(pk__gt=after).order_by("pk")[:limit]


def _of_lead(lead: Lead, with_numbers: bool) -> Party:
    names = ((lead.full_name, True), (lead.business_name, False))
    numbers = tuple(_numbers(lead, [*NUMBERS, "ein"])) if with_numbers else ()
    return Party(lead.pk, names, lead.pk, numbers)


def _of_owner(owner: Owner, with_numbers: bool) -> Party:
    numbers = tuple(_numbers(owner, NUMBERS)) if with_numbers else ()
    return Party(owner.pk, ((owner.full_name, True),), owner.lead_id, numbers)


def _of_holder(holder: Holder, with_numbers: bool) -> Party:
    numbers = tuple(_numbers(holder, ["ein"])) if with_numbers else ()
    return Party(holder.pk, ((holder.name, False),), holder.lead_id, numbers)


def _numbers(person: Lead | Owner | Holder, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if number := getattr(person, name):
            yield plain_number(number)


def list_not_compared() -> QuerySet[Job]:
    """Return the newest job of each party whose comparison failed and has not succeeded since."""
    jobs = Job.objects.filter(kind=COMPARE_PARTY)
    newer = jobs.filter(key=OuterRef("key"), pk__gt=OuterRef("pk"))
    return jobs.exclude(status=JobStatus.DONE).filter(~Exists(newer)).order_by("pk")
