"""Every URL of the house."""

from django.contrib import admin
from django.urls import include, path, re_path

from config import health
from onboarding.api.meta import NowhereView

urlpatterns = [
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("service/api/v1/", include("onboarding.api.urls")),
    re_path(r"^service/api(?:/.*)?$", NowhereView.as_view()),
    path("", include("onboarding.flow.urls")),
    path("admin/", admin.site.urls),
]
