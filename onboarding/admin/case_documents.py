"""Case documents: the documents of a lead, with the steps that each allows."""

from django.template.defaultfilters import filesizeformat

from onboarding.admin.document_facts import can_be_shown, file_name, person_name, status_badge
from onboarding.choices import DocumentSide, DocumentStatus
from onboarding.document_reasons import list_rejections
from onboarding.models import Document
from onboarding.queries.documents import list_unopened
from onboarding.services.documents.case_documents import JUDGED


def documents_of(file):
    """Return the documents of a lead with their display values, the newest first.

    The two sides of a card come together, the front first.
    """
    owners = {owner.pk: person_name(owner) for owner in file.owners}
    groups: dict[object, list[Document]] = {}
    for document in reversed(file.documents):
        groups.setdefault(_card(document) or document.pk, []).append(document)
    for group in groups.values():
        group.sort(key=lambda document: document.side == DocumentSide.BACK)
    return [
        _row(document, owners, file.lead.business_name)
        for group in groups.values()
        for document in group
    ]


def _card(document):
    """Return the key that the two sides of a card have in common: the person and the kind.

    The key is empty for a file that is no side of a card, or was replaced.
    """
    is_side = document.side and document.status != DocumentStatus.REPLACED
    return (document.owner_id, document.llc_file_type) if is_side else ()


def unopened_of(rows, *, by):
    """Return the rows of received documents that a user has not opened, which block an approval."""
    unopened = {one.pk for one in list_unopened([row["document"] for row in rows], by=[by])}
    return [row for row in rows if row["document"].pk in unopened]


def _row(document, owners, business):
    """Return a document with its display values, and its id as forms send it."""
    return {
        "key": str(document.pk),
        "document": document,
        "name": file_name(document),
        "kind": document.get_llc_file_type_display() or "Type not given",
        "side": document.get_side_display(),
        "whose": owners.get(document.owner_id, ""),
        "status": status_badge(document),
        "size": filesizeformat(document.size_bytes) if document.file else "",
        "is_shown": can_be_shown(document),
        "is_judged": document.status in JUDGED,
        "rejections": list_rejections(
            document.llc_file_type, owners.get(document.owner_id, "") or business
        ),
        "has_malware": document.malware and document.status == DocumentStatus.QUARANTINED,
    }
