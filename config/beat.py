"""Beat: `python -m config.beat` has the workers look for due rows, once a second.

It keeps nothing; two of them do no harm, and none for a while delays the work only.
"""

from typing import Any

import django
from celery import beat

from config import database_limits, deployment
from config.celery import app, queued_messages

MAX_WAITING = 1000  # messages before which a tick would wait for long


class Scheduler(beat.Scheduler):
    """Sends no tick where many messages wait: a broker without workers would fill up with them."""

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Send a tick."""
        if self._waiting() < MAX_WAITING:
            super().apply_entry(entry, producer=producer)

    def _waiting(self) -> int:
        """Return how many messages wait; a broker that is away lets the tick fail by itself."""
        try:
            return queued_messages()
        except Exception:  # noqa: BLE001 - whatever is wrong, sending the tick meets it and tells
            return 0


def run() -> None:
    """Send ticks until a signal ends it."""
    database_limits.program = "beat"
    django.setup()
    deployment.require_secrets_of_database()
    app.Beat(quiet=True, scheduler="config.beat:Scheduler").run()


if __name__ == "__main__":
    run()
