"""Challenges: how a refused client learns where to get a token, and for which scopes."""

from collections.abc import Iterable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from oauth2_provider.www_authenticate import build_bearer_challenge

from mcp_server.errors import ErrorCode, ToolError, denied
from mcp_server.scopes import Scope

METADATA_PATH = "/.well-known/oauth-protected-resource/mcp"


def token_wanted(request: HttpRequest, *, problem: str = "") -> HttpResponse:
    """Refuse a call without a valid access token, with a 401 response.

    `problem` says why the token is not valid; it is empty if there is none.
    """
    message = problem or "Sign in: the call needs an access token."
    error = {"error": "invalid_token", "error_description": problem} if problem else {}
    refusal = ToolError(ErrorCode.AUTHENTICATION_REQUIRED, message)
    return _challenge(request, refusal, {**error, "scope": _in_order(Scope.values)})


def scopes_wanted(
    request: HttpRequest, wanted: Iterable[str], *, granted: Iterable[str]
) -> HttpResponse:
    """Refuse a call whose token lacks scopes, with a 403 response.

    It asks for a new token with the wanted scopes and those that were granted before.
    """
    missing = _in_order(set(wanted) - set(granted))
    error = {
        "error": "insufficient_scope",
        "error_description": f"The access token lacks {missing}.",
        "scope": _in_order({*wanted, *granted}),
    }
    return _challenge(request, denied(f"The user did not grant {missing}."), error)


def _challenge(request: HttpRequest, refusal: ToolError, error: dict[str, str]) -> HttpResponse:
    """Return a refusal with the header that says where to get a token, and for which scopes.

    Source: RFC 6750, section 3; RFC 9728, section 5.1.
    """
    response = JsonResponse(refusal.as_json(), status=refusal.code.http_status)
    response["WWW-Authenticate"] = build_bearer_challenge(
        request, error, realm="mcp", resource_metadata_url=settings.BASE_URL + METADATA_PATH
    )
    return response


def _in_order(scopes: Iterable[str]) -> str:
    known = set(scopes)
    return " ".join(scope for scope in Scope.values if scope in known)
