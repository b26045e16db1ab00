"""How much memory an upload takes: `python -m bench.upload_memory` (Linux, a minute at most).

It starts the whole service on an empty sandbox, uploads documents to a lead, and compares what the
service's processes held at most with what they held before. The wanted ratio of the growth to
the documents' decoded size is printed beside the one found; the exit status says whether it holds.
"""

import argparse
import base64
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
MIB = 1024**2
MOST = 4  # times the decoded size
WARM_UP = 60  # small uploads, so that every worker has done everything once


@dataclass(frozen=True)
class Service:
    """A running service, and how to call it."""

    process: psutil.Process
    port: int
    authorization: str

    def call(self, method: str, path: str, body: bytes) -> dict:
        """Send JSON and return the answer's. Raises: RuntimeError for any refusal."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {
            "Authorization": self.authorization,
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        connection.request(method, f"/service/api/v1/{path}", body, headers)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        if not response.status < 300:
            raise RuntimeError(f"{method} {path}: {response.status} {answer[:1000]!r}")
        return json.loads(answer)

    def resident(self) -> int:
        """Return the resident bytes of all its processes, now."""
        return sum(process.memory_info().rss for process in self._processes())

    def forget_peak(self) -> None:
        """Start to look for a new peak. Source: proc(5), clear_refs."""
        for process in self._processes():
            Path(f"/proc/{process.pid}/clear_refs").write_text("5")

    def peak(self) -> int:
        """Return the sum of the most bytes that each of its processes has held since."""
        statuses = (Path(f"/proc/{process.pid}/status") for process in self._processes())
        peaks = (re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) for status in statuses)
        return sum(int(found[1]) * 1024 for found in peaks if found)

    def _processes(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]


@contextmanager
def running_service() -> Iterator[Service]:
    """Yield the service, started with data of its own, which are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        ours = {"DATA_DIR": folder, "PORT": str(port), "RATE_LIMIT_FACTOR": "0"}
        environment = {**os.environ, **ours, "LOG_LEVEL": "WARNING"}
        subprocess.run(
            [sys.executable, "-m", "config.development_secrets"],
            cwd=ROOT,
            env=environment,
            check=True,
        )
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        try:
            yield wait_until_served(process, port, Path(folder) / "demo.env")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)


def wait_until_served(process: subprocess.Popen, port: int, facts: Path) -> Service:
    """Return the service as soon as it answers."""
    while process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                found = dict(line.split("=", 1) for line in facts.read_text().splitlines())
                break
        except OSError:
            time.sleep(0.1)
    else:
        raise RuntimeError("The service did not start.")
    authorization = f"{found['SCHEME_WORD']} {found['ACCESS_KEY']}:{found['SECRET_KEY']}"
    return Service(psutil.Process(process.pid), port, authorization)


def body_of(sizes: list[int]) -> bytes:
    """Return the body of an upload: documents of random bytes behind the mark of a PDF."""
    contents = (base64.b64encode(b"%PDF-1.7\n" + secrets.token_bytes(size - 9)) for size in sizes)
    documents = (
        b'{"contentType":"application/pdf","fileName":"%d.pdf","content":"%s"}' % (number, content)
        for number, content in enumerate(contents)
    )
    return b'{"documentDataList":[%s]}' % b",".join(documents)


def upload(service: Service, body: bytes) -> None:
    """Register a lead and upload to it."""
    email = f"{secrets.token_hex(8)}@example.com"
    lead = service.call("PUT", "lead", json.dumps({"email": email}).encode())
    answer = service.call("PUT", f"lead/{lead['customerId']}/upload", body)
    statuses = {document["status"] for document in answer["documents"]}
    if statuses != {"RECEIVED"}:
        raise RuntimeError(f"The documents became {statuses}.")


def measure(service: Service, bodies: list[bytes], decoded: int) -> float:
    """Upload all bodies at the same time; print and return the growth over the decoded size."""
    idle = service.resident()
    service.forget_peak()
    start = time.perf_counter()
    with ThreadPoolExecutor(len(bodies)) as pool:
        list(pool.map(lambda body: upload(service, body), bodies))
    seconds = time.perf_counter() - start
    growth = service.peak() - idle
    ratio = growth / decoded
    sys.stdout.write(
        f"decoded {decoded / MIB:6.1f} MiB   idle {idle / MIB:6.1f} MiB   "
        f"peak {(idle + growth) / MIB:6.1f} MiB   growth {growth / MIB:5.1f} MiB   "
        f"ratio {ratio:4.2f} (at most {MOST})   {seconds:4.2f} s\n"
    )
    return ratio


def main() -> int:
    """Run the benchmark; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mebibytes", type=int, default=25, help="Decoded, of an upload (25).")
    parser.add_argument("--documents", type=int, default=5, help="In an upload (5).")
    parser.add_argument("--parallel", type=int, default=1, help="Uploads at the same time (1).")
    parser.add_argument("--rounds", type=int, default=3, help="Uploads one after another (3).")
    options = parser.parse_args()
    sizes = [options.mebibytes * MIB // options.documents] * options.documents
    bodies = [body_of(sizes) for _ in range(options.parallel)]
    decoded = sum(sizes) * options.parallel
    with running_service() as service:
        small = body_of([300_000])
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: upload(service, small), range(WARM_UP)))
        ratios = [measure(service, bodies, decoded) for _ in range(options.rounds)]
    return int(max(ratios) > MOST)


if __name__ == "__main__":
    sys.exit(main())
