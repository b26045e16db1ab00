"""Celery: who does the work that no request waits for. `celery -A config worker` and `beat`."""

import os

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("vestibule")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_our_logs(**_options: object) -> None:
    """Let nobody configure the logs anew: they are scrubbed as Django set them up."""
    for folder in settings.BROKER_FOLDERS:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
