"""Answer 503 to OAuth clients while the database does not respond."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, JsonResponse

DATABASE_AWAY = (OperationalError, InterfaceError)
RETRY_SECONDS = 5
View = Callable[..., Any]
logger = logging.getLogger(__name__)


def unavailable_without_database(view: View) -> View:
    """Make a view of OAuth answer 503 while the database is not available; a decorator."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        try:
            return view(request, *args, **kwargs)
        except DATABASE_AWAY:
            logger.exception("the database is not available")
            return try_again(RETRY_SECONDS)

    return answer


def try_again(seconds: int) -> JsonResponse:
    """Return a 503 response that asks the client to repeat the request after some seconds.

    Source: RFC 6749, section 4.1.2.1.
    """
    body = {"error": "temporarily_unavailable", "error_description": "Try again."}
    headers = {"Cache-Control": "no-store", "Retry-After": str(seconds)}
    return JsonResponse(body, status=503, headers=headers)
