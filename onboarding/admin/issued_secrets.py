"""Issued secrets: held in the session, sealed, until the next page has shown them."""

from foundation.privacy.encryption import DecryptionError, decrypt, encrypt

ISSUED = "onboarding.issued_secret"


def keep(request, issued):
    """Hold the secret for one view."""
    request.session[ISSUED] = [issued.key.pk, encrypt(issued.secret, context=ISSUED)]


def take(request, key):
    """Return the secret of `key` out of the session, where it is no longer; None without one."""
    pk, sealed = request.session.pop(ISSUED, [None, ""])
    if pk != key.pk:
        return None
    try:
        return decrypt(sealed, context=ISSUED)
    except DecryptionError:
        return None
