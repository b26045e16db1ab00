"""Serve the metrics of this program on METRICS_PORT, for a Prometheus server to scrape.

Web counts in several processes, each in files of its own below DATA_DIR; its main process serves
their sum. The other programs count in memory.
"""

import os
import re
import shutil
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

from config.figures import Figure, fact
from foundation.metrics import instruments

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"  # by which prometheus_client chooses files
FILE = re.compile(r"(counter|histogram|gauge_live(?:sum|max))_(\d+)\.db")
DEAD = 0  # takes the place of the process id in the files that sum up dead processes
BUILD = "vestibule_build"  # the format adds _info
DISK = [
    Figure("vestibule_disk_free_bytes", "Free bytes of the disk that has DATA_DIR.", fact("free")),
    Figure("vestibule_disk_size_bytes", "Size of the disk that has DATA_DIR.", fact("total")),
]
_folding = threading.Lock()


def start(program: str, *collectors: Any, forks: bool = False) -> None:
    """Count metrics and serve them on METRICS_PORT until the process ends; without it do nothing.

    Call it before the program forks; with `forks`, the counts of all forks are summed. `collectors`
    add metrics that are read at each scrape. Exits if the port is taken.
    """
    if not settings.METRICS_PORT:
        return
    if forks:
        os.environ[FOLDER_VARIABLE] = str(_folder())
    import prometheus_client
    from prometheus_client.multiprocess import MultiProcessCollector

    prometheus_client.disable_created_metrics()
    served = prometheus_client.CollectorRegistry()
    _listen(served)
    if forks:
        _clear(_folder())
        instruments.start(prometheus_client.CollectorRegistry())
        served.register(_Living(MultiProcessCollector(None, path=str(_folder()))))
    else:
        instruments.start(served)
    for collector in (ProgramFacts(program), *collectors):
        served.register(collector)


def join() -> None:
    """Start to count in a process that the program spawned and did not fork, as on macOS."""
    if settings.METRICS_PORT and not instruments.are_counting():
        import prometheus_client

        instruments.start(prometheus_client.CollectorRegistry())


class ProgramFacts:
    """Collector of the version of this program, and of the disk that has DATA_DIR."""

    def __init__(self, program: str) -> None:
        self.program = program

    def collect(self) -> "Iterator[Metric]":
        """Yield the metrics."""
        from prometheus_client.metrics_core import InfoMetricFamily

        info = {"version": settings.VERSION, "program": self.program}
        yield InfoMetricFamily(BUILD, "The version of this program; always 1.", info)
        disk = shutil.disk_usage(settings.DATA_DIR)
        for figure in DISK:
            yield figure.family(disk._asdict())


class _Living:
    """Collector of the files of all processes; adds up the files of dead processes first."""

    def __init__(self, collector: Any) -> None:
        self.collector = collector

    def collect(self) -> "Iterable[Metric]":
        """Return the sums over all processes."""
        with _folding:
            fold_dead(_folder())
            metrics: Iterable[Metric] = self.collector.collect()
        return metrics


def fold_dead(folder: Path) -> None:
    """Add the counters and histograms of ended processes to files of sums, and delete their files.

    Gauges of ended processes are dropped. There is one file of sums for each kind of metric, so
    that restarts leave no files behind.
    """
    from prometheus_client.mmap_dict import MmapedDict

    for path in folder.iterdir():
        found = FILE.fullmatch(path.name)
        if not found or int(found[2]) == DEAD or _is_alive(int(found[2])):
            continue
        if not found[1].startswith("gauge"):  # a dead process has no threads and no connections
            kept = MmapedDict(str(folder / f"{found[1]}_{DEAD}.db"))
            for key, value, _, _ in MmapedDict.read_all_values_from_file(str(path)):
                kept.write_value(key, kept.read_value(key)[0] + value, 0.0)
            kept.close()
        path.unlink()


def _is_alive(pid: int) -> bool:
    with suppress(ProcessLookupError, PermissionError):  # a process of another user has the id now
        os.kill(pid, 0)
        return True
    return False


def _listen(registry: Any) -> None:
    """Serve a registry in a thread. Forks of this process close its port."""
    import prometheus_client

    host, port = settings.METRICS_HOST, settings.METRICS_PORT
    try:
        server, _ = prometheus_client.start_http_server(port, host, registry)
    except OSError as exc:
        sys.exit(f"METRICS_PORT: {host}:{port} cannot be had: {exc.strerror}")
    os.register_at_fork(after_in_child=server.socket.close)


def _folder() -> Path:
    """Return the folder of the files; the port, which this program alone has, names it."""
    return Path(settings.DATA_DIR) / "metrics" / str(settings.METRICS_PORT)


def _clear(folder: Path) -> None:
    """Empty the folder, so that the counters of the program start at 0 again."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
