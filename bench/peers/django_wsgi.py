"""The WSGI application of the Django peers."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.peers.django_settings")
application = get_wsgi_application()
