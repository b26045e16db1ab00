"""The context of the base template, and the user of pages behind a sign-in."""

from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest

from banking.models import User


def base_context(_request: HttpRequest) -> dict[str, Any]:
    """Return the variables of every template; a context processor."""
    return {"bank_name": settings.BANK_NAME, "is_outbound": settings.OUTBOUND}


def signed_in(request: HttpRequest) -> User:
    """Return the user of a request that a check has already let through."""
    return cast("User", request.user)
