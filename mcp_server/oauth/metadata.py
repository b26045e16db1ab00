"""Metadata documents from which clients discover the authorization server."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.decorators import method_decorator
from oauth2_provider.views import OAuthProtectedResourceMetadataView, OAuthServerMetadataView

from mcp_server.oauth import client_documents
from mcp_server.oauth.cors import cross_origin
from mcp_server.scopes import Scope

CACHE = "public, max-age=3600"
CACHE_OF_SERVER = "public, max-age=300"  # whether client documents are offered may change


@method_decorator(cross_origin("GET"), name="dispatch")
class ServerMetadata(OAuthServerMetadataView):
    """The authorization server. Source: RFC 8414."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if kwargs.get("issuer_path"):
            return _unknown()  # our issuer has no path
        facts = json.loads(super().get(request).content)
        facts["client_id_metadata_document_supported"] = client_documents.are_offered()
        return _cached(JsonResponse(facts), CACHE_OF_SERVER)


@method_decorator(cross_origin("GET"), name="dispatch")
class ResourceMetadata(OAuthProtectedResourceMetadataView):
    """The metadata of the tool server and its authorization server. Source: RFC 9728."""

    def get_scopes_supported(self) -> list[str]:
        return list(Scope.values)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if kwargs.get("resource_path", "mcp") != "mcp":
            return _unknown()
        return _cached(super().get(request), CACHE)


def _cached(response: HttpResponse, cache: str) -> HttpResponse:
    response["Cache-Control"] = cache
    return response


def _unknown() -> HttpResponse:
    return JsonResponse({"error": "not_found"}, status=404)
