"""The wiring: settings, URLs, servers, logs. The apps never import it."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
