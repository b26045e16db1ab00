"""Base views of the Lead API: authentication, permissions, throttling and headers."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, Final

import orjson
from django.conf import settings
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from foundation.database import replica
from foundation.throttling import rate_limits, recent_writes
from onboarding.api.authentication import ApiKeyAuthentication
from onboarding.choices import Permission
from onboarding.errors import ErrorCode, Fault, Invalid, Refused
from onboarding.models import Partner
from onboarding.services.partners import limits

NO_PARAMETER: Final = {"en": "none", "es": "ninguno"}


class PermissionMissing(Refused):
    """The access key lacks the permission of the operation."""

    code = ErrorCode.PERMISSION_DENIED


class KeyPermission(BasePermission):
    """Require the permission that the view declares for the method, or raise PermissionMissing."""

    def has_permission(self, request: Request, view: Any) -> bool:
        needed = view.permissions.get("GET" if request.method == "HEAD" else request.method)
        if needed and not request.auth.allows(needed):
            raise PermissionMissing(permission=needed.value)
        return True


class KeyThrottle(BaseThrottle):
    """Limit calls per minute and access key, and count creates against a second limit, too.

    Creates are calls with a method in `creating_methods` of the view. A partner may have limits of
    its own, in place of those of the settings. Sets `usage` and `writer` of the view.
    """

    def allow_request(self, request: Request, view: Any) -> bool:
        key = request.auth.access_key
        partner = request.user if isinstance(request.user, Partner) else None
        allowances = {f"calls:{key}": limits.limit_of(partner, "calls_per_minute")}
        if request.method in view.creating_methods:
            allowances[f"creates:{key}"] = limits.limit_of(partner, "creates_per_minute")
        view.writer = f"partner:{partner.pk}" if partner else ""
        view.usage = _spend(request, allowances, writer=view.writer)
        return True


class AddressThrottle(BaseThrottle):
    """Limit calls without an access key, per minute and network."""

    def allow_request(self, request: Request, view: Any) -> bool:
        subject = f"calls:{rate_limits.network_of(request.META['REMOTE_ADDR'])}"
        view.usage = _spend(request, {subject: settings.CALLS_PER_MINUTE})
        return True


def _spend(
    request: Request, allowances: dict[str, int], *, writer: str = ""
) -> rate_limits.Usage | None:
    """Count a call against each limit, and return the usage of the tightest limit.

    None if limits are off, or if the count of a call that only reads cannot be written: the call
    goes on. For such calls, the usage tells whether `writer` wrote a moment ago.
    Raises: RateLimited.
    """
    if request.method in SAFE_METHODS:
        return rate_limits.spend_if_writable(allowances, at=timezone.now(), writer=writer)
    return rate_limits.spend(allowances, at=timezone.now())


def from_replica(get: Callable[..., Response]) -> Callable[..., Response]:
    """Let an operation that lists rows of a partner read from a replica: a decorator.

    The primary answers a partner who wrote a moment ago, or whose calls are not counted. After an
    exception on the replica, the operation runs again on the primary, so it must only read.
    """

    @wraps(get)
    def read(view: "PartnerView", request: Request, **path: str) -> Response:
        wrote = view.usage is None or view.usage.wrote
        return replica.read(lambda: get(view, request, **path), wrote=wrote)

    return read


class OneFormat(BaseContentNegotiation):
    """Content negotiation that ignores Accept: success is always JSON, only errors can be XML."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class OrjsonRenderer(BaseRenderer):
    """Render JSON in UTF-8 with orjson, which takes less CPU time than the standard library."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, media_type: Any = None, context: Any = None) -> bytes:
        return b"" if data is None else orjson.dumps(data)


def refuse_unknown_parameters(request: Request, *, known: list[str]) -> None:
    """Refuse query parameters that the operation does not declare.

    Raises: Invalid, with each unknown name. A misspelled filter would list every row.
    """
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        params = {"known": ", ".join(known) or NO_PARAMETER}
        raise Invalid([Fault(ErrorCode.UNKNOWN_PARAMETER, (name,), params) for name in unknown])


class ApiView(APIView):
    """Base of all operations: rate-limited, JSON responses, no authentication.

    A method accepts only the query parameters that `schema.operation` declares for it.
    Set `is_cacheable` only if successful responses contain no data of a partner.
    """

    renderer_classes = [OrjsonRenderer]
    parser_classes = [JSONParser]  # for the OpenAPI document only; `parsers.read_body` reads bodies
    content_negotiation_class = OneFormat
    http_method_names = ["get", "head", "put", "post", "delete"]
    prefers_xml = False
    is_cacheable = False
    throttle_classes = [AddressThrottle]
    usage: rate_limits.Usage | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in self.allowed_methods:
            refuse_unknown_parameters(request, known=self.query_parameters)
            self.prepare(request, **kwargs)

    def prepare(self, request: Request, **path: str) -> None:
        """Do nothing. Views override it to read the values that all their methods share.

        It is called before the body is read, and may raise to refuse the call.
        """

    @property
    def query_parameters(self) -> list[str]:
        """Return the query parameters that the called operation declares."""
        handler = getattr(self, (self.request.method or "").lower())
        return getattr(handler, "query_parameters", [])

    def check_permissions(self, request: Request) -> None:
        """Count the call before checking permissions, so that refused calls count as well."""
        super().check_throttles(request)
        super().check_permissions(request)

    def check_throttles(self, request: Request) -> None:
        """Do nothing: `check_permissions` has counted the call."""

    def handle_exception(self, exc: Exception) -> HttpResponseBase:
        self.usage = getattr(exc, "usage", None) or self.usage
        response = super().handle_exception(exc)
        if response.status_code == HTTPStatus.TOO_MANY_REQUESTS and self.usage:
            response["Retry-After"] = str(self.usage.reset_seconds)
        return response

    def finalize_response(
        self, request: Request, response: HttpResponseBase, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        response = super().finalize_response(request, response, *args, **kwargs)
        if not self.is_cacheable or response.status_code >= HTTPStatus.BAD_REQUEST:
            response["Cache-Control"] = "no-store"
        if self.usage:
            response["RateLimit-Limit"] = str(self.usage.limit)
            response["RateLimit-Remaining"] = str(self.usage.remaining)
            response["RateLimit-Reset"] = str(self.usage.reset_seconds)
        return response


class KeyedView(ApiView):
    """Base of operations that need an access key of a partner or of a system of the bank."""

    throttle_classes = [KeyThrottle]
    creating_methods: frozenset[str] = frozenset()

    def perform_authentication(self, request: Request) -> None:
        """Authenticate the caller. A refused call counts against the limit of the caller's network.

        It is not counted here if the refusal has counted it already, as wrong credentials do.
        """
        try:
            super().perform_authentication(request)
        except Refused as refused:
            if getattr(refused, "usage", None) is None:
                AddressThrottle().allow_request(request, self)
            raise


class PartnerView(KeyedView):
    """Base of operations that need an access key of a partner.

    `permissions` maps an HTTP method to the permission that the key needs. A method that is not in
    it needs none.
    """

    authentication_classes = [ApiKeyAuthentication]
    permission_classes = [KeyPermission]
    permissions: dict[str, Permission] = {}
    writer = ""  # the name of the partner for `recent_writes`, once the call is counted

    def finalize_response(
        self, request: Request, response: HttpResponseBase, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        is_refused = 400 <= response.status_code < 500
        if self.writer and request.method not in SAFE_METHODS and not is_refused:
            recent_writes.note(self.writer, at=timezone.now())
        return super().finalize_response(request, response, *args, **kwargs)

    def complete_replay(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Return the body that repeats a response for its Idempotency-Key: here, the stored body.

        Views override it to add the values that are never stored, such as tokens.
        """
        return stored
