"""The Celery application, run by `config.worker` and `config.beat`."""

import os
from typing import Any

from celery import Celery, Task
from celery.signals import after_task_publish, setup_logging
from django.conf import settings
from kombu.transport import TRANSPORT_ALIASES

from config import outages
from foundation.metrics import declared as metrics
from foundation.metrics.instruments import timed

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Celery would run Django's system checks in each worker and in beat, and drop their findings
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
TRANSPORT_ALIASES["files"] = "config.filesystem_broker:Transport"

PROBE_SECONDS = 2  # time limit for a probe to connect, and to get a reply
PROBE_OPTIONS = {  # two for Redis, two for RabbitMQ; each ignores the others
    "socket_connect_timeout": PROBE_SECONDS,
    "socket_timeout": PROBE_SECONDS,
    "read_timeout": PROBE_SECONDS,
    "write_timeout": PROBE_SECONDS,
}


class MeasuredTask(Task):  # type: ignore[type-arg]  # Celery's class takes none when it runs
    """Task whose messages to the broker are counted."""

    def apply_async(self, *arguments: Any, **options: Any) -> Any:
        """Send a message for the task. Raises the errors of the broker's transport."""
        with timed(metrics.BROKER_PUBLISHES, metrics.BROKER_PUBLISH_DURATION):
            return super().apply_async(*arguments, **options)


app = Celery("vestibule", task_cls=MeasuredTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(related_name="periodic")


@setup_logging.connect
def keep_our_logs(**_options: object) -> None:
    """Keep Celery from replacing the LOGGING of Django, which removes private values."""


def queued_messages() -> dict[str, int]:
    """Return the number of waiting messages by kind. Raises: errors of the broker's transport."""
    always = {"durable": True, "auto_delete": False}
    options = {**app.conf.broker_transport_options, **PROBE_OPTIONS}
    with app.connection_for_write(
        connect_timeout=PROBE_SECONDS, transport_options=options
    ) as connection:
        channel: Any = connection.channel()
        counts = {
            kind: int(channel.queue_declare(queue=queue, **always).message_count)
            for kind, queue in settings.TASK_QUEUES.items()
        }
    outages.broker.end()
    return counts


@after_task_publish.connect
def end_outage(**_values: object) -> None:
    """End the outage of the broker: it has accepted a message."""
    outages.broker.end()
