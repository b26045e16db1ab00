import shutil
import subprocess
from datetime import timedelta
from io import BytesIO

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from pyhanko.keys import load_certs_from_pemder_data
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext

from banking.pdf.letters import render_letter
from banking.pdf.signing import make_signing_identity, sign
from tests.banking.pdf.reading import ReadDocument
from tests.banking.pdf.samples import HEAD, MADE_AT, make_letter

with_pdfsig = pytest.mark.skipif(not shutil.which("pdfsig"), reason="poppler-utils is not here")


@pytest.fixture(scope="module")
def identity():
    return make_signing_identity(name=HEAD.name, at=MADE_AT - timedelta(days=30))


@pytest.fixture(scope="module")
def signed(identity):
    pdf = render_letter(make_letter())
    return sign(pdf, identity=identity, reason="Bank account letter", at=MADE_AT)


@pytest.fixture
def tampered(signed):
    """A signed letter with one bit turned in the drawing of its page."""
    content = bytearray(signed)
    content[signed.index(b"stream\n") + 60] ^= 1
    return bytes(content)


def validate(pdf, identity):
    """Return what pyHanko finds, trusting the identity's certificate only."""
    trusted = list(load_certs_from_pemder_data(identity.certificate_pem))
    context = ValidationContext(trust_roots=trusted, moment=MADE_AT + timedelta(days=1))
    return validate_pdf_signature(PdfFileReader(BytesIO(pdf)).embedded_signatures[0], context)


def pdfsig(pdf, folder):
    path = folder / "letter.pdf"
    path.write_bytes(pdf)
    run = subprocess.run(["pdfsig", "-nocert", path], capture_output=True, text=True, check=False)
    return run.stdout


def test_a_key_of_another_kind_signs_too(monkeypatch):
    key = rsa.generate_private_key(public_exponent=65537, key_size=3072)
    monkeypatch.setattr(ec, "generate_private_key", lambda _curve: key)
    identity = make_signing_identity(name=HEAD.name, at=MADE_AT - timedelta(days=30))

    signed = sign(render_letter(make_letter()), identity=identity, reason="Letter", at=MADE_AT)

    assert validate(signed, identity).bottom_line


def test_a_signed_letter_is_valid(signed, identity):
    status = validate(signed, identity)

    assert status.bottom_line
    assert status.coverage.name == "ENTIRE_FILE"
    assert status.signer_reported_dt == MADE_AT


def test_a_changed_letter_is_found(tampered, identity):
    status = validate(tampered, identity)

    assert not status.bottom_line
    assert not status.intact


def test_the_signature_of_somebody_else_is_not_trusted(signed):
    stranger = make_signing_identity(name=HEAD.name, at=MADE_AT - timedelta(days=30))

    assert not validate(signed, stranger).bottom_line


@with_pdfsig
def test_other_readers_find_it_valid(signed, tmp_path):
    assert "Signature is Valid." in pdfsig(signed, tmp_path)


@with_pdfsig
def test_other_readers_find_the_change(tampered, tmp_path):
    assert "Digest Mismatch." in pdfsig(tampered, tmp_path)


def test_a_signature_is_added_and_changes_nothing_before_it(signed):
    pdf = render_letter(make_letter())

    assert signed[: len(pdf)] == pdf
    assert ReadDocument(signed).rows() == ReadDocument(pdf).rows()


def test_no_change_is_allowed_after_the_signature(signed):
    permissions = PdfFileReader(BytesIO(signed)).root["/Perms"]["/DocMDP"]["/Reference"][0]

    assert permissions["/TransformParams"]["/P"] == 1


def test_an_identity_can_sign_and_nothing_else(identity):
    certificate = x509.load_pem_x509_certificate(identity.certificate_pem)
    usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value

    assert isinstance(certificate.public_key().curve, ec.SECP256R1)
    assert usage.digital_signature
    assert not usage.key_cert_sign


def test_a_bank_with_a_long_name_has_an_identity():
    identity = make_signing_identity(name="Bank " * 40, at=MADE_AT)

    assert x509.load_pem_x509_certificate(identity.certificate_pem)


def test_a_key_is_not_shown_by_accident(identity):
    assert "PRIVATE" not in repr(identity)
