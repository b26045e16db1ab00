"""Registration: clients introduce themselves before they ask for access."""

import json
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from oauth2_provider import views as toolkit
from oauth2_provider.models import Application

from foundation.throttling import rate_limits
from mcp_server.oauth import clients, redirects
from mcp_server.oauth.cors import cross_origin
from mcp_server.oauth.unavailable import unavailable_without_database
from mcp_server.services import connections

MAX_BYTES = 16 * 1024


class RegistrationRefused(Exception):
    """A client's metadata cannot be registered; `error` is the code for it from RFC 7591."""

    def __init__(self, error: str, reason: str) -> None:
        self.error = error
        super().__init__(reason)


@method_decorator(cross_origin("POST"), name="dispatch")
@method_decorator(unavailable_without_database, name="dispatch")
class RegisterView(toolkit.DynamicClientRegistrationView):
    """Register a client without authentication, limited per address. Source: RFC 7591."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            clients.spend_registration(rate_limits.network_of(request.META["REMOTE_ADDR"]))
        except rate_limits.RateLimited as exc:
            return _too_many(exc)
        try:
            metadata = read_metadata(request)
        except RegistrationRefused as exc:
            return _refusal(exc)
        request.user = AnonymousUser()  # a client belongs to nobody, even if a user is signed in
        return _completed(super().post(request, *args, **kwargs), metadata)


@method_decorator(cross_origin("GET", "PUT", "DELETE"), name="dispatch")
@method_decorator(unavailable_without_database, name="dispatch")
class RegistrationView(toolkit.DynamicClientRegistrationManagementView):
    """Let a client look at its registration, replace it, or delete it, which ends its connections.

    Source: RFC 7592.
    """

    def get(self, request: HttpRequest, client_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        return _completed(super().get(request, client_id, *args, **kwargs), {})

    def put(self, request: HttpRequest, client_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            metadata = read_metadata(request)
        except RegistrationRefused as exc:
            return _refusal(exc)
        return _completed(super().put(request, client_id, *args, **kwargs), metadata)

    def delete(
        self, request: HttpRequest, client_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        shown = super().get(request, client_id, *args, **kwargs)  # checks the client's own token
        if shown.status_code != 200:
            return shown
        application = Application.objects.get(client_id=client_id)
        connections.remove_client(application, at=timezone.now())
        return HttpResponse(status=204)


def read_metadata(request: HttpRequest) -> dict[str, Any]:
    """Return the metadata of a client, reduced to the members that the toolkit may see.

    Replaces the body of the request by them. Grants that we do not offer are left out, as RFC 7591
    allows: some clients name every grant that they know. Raises: RegistrationRefused.
    """
    try:
        sent = json.loads(_text(request))
    except (ValueError, RecursionError) as exc:
        raise _invalid("the body must be a JSON object") from exc
    if not isinstance(sent, dict):
        raise _invalid("the body must be a JSON object")
    name = sent.get("client_name") or ""
    if not isinstance(name, str):
        raise _invalid("client_name must be a text")
    uris, grants = sent.get("redirect_uris"), clients.offered(sent.get("grant_types"))
    if not isinstance(uris, list):
        raise _invalid("redirect_uris must be a list")
    try:
        redirects.check(uris)
    except redirects.RedirectRefused as exc:
        raise RegistrationRefused("invalid_redirect_uri", str(exc)) from exc
    if not isinstance(grants, list) or "authorization_code" not in grants:
        raise _invalid("grant_types must hold authorization_code")
    if "code" not in _strings(sent.get("response_types") or ["code"]):
        raise _invalid("response_types must hold code")
    method = sent.get("token_endpoint_auth_method") or "client_secret_basic"
    metadata = {
        "client_name": clients.clean_name(name),
        "redirect_uris": uris,
        "grant_types": grants,
        "token_endpoint_auth_method": method,
    }
    request._body = json.dumps(metadata).encode()  # noqa: SLF001 - what the toolkit reads
    return metadata


def _text(request: HttpRequest) -> str:
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BYTES:
        raise _invalid(f"the body must not exceed {MAX_BYTES} bytes")
    return request.body.decode()


def _strings(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _completed(response: HttpResponse, metadata: dict[str, Any]) -> HttpResponse:
    """Return the toolkit's response with the members of RFC 7591, section 3.2.1."""
    response["Cache-Control"] = "no-store"
    if response.status_code not in {200, 201}:
        return response
    answer = json.loads(response.content)
    application = Application.objects.get(client_id=answer["client_id"])
    path = reverse("oauth2_provider:dcr-register-management", args=[application.client_id])
    answer |= {
        "client_id_issued_at": int(application.created.timestamp()),
        "registration_client_uri": settings.BASE_URL + path,
        "response_types": ["code"],
    }
    if "client_secret" in answer:
        answer["client_secret_expires_at"] = 0
    if "token_endpoint_auth_method" in metadata:
        answer["token_endpoint_auth_method"] = metadata["token_endpoint_auth_method"]
    response.content = json.dumps(answer)
    return response


def _invalid(reason: str) -> RegistrationRefused:
    return RegistrationRefused("invalid_client_metadata", reason)


def _refusal(refused: RegistrationRefused) -> HttpResponse:
    body = {"error": refused.error, "error_description": str(refused)}
    return JsonResponse(body, status=400, headers={"Cache-Control": "no-store"})


def _too_many(refused: rate_limits.RateLimited) -> HttpResponse:
    reason = "Too many clients were registered from this address; try again later."
    return JsonResponse(
        {"error": "too_many_requests", "error_description": reason},
        status=429,
        headers={"Retry-After": str(refused.usage.reset_seconds), "Cache-Control": "no-store"},
    )
