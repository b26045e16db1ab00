"""Celery worker: `python -m config.worker`.

Any number of workers may run. After SIGTERM a worker has GRACE_SECONDS for its running tasks;
the rows of interrupted tasks stay in the database, and another worker claims them.
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
OPTIONS = ["--without-gossip", "--without-mingle", "--without-heartbeat"]  # no worker events


@worker_shutting_down.connect
def end_soon(**_options: object) -> None:
    """Exit the process GRACE_SECONDS later, even if tasks still run."""
    last = threading.Timer(GRACE_SECONDS, os._exit, [0])
    last.daemon = True
    last.start()


def work() -> None:
    """Run tasks until a signal ends the process."""
    database_limits.program = "worker"
    django.setup()
    deployment.require_secrets_of_database()
    warnings.simplefilter("ignore", SecurityWarning)  # Celery warns of running as root
    sys.__stdout__ = None  # type: ignore[misc]  # Celery would write to it at exit, even if closed
    app.worker_main(["--quiet", "worker", *OPTIONS])


if __name__ == "__main__":
    work()
