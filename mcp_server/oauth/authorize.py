"""The authorization endpoint: ask the user, and send the answer where the client may read it."""

import re
from copy import copy
from typing import Any, cast
from urllib.parse import urlencode

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.generic.base import TemplateResponseMixin
from oauth2_provider.cimd import is_cimd_client_id
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.models import Application
from oauth2_provider.views.base import BaseAuthorizationView
from oauthlib.common import add_params_to_uri
from oauthlib.oauth2.rfc6749.errors import (
    AccessDeniedError,
    InvalidClientIdError,
    InvalidRedirectURIError,
    InvalidRequestError,
    InvalidScopeError,
    MismatchingRedirectURIError,
    MissingClientIdError,
    OAuth2Error,
)

from banking.models import BusinessOwner, User
from mcp_server.models import Connection
from mcp_server.oauth import clients, redirects, resources
from mcp_server.oauth.consent import Asked, ConsentForm, narrowed
from mcp_server.oauth.limits_form import LimitsForm
from mcp_server.oauth.validator import foreign_resource
from mcp_server.scopes import Scope
from mcp_server.services import connections, second_factor

S256_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
DOCUMENT_ADDRESS = re.compile(r"https://(?P<host>[a-z0-9.-]{1,253})/", re.IGNORECASE)
NO_OPENID = {"nonce": "", "claims": {}}  # the toolkit would store what the query says


