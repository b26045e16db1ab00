"""Every URL of the house."""

from django.contrib import admin
from django.urls import path

from config import health

urlpatterns = [
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("admin/", admin.site.urls),
]
