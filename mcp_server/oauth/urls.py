"""URLs of OAuth, at the root of the origin and without trailing slashes, as clients expect them.

Some clients refresh at `/token` before they read any metadata, so these paths are part of the
interface. Names are the toolkit's, which looks them up.
"""

from django.urls import path

from mcp_server.oauth.authorize import AuthorizeView
from mcp_server.oauth.metadata import ResourceMetadata, ServerMetadata
from mcp_server.oauth.registration import RegisterView, RegistrationView
from mcp_server.oauth.token import RevokeView, TokenView

SERVER = ".well-known/oauth-authorization-server"
RESOURCE = ".well-known/oauth-protected-resource"

app_name = "oauth2_provider"
urlpatterns = [
    path(SERVER, ServerMetadata.as_view(), name="oauth-server-metadata"),
    path(
        f"{SERVER}/<path:issuer_path>",
        ServerMetadata.as_view(),
        name="oauth-server-metadata-issuer",
    ),
    path(RESOURCE, ResourceMetadata.as_view(), name="oauth-resource-metadata"),
    path(
        f"{RESOURCE}/<path:resource_path>",
        ResourceMetadata.as_view(),
        name="oauth-resource-metadata-path",
    ),
    path("authorize", AuthorizeView.as_view(), name="authorize"),
    path("token", TokenView.as_view(), name="token"),
    path("revoke", RevokeView.as_view(), name="revoke-token"),
    path("register", RegisterView.as_view(), name="dcr-register"),
    path("register/<str:client_id>", RegistrationView.as_view(), name="dcr-register-management"),
]
