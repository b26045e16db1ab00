"""Issued secrets: kept encrypted in the session until a page shows them once."""

from foundation.privacy.encryption import DecryptionError, decrypt, encrypt

ISSUED = "onboarding.issued_secret"


def keep(request, issued):
    """Encrypt the secret of an issued key, and store it in the session."""
    request.session[ISSUED] = [issued.key.access_key, encrypt(issued.secret, context=ISSUED)]


def take(request, key):
    """Remove the secret from the session; return it if it belongs to `key`, else None."""
    access_key, encrypted = request.session.pop(ISSUED, [None, ""])
    if access_key != key.access_key:
        return None
    try:
        return decrypt(encrypted, context=ISSUED)
    except DecryptionError:
        return None
