"""Approval requirements: the checks, hits and documents without which nobody can approve."""

from collections.abc import Iterable, Sequence

from banking.errors import StepRefused
from banking.models import User
from onboarding.choices import LlcFileType, ProposalKind
from onboarding.models import Document, Proposal
from onboarding.queries.checks import list_open_items
from onboarding.queries.decision_policy import APPROVALS
from onboarding.queries.documents import list_unopened
from onboarding.queries.leads import open_lead_file
from onboarding.queries.requirements import list_missing_documents
from onboarding.services.checks import rechecks
from onboarding.services.reviews import decisions


class ChecksOpen(StepRefused):
    """Items that staff check by hand are not ticked yet."""

    def __init__(self, labels: Iterable[str]) -> None:
        super().__init__(f"Not checked yet: {'; '.join(labels)}.")


class ChecksOutdated(StepRefused):
    """The checks are older than the newest data, or were never run."""

    message = "New data has come in since the last checks. Run the checks again."


class DocumentsMissing(StepRefused):
    """A permanent approval needs documents that are missing."""

    def __init__(self, kinds: Iterable[str]) -> None:
        labels = "; ".join(str(LlcFileType(kind).label) for kind in kinds)
        super().__init__(f"Missing: {labels}. Ask for it, or approve temporarily.")


class DocumentsUnscanned(StepRefused):
    """A permanent approval waits for the first scan of documents."""

    def __init__(self, documents: Iterable[Document]) -> None:
        names = "; ".join(map(_name, documents))
        super().__init__(f"These documents wait for the malware scan: {names}.")


class DocumentsUnopened(StepRefused):
    """A permanent approval needs documents that are not opened or accepted yet."""

    def __init__(self, documents: Iterable[Document]) -> None:
        names = "; ".join(map(_name, documents))
        super().__init__(f"Open or accept these documents before you approve: {names}.")


def require_current_checks(proposal: Proposal) -> None:
    """Refuse an approval on outdated checks. Raises: ChecksOutdated."""
    if proposal.kind in APPROVALS and rechecks.is_outdated(proposal.application):
        raise ChecksOutdated


def require_cleared_hits(proposal: Proposal) -> None:
    """Refuse an approval while screening hits are open, at any risk. Raises: HitsOpen."""
    if proposal.kind in APPROVALS:
        decisions.require_no_open_hits(proposal.application)


def require_ticks(proposal: Proposal) -> None:
    """Refuse an approval while manual checks are not ticked. Raises: ChecksOpen."""
    if proposal.kind in APPROVALS and (open_items := list_open_items(proposal.application)):
        raise ChecksOpen(str(code.label) for code in open_items)


def require_documents(proposal: Proposal) -> None:
    """Refuse a permanent approval while documents are missing or wait for their first scan.

    Raises: DocumentsMissing, DocumentsUnscanned.
    """
    if proposal.kind != ProposalKind.APPROVE:
        return
    file = open_lead_file(proposal.application)
    if missing := list_missing_documents(file.requirements):
        raise DocumentsMissing(missing)
    if unscanned := [document for document in file.documents if document.awaits_receipt]:
        raise DocumentsUnscanned(unscanned)


def require_opened(proposal: Proposal, *, by: Sequence[User]) -> None:
    """Refuse a permanent approval if a received document was opened by none of the users.

    Raises: DocumentsUnopened.
    """
    if proposal.kind != ProposalKind.APPROVE:
        return
    documents = proposal.application.lead.documents.order_by("pk")
    if unopened := list_unopened(documents, by=by):
        raise DocumentsUnopened(unopened)


def _name(document: Document) -> str:
    kind = document.get_llc_file_type_display() or "Document"
    return f"{kind} ({document.file_name})" if document.file_name else str(kind)
