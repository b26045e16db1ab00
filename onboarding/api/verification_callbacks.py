"""Callbacks: results that verification providers send, signed, to a URL of their own."""

from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from foundation.throttling import rate_limits
from foundation.verification.interface import Unusable, WrongSignature
from onboarding.services.verification import results

MAX_BYTES = 64 * 1024


@csrf_exempt
@require_POST
def receive(request: HttpRequest, provider: str) -> JsonResponse:
    """Save the result that a provider sends in a signed callback, and respond with 202.

    Unknown request ids, late and repeated callbacks get the same response. Calls are limited per
    network (429). Refuses a wrong signature or an unknown provider (401), an unusable body (400),
    and a body of more than MAX_BYTES (413).
    """
    caller = rate_limits.network_of(request.META["REMOTE_ADDR"])
    at = timezone.now()
    try:
        rate_limits.spend({f"callbacks:{caller}": settings.CALLS_PER_MINUTE}, at=at)
    except rate_limits.RateLimited as refused:
        answer = _refuse(HTTPStatus.TOO_MANY_REQUESTS, "Too many callbacks.")
        answer["Retry-After"] = str(refused.usage.reset_seconds)
        return answer
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BYTES:
        return _refuse(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A callback has at most {MAX_BYTES:,} bytes."
        )
    headers = {name.lower(): value for name, value in request.headers.items()}
    content = request.read(MAX_BYTES + 1)
    try:
        results.receive_callback(provider, headers, content, at=at)
    except WrongSignature:
        return _refuse(HTTPStatus.UNAUTHORIZED, "The signature is wrong, or too old.")
    except Unusable as exc:
        return _refuse(HTTPStatus.BAD_REQUEST, f"The callback cannot be used: {exc}.")
    return JsonResponse({"received": True}, status=HTTPStatus.ACCEPTED)


def _refuse(status: HTTPStatus, message: str) -> JsonResponse:
    return JsonResponse({"message": message}, status=status)
