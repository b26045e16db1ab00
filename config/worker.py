"""The worker: `python -m config.worker` does what no request waits for.

Any number may run. Told to end, one gives what it is at GRACE seconds; what is cut off is a row in
the database, which another worker takes over.
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

GRACE = 8.0
OPTIONS = ["--without-gossip", "--without-mingle", "--without-heartbeat"]  # workers never talk


@worker_shutting_down.connect
def end_soon(**_options: object) -> None:
    """End, whatever still runs by then."""
    last = threading.Timer(GRACE, os._exit, [0])
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
