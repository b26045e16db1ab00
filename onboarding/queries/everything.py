"""One search for cases, people, businesses, accounts, cards and partners, with reasons."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db import models

from banking.choices import UserType
from banking.models import Account, Accountant, Business, BusinessOwner, Card, Firm, Supplier, User
from banking.models.accounts import LAST_FOUR as ACCOUNT_LAST_FOUR
from foundation.database import trigrams
from foundation.privacy.fields import encrypted_names
from onboarding.models import Application, Document, Lead, Owner, Partner
from onboarding.models.people import LAST_FOUR
from onboarding.phone_numbers import in_groups
from onboarding.queries import search
from onboarding.queries.leads import open_lead_file
from onboarding.queries.related_leads import find_related
from onboarding.queries.search import BUSINESS_WORDS, LEAD_WORDS, PERSON_WORDS

SHOWN = 10  # results of a kind
NUMBER_DIGITS, ACCOUNT_DIGITS = 9, 12
Reasons = dict[int, str]  # keys of rows, each with the reason why the row was found


class Kind(models.TextChoices):
    """The kinds of results."""

    CASES = "CASES", "Cases"
    RELATED = "RELATED", "Related cases"
    PEOPLE = "PEOPLE", "People"
    BUSINESSES = "BUSINESSES", "Businesses"
    ACCOUNTS = "ACCOUNTS", "Accounts"
    CARDS = "CARDS", "Cards"
    SUPPLIERS = "SUPPLIERS", "Suppliers"
    PARTNERS = "PARTNERS", "Partners"


@dataclass(frozen=True)
class Found:
    """A row that was found, and why. Personal numbers in the reason are masked."""

    row: models.Model
    reason: str


@dataclass(frozen=True)
class Group:
    """The results of a kind, at most SHOWN; `has_more` if rows were left out."""

    kind: Kind
    found: list[Found]
    has_more: bool


@dataclass(frozen=True)
class Asked:
    """A text that staff typed: words, and the ids and numbers that the text can be.

    Personal numbers are looked up only if `may_search_numbers`. If `is_tolerant`, words match
    similar words instead.
    """

    text: str
    may_search_numbers: bool = False
    viewable: Collection[type[models.Model]] = ()  # models that the user may view
    is_tolerant: bool = False

    @cached_property
    def words(self) -> list[str]:
        """Return the words to search for; empty if the text is an id or a phone number."""
        return [] if self.uuid or self.phones else self.text.split()

    @cached_property
    def uuid(self) -> UUID | None:
        return search.read_uuid(self.text)

    @cached_property
    def phones(self) -> list[str]:
        return search.read_phone_numbers(self.text)

    @cached_property
    def digits(self) -> str:
        """Return the digits of a number with spaces, dots or dashes; empty for another text."""
        bare = "".join(one for one in self.text if one not in " .-\u2013")
        return bare if bare.isascii() and bare.isdecimal() else ""

    @property
    def is_personal_number(self) -> bool:
        """Return whether the text can be an SSN or EIN, or the last four digits of one."""
        return len(self.digits) in {LAST_FOUR, NUMBER_DIGITS}


def search_everything(asked: Asked) -> list[Group]:
    """Return the results of each kind that has any; if none has, those by similar words.

    At most 30 statements.
    """
    with trigrams.tolerance():
        return _search(asked) or (_search(replace(asked, is_tolerant=True)) if asked.words else [])


def _search(asked: Asked) -> list[Group]:
    owners = _find_owners(asked)
    found = {kind: finder(asked, owners) for kind, finder in FINDERS.items()}
    found[Kind.RELATED] = _find_related(asked, found[Kind.CASES])
    return [
        Group(kind, found[kind][:SHOWN], len(found[kind]) > SHOWN) for kind in Kind if found[kind]
    ]


def _by_words(rows: Any, names: Sequence[str], asked: Asked) -> list[int]:
    return trigrams.find(rows, names, asked.words, is_tolerant=asked.is_tolerant)


def _find_cases(asked: Asked, owners: Reasons) -> list[Found]:
    """Return the current applications of matching leads, or the application that the text names.

    Empty if the user may not view applications and leads.
    """
    if not {Application, Lead} <= set(asked.viewable):
        return []
    if named := search.find_by_reference(asked.text):
        return _rows(_cases(), dict.fromkeys(named, "Reference"))
    if asked.uuid and (one := _cases().filter(external_id=asked.uuid).first()):
        return [Found(one, "Application id")]
    leads = _find_leads(asked)
    of_owners = Owner.objects.filter(pk__in=_first(owners)).values_list("pk", "lead")
    for pk, lead in of_owners if owners else ():
        leads.setdefault(lead, f"{owners[pk]} of an owner")
    applications = _cases().filter(lead__in=_first(leads), is_current=True)
    found = {one.lead_id: one for one in applications} if leads else {}
    return [
        Found(found[pk], reason or _say_words(found[pk].lead, LEAD_LABELS, asked.words))
        for pk, reason in leads.items()
        if pk in found
    ]


def _find_related(asked: Asked, cases: Sequence[Found]) -> list[Found]:
    """Return the cases that share a value with the found case; empty unless one was found.

    Also empty if the user may not view owners and documents.
    """
    if len(cases) != 1 or not {Owner, Document} <= set(asked.viewable):
        return []
    whole = Application.objects.select_related("lead").get(pk=cases[0].row.pk)
    related = find_related(open_lead_file(whole)).leads
    said = {
        one.application.pk: f"Same {', '.join(kind.label for kind in one.shared)}"
        for one in related
    }
    return _rows(_cases(), said)


def _find_leads(asked: Asked) -> Reasons:
    """Return the keys of leads, each with the reason; the reason is empty if words matched."""
    leads = Lead.objects.order_by("-pk")
    if asked.uuid:
        return _keys(leads.filter(external_id=asked.uuid), "Customer id")
    found: Reasons = {}
    if exact := search.find_leads_by_email_or_id(asked.text):
        reason = "Email" if "@" in asked.text else "Partner's own id"
        found |= dict.fromkeys(exact, reason)
    for ending, indexes in _index_personal_number(asked):
        for kind in ("ssn", "ein"):
            of = {f"{kind}{ending}__in": indexes[kind]}
            found |= _keys(leads.filter(**of), f"{kind.upper()} {_masked(asked)}")
    found |= _by_phone(leads, asked)
    return found or dict.fromkeys(_by_words(leads, LEAD_WORDS, asked), "")


def _find_owners(asked: Asked) -> Reasons:
    if Owner not in asked.viewable:
        return {}
    owners = Owner.objects.order_by("-pk")
    if asked.uuid:
        return _keys(owners.filter(external_id=asked.uuid), "Id")
    found: Reasons = {}
    for ending, indexes in _index_personal_number(asked):
        of = {f"ssn{ending}__in": indexes["ssn"]}
        found |= _keys(owners.filter(**of), f"SSN {_masked(asked)}")
    found |= _by_phone(owners, asked)
    named = _by_words(owners, PERSON_WORDS, asked)
    return found | dict.fromkeys(named, "Name or email")


def _find_people(asked: Asked, owners: Reasons) -> list[Found]:
    """Return owners of leads and of businesses, accountants and staff: all who have a page.

    Only of models that the user may view.
    """
    found = _rows(_deferred(Owner, "lead"), owners) if owners else []
    if BusinessOwner in asked.viewable:
        found += _find_rows(BusinessOwner.objects.select_related("business"), PERSON_WORDS, asked)
    users = User.objects.select_related("accountant__firm")
    is_shown = models.Q(accountant__isnull=False) if Accountant in asked.viewable else models.Q()
    if User in asked.viewable:
        is_shown |= models.Q(user_type=UserType.STAFF)
    if is_shown:
        found += _find_rows(users.filter(is_shown), PERSON_WORDS, asked)
    return found


def _find_businesses(asked: Asked, _owners: Reasons) -> list[Found]:
    found = []
    if Business in asked.viewable:
        found += _find_rows(Business.objects.all(), BUSINESS_WORDS, asked)
        found += _rows(Business.objects.all(), _by_phone(Business.objects.all(), asked))
    if Firm in asked.viewable:
        found += _find_rows(Firm.objects.all(), ["name"], asked)
    return found


def _find_accounts(asked: Asked, _owners: Reasons) -> list[Found]:
    """Return accounts of customers by their number or its last four digits, or by their id."""
    if Account not in asked.viewable:
        return []
    accounts = Account.objects.of_customers().select_related("business").order_by("-pk")
    if asked.uuid:
        return [Found(one, "Id") for one in accounts.filter(external_id=asked.uuid)]
    if len(asked.digits) == LAST_FOUR:
        ending = accounts.alias(ending=ACCOUNT_LAST_FOUR).filter(ending=asked.digits)
        return [Found(one, f"Number ends in {asked.digits}") for one in ending[: SHOWN + 1]]
    if len(asked.digits) == ACCOUNT_DIGITS:
        return [Found(one, "Number") for one in accounts.filter(account_number=asked.digits)]
    return []


def _find_cards(asked: Asked, _owners: Reasons) -> list[Found]:
    """Return cards by the last four digits of their number, or by their id."""
    if Card not in asked.viewable or not (asked.uuid or len(asked.digits) == LAST_FOUR):
        return []
    wanted = {"external_id": asked.uuid} if asked.uuid else {"last4": asked.digits}
    reason = "Id" if asked.uuid else f"Number ends in {asked.digits}"
    cards = Card.objects.filter(**wanted).select_related("business").order_by("-pk")
    return [Found(one, reason) for one in cards[: SHOWN + 1]]


def _find_suppliers(asked: Asked, _owners: Reasons) -> list[Found]:
    if Supplier not in asked.viewable:
        return []
    return _find_rows(Supplier.objects.select_related("business"), ["name"], asked)


def _find_partners(asked: Asked, _owners: Reasons) -> list[Found]:
    """Return partners by name. Their table is small, and has no index of words."""
    if Partner not in asked.viewable:
        return []
    return _find_rows(Partner.objects.all(), ["name"], asked)


FINDERS: Mapping[Kind, Callable[[Asked, Reasons], list[Found]]] = {
    Kind.CASES: _find_cases,
    Kind.PEOPLE: _find_people,
    Kind.BUSINESSES: _find_businesses,
    Kind.ACCOUNTS: _find_accounts,
    Kind.CARDS: _find_cards,
    Kind.SUPPLIERS: _find_suppliers,
    Kind.PARTNERS: _find_partners,
}
LEAD_LABELS = {
    "Business name": ["business_name"],
    "Applicant's name": ["first_name", "last_name"],
    "Email": ["email"],
    "Partner's own id": ["unique_id"],
}
ROW_LABELS = {
    "Name": ["legal_name", "name", "first_name", "last_name"],
    "Email": ["email"],
}


def _find_rows(rows: Any, names: Sequence[str], asked: Asked) -> list[Found]:
    """Return rows by their id, if they have one, or by words."""
    if asked.uuid:
        has_id = any(one.name == "external_id" for one in rows.model._meta.concrete_fields)
        named = rows.filter(external_id=asked.uuid) if has_id else ()
        return [Found(row, "Id") for row in named]
    keys = _by_words(rows.select_related(None), names, asked)
    found = _rows(rows, dict.fromkeys(keys, ""))
    return [Found(one.row, _say_words(one.row, ROW_LABELS, asked.words)) for one in found]


def _rows(rows: Any, reasons: Reasons) -> list[Found]:
    """Return the first rows of these keys, in the order of the keys."""
    found = rows.in_bulk(_first(reasons)) if reasons else {}
    return [Found(found[pk], reason) for pk, reason in reasons.items() if pk in found]


def _first(reasons: Reasons) -> list[int]:
    """Return the first keys, one more than are shown."""
    return list(reasons)[: SHOWN + 1]


def _keys(rows: Any, reason: str) -> Reasons:
    return dict.fromkeys(rows.values_list("pk", flat=True)[: SHOWN + 1], reason)


def _by_phone(rows: Any, asked: Asked) -> Reasons:
    if not asked.phones:
        return {}
    found = rows.filter(phone_number__in=asked.phones).values_list("pk", "phone_number")
    return {pk: f"Phone {in_groups(number)}" for pk, number in found[: SHOWN + 1]}


def _index_personal_number(asked: Asked) -> Iterable[tuple[str, Mapping[str, Sequence[str]]]]:
    """Yield the ending of the index columns and the indexes of a number that may be searched."""
    if not (asked.may_search_numbers and asked.is_personal_number):
        return
    if len(asked.digits) == LAST_FOUR:
        yield "_last_four_index", search.index_last_four(asked.digits)
    else:
        yield "_index", search.index_number(asked.digits)


def _masked(asked: Asked) -> str:
    return f"ends in {asked.digits[-LAST_FOUR:]}"


def _say_words(row: Any, labels: Mapping[str, Sequence[str]], words: Sequence[str]) -> str:
    """Return the label of the values of a row that the words resemble most."""
    parts = [part for word in words for part in trigrams.split(word)]
    texts = {
        label: " ".join(str(getattr(row, name, "")) for name in names)
        for label, names in labels.items()
    }
    return max(texts, key=lambda label: trigrams.score(texts[label], parts))


def _cases() -> Any:
    return _deferred(Application, "lead__partner")


def _deferred(model: type[models.Model], path: str) -> Any:
    """Return rows with a related one, without encrypted columns."""
    of_lead = [f"lead__{name}" for name in encrypted_names(Lead)]
    rows = model._default_manager.select_related(path)  # noqa: SLF001 - Django's name for it
    return rows.defer(*encrypted_names(model), *of_lead)
