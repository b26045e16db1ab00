"""Web server: `python -m config.web PORT` serves the WSGI application on HOST.

After SIGTERM it serves for DRAIN_SECONDS more while `/readyz` responds with 503, so that load
balancers stop sending; then it takes no new requests and gives running requests STOP_SECONDS.
"""

import gc
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from typing import Any

from django.conf import settings
from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

from config import health, liveness, metrics_server, processes
from config.whole_bodies import READERS, WholeBodies
from config.wsgi import application  # loaded before the fork, so that workers share its memory
from foundation.database import replica
from onboarding.api import parsers

DRAIN = signal.SIGUSR1  # makes a worker report that it is not ready


class Server(Granian):  # type: ignore[misc, valid-type]  # a base class chosen at run time
    """Granian server that drains for DRAIN_SECONDS before it stops."""

    is_draining = False

    def startup(self, *args: Any, **options: Any) -> None:
        """Start the workers, and report progress while all of them run and one answers."""
        super().startup(*args, **options)
        liveness.report_while(self.serves, every=1.0)

    def serves(self) -> bool:
        """Return whether all workers run and one of them answers."""
        return all(worker.is_alive() for worker in self.wrks) and health.is_served(self.bind_port)

    def signal_handler_interrupt(self, *args: Any, **_options: Any) -> None:
        """Stop DRAIN_SECONDS after a first SIGTERM; at once after a second or another signal."""
        is_first_request = args[:1] == (signal.SIGTERM,) and not self.is_draining
        if not is_first_request or not settings.DRAIN_SECONDS:
            super().signal_handler_interrupt()
            return
        self.is_draining = True
        liveness.report_stop()
        for worker in self.wrks:
            os.kill(worker.inner.pid, DRAIN)
        end = threading.Timer(settings.DRAIN_SECONDS, super().signal_handler_interrupt)
        end.daemon = True
        end.start()


def serve(port: int) -> None:
    """Serve until a signal ends the process. Dead workers are replaced."""
    # granian warns of many threads; READERS mostly wait for clients
    logging.getLogger("_granian").addFilter(lambda line: "Python threads" not in line.getMessage())
    processes.limit_arenas()
    metrics_server.start("web", forks=True)
    gc.collect()
    gc.freeze()  # keeps memory shared with the forks: the collector skips it
    Server(
        "config.wsgi:application",
        address=settings.HOST,
        port=port,
        interface=Interfaces.WSGI,
        workers=settings.WEB_WORKERS,
        blocking_threads=READERS,
        static_path_route=["/healthz"],  # needs no thread, so that it works while all threads hang
        static_path_mount=[health.LIVE],
        static_path_dir_to_file=health.LIVE_FILE,
        static_path_expires=0,
        respawn_failed_workers=True,
        workers_kill_timeout=settings.STOP_SECONDS,
        log_level=LogLevels.warning,
    ).serve(target_loader=load, wrap_loader=False)


def load() -> WholeBodies:
    """Return the application for a worker, and end the worker when the main process dies."""
    metrics_server.join()
    replica.watch()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # SIGTERM must end a worker while it loads
    signal.pthread_sigmask(signal.SIG_BLOCK, {DRAIN})  # in each thread that this one starts
    threading.Thread(target=_drain, daemon=True).start()
    main = multiprocessing.parent_process()
    if main and main.pid:
        processes.end_with(main.pid)
        threading.Thread(target=_end_after, args=[main.pid], daemon=True).start()
    most = parsers.longest_body()
    return WholeBodies(application, threads=settings.WEB_THREADS, most_bytes=most)


def _drain() -> None:
    """Wait for DRAIN, and report that this worker is not ready.

    A Python handler would run late or never: the main thread waits in code that is not Python.
    """
    signal.sigwait({DRAIN})
    health.draining.set()


def _end_after(main: int) -> None:
    """Exit STOP_SECONDS after the main process died, even if requests still run."""
    while os.getppid() == main:
        time.sleep(1)
    time.sleep(settings.STOP_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
