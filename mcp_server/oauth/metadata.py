"""Metadata: what clients read to find out where to sign in, and how."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.decorators import method_decorator
from oauth2_provider.views import OAuthProtectedResourceMetadataView, OAuthServerMetadataView

from mcp_server.oauth.cors import cross_origin
from mcp_server.scopes import Scope

CACHE = "public, max-age=3600"


@method_decorator(cross_origin("GET"), name="dispatch")
class ServerMetadata(OAuthServerMetadataView):
    """The authorization server. Source: RFC 8414."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if kwargs.get("issuer_path"):
            return _unknown()  # our issuer has no path
        return _cached(super().get(request))


@method_decorator(cross_origin("GET"), name="dispatch")
class ResourceMetadata(OAuthProtectedResourceMetadataView):
    """The tool server, and who issues tokens for it. Source: RFC 9728."""

    def get_scopes_supported(self) -> list[str]:
        return list(Scope.values)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if kwargs.get("resource_path", "mcp") != "mcp":
            return _unknown()
        return _cached(super().get(request))


def _cached(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = CACHE
    return response


def _unknown() -> HttpResponse:
    return JsonResponse({"error": "not_found"}, status=404)
