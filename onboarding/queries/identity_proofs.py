"""Identity proofs: which documents, and which sides of an identity card, prove an identity."""

from collections.abc import Collection, Iterable

from onboarding.choices import DocumentSide, LlcFileType
from onboarding.models import Document
from onboarding.models.people import Person

CARD = LlcFileType.GOVERNMENT_IDENTIFICATION
IDENTITY_PROOFS = {CARD.value, LlcFileType.PASSPORT.value}


def list_lacking_sides(documents: Iterable[Document]) -> list[DocumentSide]:
    """Return the sides of an identity card that none of these documents of one person shows.

    A card without a side, as partners send it, counts as both sides. Other kinds are ignored.
    """
    shown = {document.side for document in documents if document.llc_file_type == CARD}
    return [side for side in DocumentSide if not shown & {"", side.value}]


def list_whole_kinds(documents: Iterable[Document]) -> set[str]:
    """Return the kinds of one person's documents, without a card of which a side is missing."""
    documents = list(documents)
    kinds = {document.llc_file_type for document in documents}
    return kinds - {CARD.value} if list_lacking_sides(documents) else kinds


def is_proven(kinds: Collection[str], documents: Iterable[Document], *, side: str = "") -> bool:
    """Return whether one person's documents include a complete document of one of the kinds.

    A card is complete with both sides or, if `side` is given, with that side alone.
    """
    documents = list(documents)
    if side:
        return any(one.llc_file_type in kinds and one.side in {"", side} for one in documents)
    return bool(list_whole_kinds(documents) & {*kinds})


def list_kinds_for(person: Person, kinds: Collection[str]) -> tuple[str, ...]:
    """Return `kinds` sorted, first the one that fits the numbers that the person gave.

    That is the passport if there is a passport number and no national ID number, else the card.
    """
    has_passport = person.passport_number and not person.id_gov_number
    first = LlcFileType.PASSPORT.value if has_passport else CARD.value
    return tuple(sorted(kinds, key=lambda kind: (kind != first, kind)))
