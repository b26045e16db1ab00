"""Celery worker: `python -m config.worker`, for the kinds of work in WORKER_QUEUES.

Any number of workers may run. After SIGTERM a worker has GRACE_SECONDS for its running tasks;
the rows of interrupted tasks stay in the database, and another worker claims them.
"""

import os
import sys
import threading
import warnings

import django
from celery import bootsteps
from celery.exceptions import SecurityWarning
from celery.signals import task_postrun, task_prerun, worker_shutting_down
from django.conf import settings

from config import (
    database_limits,
    deployment,
    health,
    liveness,
    metrics_server,
    outages,
    processes,
)
from config.celery import app
from foundation.metrics import declared as metrics

GRACE_SECONDS = 8.0
OPTIONS = ["--without-gossip", "--without-mingle", "--without-heartbeat"]  # no worker events


@worker_shutting_down.connect
def end_soon(**_options: object) -> None:
    """Exit the process GRACE_SECONDS later, even if tasks still run."""
    liveness.report_stop()
    last = threading.Timer(GRACE_SECONDS, os._exit, [0])
    last.daemon = True
    last.start()


@task_prerun.connect
def count_busy(**_options: object) -> None:
    """Count the thread of a task as busy."""
    metrics.THREADS_BUSY.add(1)


@task_postrun.connect
def count_free(**_options: object) -> None:
    """Count the thread of an ended task as free."""
    metrics.THREADS_BUSY.add(-1)


class ConnectedStep(bootsteps.StartStopStep):
    """Step of the consumer that runs after each connection to the broker and ends its outage."""

    requires = ("celery.worker.consumer.connection:Connection",)

    def start(self, _consumer: object) -> None:
        outages.broker.end()


def work() -> None:
    """Run tasks until a signal ends the process."""
    processes.limit_arenas()
    database_limits.program = "worker"
    django.setup()
    deployment.require_secrets_of_database()
    health.exit_unless_migrated()
    if settings.METRICS_PORT:
        from config.deployment_metrics import DeploymentFacts

        metrics_server.start("worker", DeploymentFacts())
        metrics.THREADS.add(settings.CELERY_WORKER_CONCURRENCY)
    warnings.simplefilter("ignore", SecurityWarning)  # Celery warns of running as root
    app.steps["consumer"].add(ConnectedStep)
    sys.__stdout__ = None  # type: ignore[misc]  # Celery would write to it at exit, even if closed
    queues = ",".join(settings.TASK_QUEUES[kind] for kind in settings.WORKER_QUEUES)
    app.worker_main(["--quiet", "worker", *OPTIONS, "--queues", queues])


if __name__ == "__main__":
    work()
