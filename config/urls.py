"""URLs of the project."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from config import health, staff_time_zones, state_page, status
from mcp_server.pages import sign_in
from onboarding.api import verification_callbacks
from onboarding.api.meta import NowhereView

handler400 = "config.error_pages.bad_request"
handler404 = "config.error_pages.not_found"
handler500 = "config.error_pages.server_error"
urlpatterns = [
    path("", RedirectView.as_view(pattern_name="lead_api:docs"), name="home"),
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("status", status.status, name="status"),
    path("service/api/v1/", include("onboarding.api.urls")),
    path("service/bank/v1/", include("onboarding.api.bank.urls")),
    path(
        "service/verification/v1/callbacks/<slug:provider>",
        verification_callbacks.receive,
        name="verification_callback",
    ),
    re_path(r"^service/(?:api|bank)(?:/.*)?$", NowhereView.as_view()),
    path("", include("mcp_server.urls")),  # before the pages: each pattern before it costs time
    path("", include("onboarding.flow.urls")),
    path("", include("mcp_server.oauth.urls")),
    path("", include("mcp_server.pages.urls")),
    path(  # the sign-in page of the back office links to this name
        "admin/password-reset",
        RedirectView.as_view(pattern_name="password_reset"),
        name="admin_password_reset",
    ),
    path("admin/password_change/", RedirectView.as_view(pattern_name="password")),  # counts guesses
    path("admin/logout/", sign_in.SignOut.as_view()),
    path("admin/state/", state_page.view, name="state"),
    path(
        "admin/time-zone/",
        admin.site.admin_view(staff_time_zones.view),
        name="staff_time_zone",
    ),
    path("admin/", admin.site.urls),
]
