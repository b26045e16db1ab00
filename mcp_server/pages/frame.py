"""The frame around every page."""

from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest

from banking.models import User


def frame(_request: HttpRequest) -> dict[str, Any]:
    """Return what every template may show; a context processor."""
    return {"bank_name": settings.BANK_NAME, "is_outbound": settings.OUTBOUND}


def signed_in(request: HttpRequest) -> User:
    """Return who is signed in, behind a check that somebody is."""
    return cast("User", request.user)
