"""WSGI application: imports every view at start, not at the first request."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from config import database_limits, deployment

database_limits.program = "web"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()

from mcp_server.oauth import client_documents  # noqa: E402 - needs the apps

deployment.require_secrets_of_database()
if not settings.IS_SANDBOX:  # whose start asks nothing of the internet
    client_documents.are_offered()  # begins the first check before the first request
get_resolver().url_patterns  # noqa: B018 - imports every view before the first request
