"""Sign PDF documents, so that a reader shows their issuer and whether they were changed.

EC P-256 with SHA-256, which signs faster than RSA. pyHanko is imported where it is used, because
the import is slow.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import BytesIO
from typing import TYPE_CHECKING, Any, cast

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from pyhanko.sign.signers import SimpleSigner

VALID_FOR = timedelta(days=3650)
FIELD_NAME = "BankSignature"
ROOM = 350  # bytes of a signature beside its value, the certificate and the name of the issuer
SIGNING_ONLY = {
    "digital_signature": True,
    "content_commitment": True,
    "key_encipherment": False,
    "data_encipherment": False,
    "key_agreement": False,
    "key_cert_sign": False,
    "crl_sign": False,
    "encipher_only": False,
    "decipher_only": False,
}


@dataclass(frozen=True)
class SigningIdentity:
    """The key and certificate of a signer. Shape: PEM; the key is not encrypted."""

    key_pem: bytes = field(repr=False)
    certificate_pem: bytes


def make_signing_identity(*, name: str, at: datetime) -> SigningIdentity:
    """Return a new key with a self-signed certificate of `name`, valid for ten years from `at`."""
    key = ec.generate_private_key(ec.SECP256R1())
    return SigningIdentity(
        key_pem=key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
        certificate_pem=_certificate(key, name, at).public_bytes(serialization.Encoding.PEM),
    )


def _certificate(key: ec.EllipticCurvePrivateKey, name: str, at: datetime) -> x509.Certificate:
    public, common = key.public_key(), name[:64]  # the most that a common name may have
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])
    builder = (
        x509.CertificateBuilder(subject, subject, public, x509.random_serial_number())
        .not_valid_before(at)
        .not_valid_after(at + VALID_FOR)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(**SIGNING_ONLY), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )
    return builder.sign(key, hashes.SHA256())


def sign(pdf: bytes, *, identity: SigningIdentity, reason: str, at: datetime) -> bytes:
    """Return `pdf` with an invisible signature that allows no change after it."""
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import signers
    from pyhanko.sign.fields import MDPPerm, SigSeedSubFilter

    class SignerAt(signers.PdfSigner):
        """Signs at the given time instead of the clock's."""

        def init_signing_session(self, *args: Any, **options: Any) -> Any:
            session = super().init_signing_session(*args, **options)
            session.system_time = at
            return session

    class UnchangedMetadata(IncrementalPdfFileWriter):
        """A writer that adds the signature and leaves the dates and other metadata unchanged."""

        def _update_meta(self) -> None: ...

    metadata = signers.PdfSignatureMetadata(
        field_name=FIELD_NAME,
        reason=reason,
        md_algorithm="sha256",
        certify=True,
        subfilter=SigSeedSubFilter.PADES,
        docmdp_permissions=MDPPerm.NO_CHANGES,
    )
    writer, signer = UnchangedMetadata(BytesIO(pdf)), _signer(identity)
    writer.ensure_output_version((2, 0))  # PAdES is part of it: no extension is declared
    signed = SignerAt(metadata, signer=signer).sign_pdf(writer, bytes_reserved=_room_for(identity))
    content: bytes = signed.getvalue()
    return content


def _room_for(identity: SigningIdentity) -> int:
    """Return the number of hexadecimal digits to reserve in a PDF for a signature.

    The default of pyHanko would reserve half as many again.
    """
    certificate = x509.load_pem_x509_certificate(identity.certificate_pem)
    encoded = certificate.public_bytes(serialization.Encoding.DER)
    key = cast("rsa.RSAPublicKey | ec.EllipticCurvePublicKey", certificate.public_key())
    value = key.key_size // 4  # EC has two numbers of the size of the key, RSA one
    return 2 * (value + len(encoded) + len(certificate.issuer.public_bytes()) + ROOM)


def _signer(identity: SigningIdentity) -> "SimpleSigner":
    from pyhanko.keys import load_certs_from_pemder_data, load_private_key_from_pemder_data
    from pyhanko.sign.signers import SimpleSigner
    from pyhanko_certvalidator.registry import SimpleCertificateStore

    certificate = next(iter(load_certs_from_pemder_data(identity.certificate_pem)))
    key = load_private_key_from_pemder_data(identity.key_pem, passphrase=None)
    return SimpleSigner(certificate, key, cert_registry=SimpleCertificateStore())
