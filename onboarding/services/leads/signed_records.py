"""Signed records: the data that applicants and owners signed, in the words of the page they saw.

The content is JSON: sections with lines of label and value, names of documents, the texts with
version and digest, and the signature. It is in the language in which the person signed.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext

from foundation.database import hash_chains
from onboarding import legal_texts
from onboarding.choices import DocumentStatus, Entry, LegalText, Supplier
from onboarding.errors import ErrorCode, Refused
from onboarding.models import Application, Consent, Document, Owner, OwnerRecord, SignedRecord
from onboarding.queries.holdings import add_up, walk
from onboarding.queries.leads import LeadFile
from onboarding.queries.requirements import REFUSED
from onboarding.queries.time_zones import say_time, zone_of
from onboarding.services.leads.overviews import (
    Line,
    about_business,
    about_listed,
    about_own_part,
    known,
    percent,
)

FORM = 1  # of the content
REPLACED = DocumentStatus.REPLACED


class NotSigned(Refused):
    """Nothing was signed, or it was signed before records were kept."""

    code = ErrorCode.RESOURCE_NOT_FOUND


def get_record(application: Application) -> SignedRecord:
    """Return the record of an application. Raises: NotSigned."""
    record = SignedRecord.objects.filter(application=application).first()
    if record is None:
        raise NotSigned
    return record


def has_record(application: Application) -> bool:
    """Return whether an application has a signed record."""
    return SignedRecord.objects.filter(application=application).exists()


def get_part_record(application: Application, owner: Owner) -> OwnerRecord:
    """Return the newest record of an owner's part. Raises: NotSigned."""
    records = OwnerRecord.objects.filter(application=application, owner=owner)
    record = records.order_by("-pk").first()
    if record is None:
        raise NotSigned
    return record


def has_part_record(application: Application, owner: Owner) -> bool:
    """Return whether an owner's part has a record."""
    return OwnerRecord.objects.filter(application=application, owner=owner).exists()


def compose_part(
    application: Application, owner: Owner, consents: Sequence[Consent], *, language: str
) -> OwnerRecord:
    """Return the unsaved record of an owner's signature, without data of other people.

    `consents` are the texts that the owner agreed to, at least one.
    """
    with translation.override(language), timezone.override(zone_of(application)):
        sections = [_section(owner.full_name or owner.email, about_own_part(owner))]
        content = _content(application, consents, language, sections=sections, documents=[])
    return OwnerRecord(
        application=application,
        owner=owner,
        content=content,
        digest=compute_digest(content),
        signed_at=consents[0].agreed_at,
    )


def compose(file: LeadFile, consents: Sequence[Consent], *, language: str) -> SignedRecord:
    """Return the unsaved record of the applicant's signature.

    `consents` are the texts that the applicant agreed to, at least one.
    """
    application = file.application
    with translation.override(language), timezone.override(zone_of(application)):
        documents = [_document(one, file) for one in list_documents(file)]
        sections = list(_sections(file))
        content = _content(application, consents, language, sections=sections, documents=documents)
    return SignedRecord(
        application=application,
        content=content,
        digest=compute_digest(content),
        signed_at=consents[0].agreed_at,
    )


def _content(
    application: Application, consents: Sequence[Consent], language: str, **shown: list[Any]
) -> dict[str, Any]:
    signature = consents[0]
    return {
        "form": FORM,
        "language": language,
        "reference": application.reference,
        "bank": settings.BANK_NAME,
        "partner": application.lead.partner.shown_name,
        **shown,
        "texts": [_text(consent) for consent in consents],
        "signature": _signature(signature),
        "answers_digest": signature.answers_digest,
    }


def compute_digest(content: dict[str, Any]) -> str:
    """Return the SHA-256, in hexadecimal, of the content as JSON in a list, keys sorted."""
    return hash_chains.compute_digest([content])


def _sections(file: LeadFile) -> Iterable[dict[str, Any]]:
    yield _section(gettext("Business"), about_business(file.lead))
    for person in file.people:
        is_applicant = person is file.lead
        standing = known(
            (gettext("Name"), person.full_name),
            (gettext("Role"), gettext("Applicant") if is_applicant else gettext("Owner")),
            (
                gettext("Controls the business"),
                gettext("Yes") if person is file.control_person else "",
            ),
        )
        heading = person.full_name or person.email
        yield _section(heading, [*standing, *about_listed(person)])
    yield from _holders(file)


def _holders(file: LeadFile) -> Iterable[dict[str, Any]]:
    """Yield a section per trust and company, with its holders, then one with all total shares."""
    for holding in walk(file.holdings):
        behind = [
            *((stake.person.full_name, percent(stake.share)) for stake in holding.stakes),
            *((one.holder.name, percent(one.share)) for one in holding.holdings),
        ]
        standing = [
            (gettext("Type"), holding.holder.get_kind_display()),
            (gettext("Share of the business"), percent(holding.of_business)),
        ]
        yield _section(holding.holder.name, known(*standing, *behind))
    if file.holdings:
        total = add_up(file.people, file.holdings)
        shares = [(one.full_name, percent(total[one.external_id])) for one in file.people]
        yield _section(gettext("Shares of the business in total"), known(*shares))


def _section(heading: str, lines: Iterable[Line]) -> dict[str, Any]:
    return {"heading": heading, "lines": [[str(one.label), str(one.value)] for one in lines]}


def list_documents(file: LeadFile) -> list[Document]:
    """Return the documents that the signature covers: neither replaced nor refused."""
    return [one for one in file.documents if one.status not in {REPLACED, *REFUSED}]


def _document(document: Document, file: LeadFile) -> str:
    """Return a document's file name and kind; the owner's name and the kind if an owner sent it."""
    kind, name = document.get_llc_file_type_display(), document.file_name
    if document.supplied_by == Supplier.OWNER:
        names = {owner.pk: owner.full_name or owner.email for owner in file.owners}
        sender = names.get(document.owner_id or 0, "")
        name = gettext("Identification from %(sender)s") % {"sender": sender}
    return f"{name} ({kind})" if kind else name


def _text(consent: Consent) -> dict[str, str]:
    text = legal_texts.read(LegalText(consent.text), consent.version, consent.language)
    return {
        "text": consent.text,
        "version": consent.version,
        "language": consent.language,
        "title": text.title,
        "sha256": text.sha256,
    }


def _signature(consent: Consent) -> dict[str, str]:
    """Return the typed name, the time in UTC and in words, and how the signer was known."""
    known_by = ""
    if consent.code_entered_at:
        known_by = gettext("%(name)s entered a code that we had sent by email.")
    elif consent.entry == Entry.EMBEDDED:
        known_by = gettext("%(name)s came from the page of the partner and entered no code.")
    return {
        "name": consent.signed_name,
        "at": _utc(consent.agreed_at),
        "said_at": say_time(consent.agreed_at),
        "known_by": known_by % {"name": consent.signed_name} if known_by else "",
    }


def _utc(at: datetime) -> str:
    return at.astimezone(timezone.get_default_timezone()).isoformat(timespec="seconds")
