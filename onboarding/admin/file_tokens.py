"""Short-lived signed tokens for one user and one file, so that links are not shared."""

from datetime import timedelta

from django.core import signing

LIFETIME = timedelta(minutes=5)
READING = timedelta(minutes=30)  # to the next page
SALT = "onboarding.admin.file_tokens"


def issue(user, document):
    """Return a signed token for this user and document; `is_good` says how long it is valid."""
    return signing.dumps(_names(user, document), salt=SALT)


def is_good(token, user, document, *, lifetime=None):
    """Return whether a token of this user and document is no older than `lifetime`.

    The default is LIFETIME.
    """
    try:
        named = signing.loads(token, salt=SALT, max_age=lifetime or LIFETIME)
    except signing.BadSignature:
        return False
    return named == _names(user, document)


def _names(user, document):
    return [str(user.external_id), str(document.external_id)]
