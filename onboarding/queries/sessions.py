"""Reads of the sessions of applicants."""

from datetime import datetime

from django.conf import settings

from foundation.database.compiled_queries import CompiledQuery
from foundation.privacy.secret_digests import digest
from onboarding.models import FlowSession

LIVE = CompiledQuery(
    lambda key, at: (
        FlowSession.objects.live(at=at)
        .filter(digest=key)
        .select_related("application__lead__partner", "owner__invitation")
    )
)


def get_session(key: str, *, at: datetime) -> FlowSession:
    """Return the live session of the key, with its application, lead, partner and owner.

    Raises: FlowSession.DoesNotExist.
    """
    session = LIVE.first(key=digest(key), at=at)
    if session is None:
        raise FlowSession.DoesNotExist
    return session


def get_ended_session(key: str, *, at: datetime) -> FlowSession:
    """Return the session of the key if it is live or expired less than FORM_DRAFT_LIFETIME ago.

    Forms posted in it until then are kept as drafts. Raises: FlowSession.DoesNotExist, also if a
    newer attempt of the lead exists.
    """
    return get_session(key, at=at - settings.FORM_DRAFT_LIFETIME)
