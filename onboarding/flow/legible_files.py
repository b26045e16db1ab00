"""Legible files: messages about files of identity documents that nobody can read, or not well."""

from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from onboarding.choices import DocumentDoubt
from onboarding.flow.files import SentFile
from onboarding.lazy_texts import StrOrPromise
from onboarding.legibility import Fault, judge
from onboarding.queries.identity_proofs import IDENTITY_PROOFS
from onboarding.services.documents.intake import SentDocument

FAULTS: dict[Fault, StrOrPromise] = {
    Fault.FORMAT: _(
        "“%(name)s” was not kept: we can read PDF, JPEG and PNG files only. Take a photo with your "
        "phone's camera and send that."
    ),
    Fault.DAMAGED: _(
        "“%(name)s” was not kept: the file is damaged or incomplete. Take a new photo, or save the "
        "file again."
    ),
    Fault.SMALL: _(
        "“%(name)s” was not kept: the picture is too small to read. Send the photo itself, not a "
        "preview of it."
    ),
    Fault.BLANK: _(
        "“%(name)s” was not kept: nothing can be seen in the picture. Put the document in good "
        "light and take a new photo."
    ),
    Fault.NO_PAGES: _("“%(name)s” was not kept: the PDF has no pages."),
    Fault.BLANK_PAGES: _("“%(name)s” was not kept: the pages of the PDF are blank."),
}
DOUBTS: dict[str, StrOrPromise] = {
    DocumentDoubt.BLURRED: _("“%(name)s” looks blurred."),
    DocumentDoubt.DARK: _("“%(name)s” looks too dark."),
    DocumentDoubt.SMALL: _("“%(name)s” looks too small to read the fine print."),
    DocumentDoubt.NARROW: _("“%(name)s” seems to show only part of the document."),
}
BETTER = _("Send a better picture, or confirm that everything is readable.")


class Illegible(Exception):
    """A file on which nothing can be read; `text` is for its sender."""

    def __init__(self, text: StrOrPromise) -> None:
        self.text = text
        super().__init__(str(text))


def inspect(file: SentFile, kind: str, side: str = "") -> SentDocument:
    """Return a sent file as a document; a proof of identity that is hard to read gets a doubt.

    Call this outside of transactions. Raises: Illegible, if nothing can be read on a proof of
    identity.
    """
    document = file.inspect(kind, side)
    if kind not in IDENTITY_PROOFS or document.doubt:
        return document
    with document.upload.as_file() as content:
        verdict = judge(content.read(), document.detected_type)
    if verdict.fault:
        raise Illegible(FAULTS[verdict.fault] % {"name": file.name})
    return replace(document, legibility_doubt=verdict.doubt or "")
