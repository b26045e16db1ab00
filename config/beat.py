"""Beat: `python -m config.beat` sends the workers one message per TICK to look for due rows.

A tick names the kinds of work whose queue is full; the sweep sends no messages for these kinds.

Beat keeps no state. Running two is harmless; while none runs, due work is only delayed.
"""

from typing import Any

import django
from celery import beat

from config import database_limits, deployment, liveness, metrics_server
from config.celery import app, queued_messages

MAX_WAITING = 1000  # messages of a queue above which it is full


class Scheduler(beat.Scheduler):
    """Scheduler that sends no tick while the queue of sweeps is full: each queue stays bounded."""

    def tick(self, *args: Any, **options: Any) -> Any:
        """Report progress, and send the ticks that are due."""
        liveness.report()
        return super().tick(*args, **options)

    def _ensure_connected(self) -> Any:
        """Connect, however long the broker is away."""
        with liveness.waiting():
            return super()._ensure_connected()  # type: ignore[misc]  # not in the types

    def close(self) -> None:
        """Report the end, and release the connection."""
        liveness.report_stop()
        super().close()

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Send a tick with the kinds whose queue is full, unless the queue of sweeps is full."""
        full = [kind for kind, count in self._waiting().items() if count >= MAX_WAITING]
        if "sweeps" not in full:
            entry.kwargs = {"full": full} if full else {}
            super().apply_entry(entry, producer=producer)

    def _waiting(self) -> dict[str, int]:
        """Return the number of messages by kind; empty if the broker cannot be reached.

        Sending the tick then fails with the broker's error.
        """
        try:
            return queued_messages()
        except Exception:  # noqa: BLE001 - sending the tick raises the same error
            return {}


def run() -> None:
    """Send ticks until a signal ends the process."""
    database_limits.program = "beat"
    django.setup()
    deployment.require_secrets_of_database()
    metrics_server.start("beat")
    app.Beat(quiet=True, scheduler="config.beat:Scheduler").run()


if __name__ == "__main__":
    run()
