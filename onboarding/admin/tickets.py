"""Tickets: a file is sent to whom just asked for it by a button, and to nobody by a link."""

from datetime import timedelta

from django.core import signing

LIFETIME = timedelta(minutes=5)
SALT = "onboarding.admin.tickets"


def issue(user, document):
    """Return a ticket that this user may fetch this file with, for a while."""
    return signing.dumps(_names(user, document), salt=SALT)


def is_good(ticket, user, document):
    """Say whether a ticket is this user's, for this document, and not too old."""
    try:
        named = signing.loads(ticket, salt=SALT, max_age=LIFETIME)
    except signing.BadSignature:
        return False
    return named == _names(user, document)


def _names(user, document):
    return [str(user.external_id), str(document.external_id)]
