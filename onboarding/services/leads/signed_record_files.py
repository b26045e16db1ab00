"""The signed record as a PDF: the record, the texts in full, and the bank's digital signature."""

from collections.abc import Sequence
from datetime import datetime
from io import BytesIO

from django.utils import translation
from django.utils.translation import gettext

from banking.pdf.bank import letterhead
from banking.pdf.blocks import Fact, draw_details, draw_heading, draw_paragraph, draw_title
from banking.pdf.pages import PdfDocument
from banking.pdf.signing import sign
from banking.services.letters import load_signing_identity
from foundation.files import PDF, Download
from onboarding import legal_texts
from onboarding.choices import LegalText
from onboarding.models import OwnerRecord, SignedRecord

LABEL_MAX, VALUE_MAX = 38, 100  # characters of a row; longer lines are paragraphs
REASON = "Record of a signed application"
AnyRecord = SignedRecord | OwnerRecord


def write_pdf(record: AnyRecord, *, at: datetime) -> Download:
    """Return the record as a PDF in the record's language, signed by the bank at the time `at`.

    Raises: ImproperlyConfigured without a signing key, in production.
    """
    with translation.override(record.content["language"]):
        content = _render(record, at)
    signed = sign(content, identity=load_signing_identity(at=at), reason=REASON, at=at)
    return Download(PDF, f"application-{record.content['reference']}.pdf", signed)


def _render(record: AnyRecord, at: datetime) -> bytes:
    target, content = BytesIO(), record.content
    is_owners = isinstance(record, OwnerRecord)
    title = gettext("Signed part of an owner") if is_owners else gettext("Signed application")
    document = PdfDocument(
        target, title=title, subject=content["reference"], head=letterhead(), made_at=at
    )
    draw_title(document, title, content["reference"])
    _draw_signature(document, record)
    for section in content["sections"]:
        _draw_lines(document, section["heading"], section["lines"])
    if content["documents"]:
        _draw_list(document, gettext("Documents"), content["documents"])
    for text in content["texts"]:
        _draw_text(document, text["text"], text["version"], text["language"], text["sha256"])
    document.finish()
    return target.getvalue()


def _draw_signature(document: PdfDocument, record: AnyRecord) -> None:
    content, signature = record.content, record.content["signature"]
    lines = [
        [gettext("Signed by"), signature["name"]],
        [gettext("Time"), signature["said_at"]],
        [gettext("Reference number"), content["reference"]],
        [gettext("Submitted through"), content["partner"]],
        [gettext("Bank"), content["bank"]],
    ]
    _draw_lines(document, gettext("Signature"), lines)
    digest = gettext("Digest of this record (SHA-256): %(digest)s") % {"digest": record.digest}
    proof = gettext(
        "Personal numbers show their last four digits. A PDF reader shows that %(bank)s signed "
        "this file and whether it was changed since."
    )
    notes = [signature["known_by"], digest, proof % {"bank": content["bank"]}]
    for note in filter(None, notes):
        draw_paragraph(document, note, size=8.5, muted=True)


def _draw_lines(document: PdfDocument, heading: str, lines: Sequence[Sequence[str]]) -> None:
    """Draw short lines as a table, and below it long lines, such as questions, as paragraphs."""
    rows = [one for one in lines if len(one[0]) <= LABEL_MAX and len(one[1]) <= VALUE_MAX]
    if rows:
        draw_details(document, heading, [Fact(label, value) for label, value in rows])
    else:
        draw_heading(document, heading)
    for label, value in lines:
        if [label, value] not in rows:
            draw_paragraph(
                document, f"{label} {value}" if label[-1] in ".?!" else f"{label}: {value}"
            )


def _draw_list(document: PdfDocument, heading: str, items: Sequence[str]) -> None:
    draw_heading(document, heading)
    for item in items:
        draw_paragraph(document, item)


def _draw_text(document: PdfDocument, text: str, version: str, language: str, sha256: str) -> None:
    """Draw a legal text in full, with its version and the digest of its file."""
    legal = legal_texts.read(LegalText(text), version, language)
    draw_heading(document, legal.title)
    edition = gettext("Version %(version)s. Digest (SHA-256): %(digest)s")
    edition %= {"version": version, "digest": sha256}
    draw_paragraph(document, edition, size=8.5, muted=True)
    for paragraph in legal.paragraphs:
        if paragraph.is_heading:
            draw_heading(document, paragraph.text, keep=30)
        else:
            draw_paragraph(document, paragraph.text)
