"""Bank letters: that an account exists and how money reaches it, signed by the bank."""

import os
import secrets
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from banking.choices import AccountStatus, LetterVariant
from banking.models import Account, Business
from banking.pdf.bank import intermediary, letterhead
from banking.pdf.letters import AccountLetter, render_letter
from banking.pdf.signing import SigningIdentity, make_signing_identity, sign
from banking.queries.addresses import mailing_lines
from banking.reach import EVERYTHING, Reach
from foundation.files import PDF, Download

CERTIFICATE = b"-----BEGIN CERTIFICATE-----"


def write_letter(
    business: Business, variant: LetterVariant, *, at: datetime, reach: Reach = EVERYTHING
) -> Download:
    """Return a signed letter about the primary account, as a PDF.

    Raises: Account.DoesNotExist if the business has no primary account or `reach` leaves it out;
    ImproperlyConfigured if the bank has no key to sign with.
    """
    account = Account.objects.get(reach.of_accounts("pk"), business=business, is_primary=True)
    is_from_abroad = variant is LetterVariant.WIRE_INTERNATIONAL
    letter = render_letter(
        AccountLetter(
            head=letterhead(),
            variant=variant,
            account_holder=business.legal_name,
            address_lines=mailing_lines(business.pk),
            account_name=account.name,
            account_number=account.account_number,
            status=AccountStatus(account.status).label,
            opened_date=account.opened_at.date(),
            reference=f"{account.account_number[-4:]}-{at:%Y%m%d}",
            intermediary=intermediary() if is_from_abroad else None,
            issued_at=at,
        )
    )
    signed = sign(letter, identity=load_signing_identity(at=at), reason="Account letter", at=at)
    return Download(
        PDF, f"letter-{variant.value.lower().replace('_', '-')}-{at:%Y-%m-%d}.pdf", signed
    )


def load_signing_identity(*, at: datetime) -> SigningIdentity:
    """Return the key and certificate with which the bank signs; a sandbox creates missing ones.

    Raises: ImproperlyConfigured if LETTER_SIGNING_FILE is missing in production.
    """
    file = settings.LETTER_SIGNING_FILE
    if not file.is_file():
        if not settings.IS_SANDBOX:
            raise ImproperlyConfigured(f"LETTER_SIGNING_FILE is missing: {file}")
        _make(file, at)
    key, mark, certificate = file.read_bytes().partition(CERTIFICATE)
    return SigningIdentity(key_pem=key, certificate_pem=mark + certificate)


def _make(file: Path, at: datetime) -> None:
    """Write a new key and certificate; of two writers at once the first wins."""
    identity = make_signing_identity(name=settings.BANK_NAME, at=at)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    draft.touch(mode=0o600)
    draft.write_bytes(identity.key_pem + identity.certificate_pem)
    try:
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
