"""Case documents: the documents of a lead, with the steps that each allows."""

from dataclasses import dataclass

from django.template.defaultfilters import filesizeformat

from foundation.backoffice.screens import badge
from onboarding.admin.documents import can_be_shown, file_name, person_name
from onboarding.models import Document
from onboarding.queries.documents import list_unopened
from onboarding.services.documents.case_documents import JUDGED


@dataclass(frozen=True)
class Paper:
    """A document with its display values."""

    document: Document
    name: str
    kind: str
    whose: str
    status: str
    size: str
    is_shown: bool
    is_judged: bool

    @property
    def key(self):
        """Return the id of the document as forms send it."""
        return str(self.document.pk)


def documents_of(file):
    """Return the documents of a lead, the newest first."""
    owners = {owner.pk: person_name(owner) for owner in file.owners}
    return [_paper(document, owners) for document in reversed(file.documents)]


def unopened_of(papers, *, by):
    """Return the papers that block approval by a user: neither opened by them nor accepted."""
    unopened = {one.pk for one in list_unopened([paper.document for paper in papers], by=[by])}
    return [paper for paper in papers if paper.document.pk in unopened]


def _paper(document, owners):
    return Paper(
        document=document,
        name=file_name(document),
        kind=document.get_llc_file_type_display() or "Kind not said",
        whose=owners.get(document.owner_id, ""),
        status=badge(document.status, document.get_status_display()),
        size=filesizeformat(document.size_bytes) if document.file else "",
        is_shown=can_be_shown(document),
        is_judged=document.status in JUDGED,
    )