@method_decorator(never_cache, name="dispatch")
class AuthorizeView(TemplateResponseMixin, BaseAuthorizationView):
    """Ask the signed-in user for consent to each request of an assistant.

    Staff are refused, and users who lack a required second factor are sent to set it up. The
    request is in the address alone: the form adds the answer, and the whole request is checked
    again with it, so that there is nothing to tamper with.
    """

    template_name = "oauth2_provider/authorize.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._attempt(request)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._attempt(request)

    def _attempt(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_staff:
            reason = _(
                "Staff accounts have no business data. To connect an assistant, sign in as a "
                "customer."
            )
            return self._refusal(reason, status=403)
        try:
            asked = self._asked(request)
            form = ConsentForm(request.POST or None, asked=asked.scopes)
            limits = _limits_form(request, asked)
            if request.method == "POST" and request.POST.get("allow") != "Allow":
                raise _refused(AccessDeniedError, asked.redirect_uri, asked.state)
            if second_factor.is_missing_for_assistants(cast("User", request.user)):
                after = urlencode({"next": request.get_full_path()})
                return HttpResponseRedirect(f"{reverse('second_factor')}?{after}")
            if not (form.is_valid() & limits.is_valid()):
                return self._page(request, asked, form, limits)
            _save_limits(request, asked, form, limits)
            return self._grant(request, asked, form.granted())
        except OAuthToolkitError as error:
            return self.error_response(error, None)

    def handle_no_permission(self) -> HttpResponse:
        """Redirect to the sign-in, but answer an invalid request with its error before.

        After the sign-in is too late: browsers do not let the sign-in form lead to the client. The
        request of a client with a metadata document is not checked: documents are fetched for
        signed-in users only.
        """
        if not is_cimd_client_id(self.request.GET.get("client_id", "")):  # fetched for users only
            try:
                self._validate(self.request)
            except OAuthToolkitError as error:
                return self.error_response(error, None)
        return super().handle_no_permission()

    def _asked(self, request: HttpRequest) -> Asked:
        """Return the validated request for access. Raises: OAuthToolkitError."""
        names, credentials = self._validate(request)
        redirect_uri, state = credentials["redirect_uri"], credentials["state"]
        scopes = narrowed(names, cast("User", request.user))
        if not scopes:
            raise _refused(InvalidScopeError, redirect_uri, state, "Nothing the user has.")
        application = Application.objects.get(client_id=credentials["client_id"])
        return Asked(application, redirect_uri, state, scopes, credentials)

    def _validate(self, request: HttpRequest) -> tuple[list[str], dict[str, Any]]:
        """Check the request in the address; return its scopes, and its values for the toolkit.

        Raises: OAuthToolkitError.
        """
        clients.document_fault.set("")  # the thread may have answered another request
        if "%00" in request.META.get("QUERY_STRING", ""):
            raise FatalClientError(InvalidRequestError("A parameter holds a null character."))
        question = copy(request)
        question.method, question.POST = "GET", QueryDict()
        try:
            names, found = self.validate_authorization_request(question)
        except ValueError as exc:  # a broken escape in the query
            raise FatalClientError(InvalidRequestError("The query is malformed.")) from exc
        redirect_uri, state = found["redirect_uri"], found.get("state")
        if not all(map(resources.is_ours, request.GET.getlist("resource"))):
            raise OAuthToolkitError(foreign_resource(state=state), redirect_uri=redirect_uri)
        challenge, method = found.get("code_challenge"), found.get("code_challenge_method")
        if method != "S256" or not S256_CHALLENGE.fullmatch(challenge):
            raise _refused(InvalidRequestError, redirect_uri, state, "PKCE with S256 is required.")
        return names, {
            "client_id": found["client_id"],
            "redirect_uri": redirect_uri,
            "response_type": found["response_type"],
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": method,
            "resource": [settings.MCP_URL],
            **NO_OPENID,
        }

    def _page(
        self, request: HttpRequest, asked: Asked, form: ConsentForm, limits: LimitsForm
    ) -> HttpResponse:
        user = cast("User", request.user)
        owner = BusinessOwner.objects.select_related("business").filter(user=user).first()
        page = self.render_to_response(
            {
                "client": clients.identify(asked.application, asked.redirect_uri),
                "form": form,
                "limits": limits,
                "client_businesses": [
                    name for _key, name in limits.offered if limits.is_of_clients
                ],
                "business_name": owner.business.legal_name if owner else "",
                "is_partner": owner is not None and not owner.has_full_access,
                "user": user,
            },
            status=400 if form.errors or limits.errors else 200,
        )
        leads_to = {"form-action": [redirects.csp_source(asked.redirect_uri)]}
        return cast("HttpResponse", csp_update(leads_to)(lambda _request: page)(request))

    def _grant(self, request: HttpRequest, asked: Asked, scopes: list[str]) -> HttpResponse:
        uri, _headers, _body, _status = self.create_authorization_response(
            request, scopes=" ".join(scopes), credentials=dict(asked.credentials), allow=True
        )
        return self.redirect(uri, asked.application)

    def error_response(
        self, error: OAuthToolkitError, application: Application | None, **kwargs: Any
    ) -> HttpResponse:
        """Redirect to the client with the error and the issuer, or else show the error.

        Anybody can register a client, so a link to this server must not redirect to any address of
        that client: a page names the address, and the user may follow it. A decision of the user is
        always sent to the client.
        Source: RFC 9207; RFC 9700, section 4.11.2.
        """
        refused = error.oauthlib_error
        reason, uri = refused.description or refused.error, refused.redirect_uri
        if isinstance(error, FatalClientError) or not uri:
            client_id = self.request.GET.get("client_id", "")
            explained = _explained(refused, client_id)
            if isinstance(refused, InvalidClientIdError) and DOCUMENT_ADDRESS.match(client_id):
                fault = clients.document_fault.get()  # empty if it was fetched a moment ago
                return self._refusal(explained, status=400, fault=fault)
            return self._refusal(explained, status=400, detail=reason)
        issuer = settings.OAUTH2_PROVIDER["OIDC_ISS_ENDPOINT"]
        answer = add_params_to_uri(uri, [*refused.twotuples, ("iss", issuer)])
        if isinstance(refused, AccessDeniedError) or clients.is_trusted(uri):
            return self.redirect(answer, application)
        host = redirects.host_of(uri)
        return self._refusal(
            _explained(refused, ""), status=400, detail=reason, answer_url=answer, answer_host=host
        )

    def _refusal(self, reason: str, *, status: int, **context: str) -> HttpResponse:
        return self.render_to_response({"error": reason, **context}, status=status)


def _limits_form(request: HttpRequest, asked: Asked) -> LimitsForm:
    """Return the form of limits, initially with those of an earlier connection of the client."""
    user = cast("User", request.user)
    connection = Connection.objects.filter(user=user, application=asked.application).first()
    return LimitsForm(request.POST or None, user=user, connection=connection)


def _save_limits(request: HttpRequest, asked: Asked, form: ConsentForm, limits: LimitsForm) -> None:
    """Save the limits before the client gets its code, so that every token has the limits."""
    shows_numbers = Scope.ACCOUNT_NUMBERS.value in form.granted()
    connections.limit_at_consent(
        cast("User", request.user),
        asked.application,
        limits.limits(shows_numbers=shows_numbers),
        at=timezone.now(),
    )


def _refused(
    kind: type[OAuth2Error], redirect_uri: str, state: str | None, reason: str | None = None
) -> OAuthToolkitError:
    return OAuthToolkitError(kind(reason, state=state), redirect_uri=redirect_uri)


def _explained(refused: OAuth2Error, client_id: str) -> str:
    """Return the text for the user that says why a request for access was refused."""
    document = DOCUMENT_ADDRESS.match(client_id)
    if isinstance(refused, InvalidClientIdError) and document:
        return _unread_document(document["host"])
    if isinstance(refused, InvalidClientIdError | MissingClientIdError):
        return _(
            "We do not recognize this assistant. In the assistant, remove the connection to "
            "this bank, then add it again."
        )
    if isinstance(refused, MismatchingRedirectURIError | InvalidRedirectURIError):
        return _(
            "The assistant asked us to send you back to an address that it has not registered."
        )
    return _("The assistant sent a request that we cannot accept.")


def _unread_document(host: str) -> str:
    """Return the reason why a client's metadata document was not read, and the user's next step."""
    if settings.CLIENT_DOCUMENTS == "off":
        return _(
            "We cannot look up assistants at %(host)s. In the assistant, remove the "
            "connection to this bank, then add it again. The assistant will then register "
            "with us directly."
        ) % {"host": host}
    return _(
        "We could not load the details of this assistant from %(host)s. Try again in a "
        "minute. If the problem continues, call us and tell us that we cannot load the "
        "assistant's details from %(host)s."
    ) % {"host": host}
