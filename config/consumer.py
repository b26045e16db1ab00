"""Consumer: the loop of a worker that receives tasks, with reports of its progress."""

from typing import Any

from celery.worker import consumer

from config import liveness


class Consumer(consumer.Consumer):
    """Consumer whose loop reports progress."""

    def on_ready(self) -> None:
        """Report that the worker takes tasks."""
        super().on_ready()
        liveness.report()

    def perform_pending_operations(self) -> None:
        """Report progress in the loop of transports that block, such as that of files."""
        liveness.report()
        super().perform_pending_operations()

    def register_with_event_loop(self, hub: Any) -> None:
        """Report progress from the event loop of Redis and RabbitMQ."""
        super().register_with_event_loop(hub)
        hub.timer.call_repeatedly(liveness.INTERVAL_SECONDS, liveness.report)

    def ensure_connected(self, conn: Any) -> Any:
        """Connect, however long the broker is away."""
        with liveness.waiting():
            return super().ensure_connected(conn)
