"""The token endpoint and the revocation endpoint."""

import logging
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.db import DatabaseError, InterfaceError, transaction
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.decorators import method_decorator
from oauth2_provider import views as toolkit
from oauthlib.oauth2.rfc6749.errors import (
    InvalidRequestError,
    OAuth2Error,
    UnsupportedGrantTypeError,
)

from mcp_server.oauth import codes
from mcp_server.oauth.cors import cross_origin
from mcp_server.oauth.unavailable import try_again, unavailable_without_database

log = logging.getLogger(__name__)


@method_decorator(cross_origin("POST"), name="dispatch")
@method_decorator(unavailable_without_database, name="dispatch")
class TokenView(toolkit.TokenView):
    """Exchange a code or a refresh token for tokens, in one transaction."""

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        offered = settings.OAUTH2_PROVIDER["OAUTH2_GRANT_TYPES_SUPPORTED"]
        if problem := malformed(request):
            return refusal(problem)
        if request.POST.get("grant_type") not in offered:
            return refusal(UnsupportedGrantTypeError())
        code = request.POST.get("code")
        if code and request.POST["grant_type"] == "authorization_code":
            request.META[codes.ARRIVED_UNSPENT] = codes.is_unspent(code)
        return answer(self.authorization_flow_token_response, request)


@method_decorator(cross_origin("POST"), name="dispatch")
@method_decorator(unavailable_without_database, name="dispatch")
class RevokeView(toolkit.RevokeTokenView):
    """Revoke a token that its client no longer wants, in one transaction. Source: RFC 7009."""

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if problem := malformed(request):
            return refusal(problem)
        return answer(super().post, request)


def malformed(request: HttpRequest) -> OAuth2Error | None:
    """Return the error of a request with a query string, an unreadable body or a null character.

    Returns None if the toolkit can read the request.
    """
    if request.META.get("QUERY_STRING"):
        return InvalidRequestError("Parameters belong into the body.")
    try:
        fields = list(request.POST.lists())
    except (SuspiciousOperation, MultiPartParserError):  # too long, too many, or no form at all
        return InvalidRequestError("The body cannot be read.")
    values = (value for field in fields for value in (field[0], *field[1]))
    if "\0" in "".join(values):
        return InvalidRequestError("A parameter holds a null character.")
    return None


def refusal(error: OAuth2Error) -> HttpResponse:
    """Return an error as RFC 6749, section 5.2, writes it."""
    headers = {"Cache-Control": "no-store", "Content-Type": "application/json", **error.headers}
    return HttpResponse(error.json, status=error.status_code, headers=headers)


def answer(respond: Callable[[HttpRequest], HttpResponse], request: HttpRequest) -> HttpResponse:
    """Respond in one transaction. If the database fails, ask the client to retry."""
    try:
        with transaction.atomic():
            response = respond(request)
    except (DatabaseError, InterfaceError):
        log.exception("the token endpoint failed")
        return try_again(1)
    response["Content-Type"] = "application/json"
    response["Cache-Control"] = "no-store"
    return response
