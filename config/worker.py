"""Run a Celery worker: `python -m config.worker`.

Any number of workers may run. A worker that is told to stop has GRACE_SECONDS for its running
tasks; the rows of interrupted tasks stay in the database, where another worker takes them over.
"""

import os
import sys
import threading
import warnings

import django
from celery.exceptions import SecurityWarning
from celery.signals import worker_shutting_down

from config import database_limits, deployment
from config.celery import app

GRACE_SECONDS = 8.0
OPTIONS = ["--without-gossip", "--without-mingle", "--without-heartbeat"]  # workers never talk


@worker_shutting_down.connect
def end_soon(**_options: object) -> None:
    """End the process with all running tasks."""
    last = threading.Timer(GRACE_SECONDS, os._exit, [0])
    last.daemon = True
    last.start()


def work() -> None:
    """Work until a signal ends it."""
    database_limits.program = "worker"
    django.setup()
    deployment.require_secrets_of_database()
    warnings.simplefilter("ignore", SecurityWarning)  # of a root that messages could make do things
    sys.__stdout__ = None  # type: ignore[misc]  # where Celery would say that it ends, open or not
    app.worker_main(["--quiet", "worker", *OPTIONS])


if __name__ == "__main__":
    work()
