"""The web server: `python -m config.web PORT` serves the WSGI application on HOST.

Told to end by SIGTERM, it is unready for DRAIN_SECONDS while it still serves, so that load
balancers stop sending; then it takes nothing new and gives what runs STOP_SECONDS.
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

from config import health, processes
from config.whole_bodies import READERS, WholeBodies
from config.wsgi import application  # here, so that the workers are forks which share it
from onboarding.api import parsers

DRAIN = signal.SIGUSR1  # tells a worker to say that it is not ready


class Server(Granian):  # type: ignore[misc, valid-type]  # granian says at run time which it is
    """Granian with a time in which load balancers notice that it ends."""

    is_draining = False

    def signal_handler_interrupt(self, *args: Any, **_options: Any) -> None:
        """End at once, or after DRAIN_SECONDS if a first SIGTERM asks for it."""
        is_first_request = args[:1] == (signal.SIGTERM,) and not self.is_draining
        if not is_first_request or not settings.DRAIN_SECONDS:
            super().signal_handler_interrupt()
            return
        self.is_draining = True
        for worker in self.wrks:
            os.kill(worker.inner.pid, DRAIN)
        end = threading.Timer(settings.DRAIN_SECONDS, super().signal_handler_interrupt)
        end.daemon = True
        end.start()


def serve(port: int) -> None:
    """Serve until a signal ends it; a worker that dies is replaced."""
    # granian warns of many threads; READERS only wait
    logging.getLogger("_granian").addFilter(lambda line: "Python threads" not in line.getMessage())
    gc.collect()
    gc.freeze()  # what is loaded stays, and is shared with the workers: nobody looks through it
    Server(
        "config.wsgi:application",
        address=settings.HOST,
        port=port,
        interface=Interfaces.WSGI,
        workers=settings.WEB_WORKERS,
        blocking_threads=READERS,
        static_path_route=["/healthz"],  # without a thread, so that it answers whatever hangs
        static_path_mount=[health.LIVE],
        static_path_dir_to_file=health.LIVE_FILE,
        static_path_expires=0,
        respawn_failed_workers=True,
        workers_kill_timeout=settings.STOP_SECONDS,
        log_level=LogLevels.warning,
    ).serve(target_loader=load, wrap_loader=False)


def load() -> WholeBodies:
    """Return the application to a worker, which ends when the server's main process does."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a worker told to end while it loads shall end
    signal.signal(DRAIN, lambda *_: health.draining.set())
    main = multiprocessing.parent_process()
    if main and main.pid:
        processes.end_with(main.pid)
        threading.Thread(target=_end_after, args=[main.pid], daemon=True).start()
    most = parsers.longest_body()
    return WholeBodies(application, threads=settings.WEB_THREADS, most_bytes=most)


def _end_after(main: int) -> None:
    """End this worker STOP_SECONDS after its main process, with all running requests."""
    while os.getppid() == main:
        time.sleep(1)
    time.sleep(settings.STOP_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
