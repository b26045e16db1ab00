"""Reads of the sessions of applicants."""

from datetime import datetime

from django.conf import settings

from foundation.privacy.secret_digests import digest
from onboarding.models import FlowSession
from onboarding.models.sessions import FlowSessionQuerySet


def get_session(key: str, *, at: datetime) -> FlowSession:
    """Return the live session of the key, with its application, lead, partner and owner.

    Raises: FlowSession.DoesNotExist.
    """
    return _with_rows(FlowSession.objects.live(at=at)).get(digest=digest(key))


def get_ended_session(key: str, *, at: datetime) -> FlowSession:
    """Return the session of the key while forms posted in it can still be kept as drafts.

    Raises: FlowSession.DoesNotExist.
    """
    known = FlowSession.objects.live(at=at - settings.FORM_DRAFT_LIFETIME)
    return _with_rows(known).get(digest=digest(key))


def _with_rows(sessions: FlowSessionQuerySet) -> FlowSessionQuerySet:
    return sessions.select_related("application__lead__partner", "owner__invitation")
