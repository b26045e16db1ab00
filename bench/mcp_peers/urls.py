"""The project's own URLs, and the bare view."""

from django.urls import path

from bench.mcp_peers.bare import search
from config.urls import urlpatterns as ours

urlpatterns = [path("bare", search), *ours]
