"""The URL that assistants call."""

from django.urls import path

from mcp_server import views

urlpatterns = [path("mcp", views.mcp, name="mcp")]
