"""Celery: who does the work that no request waits for. `config.worker` and `config.beat` run it."""

import os

from celery import Celery
from celery.signals import setup_logging
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES["files"] = "config.filesystem_broker:Transport"

app = Celery("vestibule")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(related_name="periodic")


@setup_logging.connect
def keep_our_logs(**_options: object) -> None:
    """Let nobody configure the logs anew: they are scrubbed as Django set them up."""
