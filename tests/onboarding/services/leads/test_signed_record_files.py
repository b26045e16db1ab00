"""The signed record as a PDF: what it says, and that a reader can verify it."""

from datetime import timedelta
from io import BytesIO

import pytest
from pyhanko.keys import load_certs_from_pemder_data
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext
from pypdf import PdfReader

from banking.services import letters
from onboarding.services.leads import signed_record_files, signed_records
from tests.factories import later
from tests.onboarding.services.leads.test_submissions import make_complete, submit

AT = later(days=1)
QUESTION = "Where does the money come from that you will pay in during the first three months? " * 2


@pytest.fixture(autouse=True)
def key_file(settings, tmp_path):
    settings.LETTER_SIGNING_FILE = tmp_path / "letter.pem"


@pytest.fixture
def write(db):
    """Return a function that signs an application and returns its record with the PDF."""

    def make(language="en", **values):
        application = make_complete(**values)
        submit(application, language=language)
        record = signed_records.get_record(application)
        return record, signed_record_files.write_pdf(record, at=AT)

    return make


def text_of(download):
    pages = PdfReader(BytesIO(download.content)).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())


def test_the_file_says_what_was_signed_with_the_texts_in_full(write):
    record, download = write()

    text = text_of(download)
    reference = record.application.reference
    assert download.file_name == f"application-{reference}.pdf"
    for said in (
        "Signed application",
        "José Núñez-Ortega",
        reference,
        "March 2, 2026 at 7:05 AM EST",
        "Analytical Engines LLC",
        "ending in 6789",
        record.digest,
        *(one["title"] for one in record.content["texts"]),
    ):
        assert said in text
    assert all(one["sha256"] in text for one in record.content["texts"])
    assert "123456789" not in text


def test_the_banks_signature_is_valid(write):
    _record, download = write()

    identity = letters.load_signing_identity(at=AT)
    trusted = list(load_certs_from_pemder_data(identity.certificate_pem))
    context = ValidationContext(trust_roots=trusted, moment=AT + timedelta(days=1))
    signature = PdfFileReader(BytesIO(download.content)).embedded_signatures[0]
    assert validate_pdf_signature(signature, context).bottom_line


def test_a_long_question_and_its_answer_are_not_cut(write):
    answered = {"question": QUESTION.strip(), "answer": "From savings. " * 15 + "All of it."}
    _record, download = write(edd_answers=[answered])

    text = text_of(download)
    assert QUESTION.strip() in text
    assert "All of it." in text


def test_the_file_is_in_the_language_of_the_signature(write):
    _record, download = write("es")

    assert "Solicitud firmada" in text_of(download)
    assert "terminado en 6789" in text_of(download) or "termina en 6789" in text_of(download)
