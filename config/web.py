"""The web server: `python -m config.web PORT` serves the WSGI application on 127.0.0.1."""

import gc
import multiprocessing
import os
import signal
import sys

from django.core.handlers.wsgi import WSGIHandler
from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

from config import health, processes
from config.wsgi import application  # here, so that the workers are forks which share it

MOST_WORKERS = 4
BLOCKING_THREADS = 4  # a body that stalls holds one; behind a buffering proxy 2 are faster


def serve(port: int) -> None:
    """Serve until a signal ends it; a worker that dies is replaced."""
    gc.collect()
    gc.freeze()  # what is loaded stays, and is shared with the workers: nobody looks through it
    Granian(
        "config.wsgi:application",
        address="127.0.0.1",
        port=port,
        interface=Interfaces.WSGI,
        workers=min(os.cpu_count() or 1, MOST_WORKERS),
        blocking_threads=BLOCKING_THREADS,
        static_path_route=["/healthz"],  # without a thread, so that it answers whatever hangs
        static_path_mount=[health.LIVE],
        static_path_dir_to_file=health.LIVE_FILE,
        static_path_expires=0,
        respawn_failed_workers=True,
        log_level=LogLevels.warning,
    ).serve(target_loader=load, wrap_loader=False)


def load() -> WSGIHandler:
    """Return the application to a worker, which ends when the server's main process does."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a worker told to end while it loads shall end
    main = multiprocessing.parent_process()
    if main and main.pid:
        processes.end_with(main.pid)
    return application


if __name__ == "__main__":
    serve(int(sys.argv[1]))
