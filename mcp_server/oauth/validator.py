"""The toolkit's rules for tokens and clients, extended."""

import hashlib
from typing import Any

from django.conf import settings
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.common import Request
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error, InvalidGrantError

from banking.models import User
from mcp_server.oauth import clients, codes, redirects, resources
from mcp_server.services import connections


class Validator(OAuth2Validator):
    """Decides about clients, codes and tokens.

    The token endpoint wraps each request in a transaction, so the locks taken here hold until the
    answer stands: of ten that present one code at once, one gets tokens and nine an
    `invalid_grant`. A request that arrives after the answer is a replay and revokes the tokens.
    """

    def _load_application(self, client_id: str, request: Request) -> Application | None:
        """Return a client; None for an id with a null character, which PostgreSQL refuses."""
        if client_id and "\0" in client_id:
            return None
        return super()._load_application(client_id, request)

    def validate_redirect_uri(
        self, client_id: str, redirect_uri: str, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """Return whether a redirect address is allowed, and `is_same` as a registered address."""
        registered = request.client.redirect_uris.split()
        return redirects.is_allowed(redirect_uri) and any(
            redirects.is_same(redirect_uri, uri) for uri in registered
        )

    def confirm_redirect_uri(
        self,
        client_id: str,
        code: str,
        redirect_uri: str,
        client: Application,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Return whether an exchange names the redirect address of its code.

        If the client named none, `validate_code` has filled it in.
        """
        return bool(redirect_uri == request.answered_at)

    def validate_code(
        self,
        client_id: str,
        code: str,
        client: Application,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        locked = Grant.objects.select_for_update(of=("self",)).filter(code=code)
        grant = locked.filter(application=client).first()
        if grant is None:
            if not request.headers.get(codes.ARRIVED_UNSPENT):
                codes.revoke_tokens(code, client, at=timezone.now())
            return False
        request.answered_at = grant.redirect_uri
        # OAuth 2.1 drops the parameter, because PKCE ties the exchange to the request
        request.redirect_uri = request.redirect_uri or grant.redirect_uri
        is_good = super().validate_code(client_id, code, client, request, *args, **kwargs)
        return is_good and may_connect(request.user)

    def _create_refresh_token(
        self, request: Request, value: str, access: AccessToken, previous: RefreshToken | None
    ) -> RefreshToken:
        """Create a refresh token; the family of a first token is that of its code."""
        if request.grant_type == "authorization_code":
            previous = RefreshToken(token_family=codes.family_of(request.code))
        return super()._create_refresh_token(request, value, access, previous)

    def validate_refresh_token(
        self, refresh_token: str, client: Application, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """Return whether a client may use a refresh token, and lock the connection.

        False if the connection has ended, or for the token of another client, which is not revoked.
        """
        held = RefreshToken.objects.filter(
            token_checksum=checksum(refresh_token), application=client
        ).first()
        connection = connections.hold(held.user_id, client) if held else None
        if connection is None or connection.is_over(on=timezone.now().date()):
            return False
        is_good = super().validate_refresh_token(refresh_token, client, request, *args, **kwargs)
        return is_good and may_connect(request.user)

    def revoke_token(
        self, token: str, token_type_hint: str, request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """Revoke a token and its pair; the connection ends with its last token."""
        theirs = {"token_checksum": checksum(token), "application": request.client}
        held = (
            RefreshToken.objects.filter(**theirs).first()
            or AccessToken.objects.filter(**theirs, user__isnull=False).first()
        )
        connection = connections.hold(held.user_id, request.client) if held else None
        if connection:
            super().revoke_token(token, token_type_hint, request, *args, **kwargs)
            connections.end_if_spent(connection, at=timezone.now())

    def _check_and_set_request_resource(self, request: Request) -> None:
        """Bind the token to the tool server. Raises: invalid_target for another resource."""
        super()._check_and_set_request_resource(request)
        if not all(map(resources.is_ours, request.resource)):
            raise foreign_resource(request)
        request.resource = [settings.MCP_URL]

    def _save_bearer_token(
        self, token: dict[str, Any], request: Request, *args: Any, **kwargs: Any
    ) -> None:
        predecessor = getattr(request, "refresh_token_instance", None)
        if predecessor and predecessor.revoked:
            self._repeat_answer(predecessor, token, request)
            return
        super()._save_bearer_token(token, request, *args, **kwargs)
        if request.grant_type == "authorization_code":
            host = clients.identify(request.client, request.answered_at).host
            connection = connections.connect(
                request.user, request.client, host=host, at=timezone.now()
            )
            connections.drop_wider_tokens(connection, token["scope"].split())

    def _repeat_answer(
        self, predecessor: RefreshToken, token: dict[str, Any], request: Request
    ) -> None:
        """Answer a refresh that was answered before, within the grace period, with the same tokens.

        Raises: InvalidGrantError if the secret key was changed since.
        """
        self._check_and_set_request_resource(request)
        issued = AccessToken.objects.get(source_refresh_token=predecessor)
        if issued.token_checksum != checksum(token["access_token"]):
            raise InvalidGrantError(request=request)  # the secret key was changed meanwhile
        token["scope"] = issued.scope
        token["expires_in"] = max(int((issued.expires - timezone.now()).total_seconds()), 0)


def may_connect(user: User) -> bool:
    """Return whether assistants may read data for this user: active, and not of staff."""
    return user.is_active and not user.is_staff


def checksum(token: str) -> str:
    """Return the SHA-256 of a token in hexadecimal, by which it is stored and looked up."""
    return hashlib.sha256(token.encode()).hexdigest()


def foreign_resource(request: Request | None = None, *, state: str | None = None) -> Exception:
    """Return the error `invalid_target` for a resource other than this tool server."""
    return CustomOAuth2Error(
        error="invalid_target",
        description="Tokens are issued for this tool server only.",
        state=state,
        request=request,
    )
