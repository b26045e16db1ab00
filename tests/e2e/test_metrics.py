"""Metrics that a Prometheus server would scrape from web and from a worker."""

import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest
from django.conf import settings

from config import processes
from tests.e2e import serving

pytestmark = pytest.mark.one_database
LEAD = "lead/6e9ae8a4-0b1b-4fb1-8f2f-0f7a6a4d2c11"
GETS = 'vestibule_http_requests_total{method="GET",route="/service/api/v1/lead/<str:customer_id>",'


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """Return a web server with two processes, and the port of its metrics."""
    port, folder = str(serving.free_port()), tmp_path_factory.mktemp("metrics")
    with serving.served(folder, METRICS_PORT=port, WEB_WORKERS="2") as server:
        yield server, port


def scrape(port):
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=serving.TIMEOUT_SECONDS) as answer:
        return answer.read().decode()


def value(text, beginning):
    """Return the sum of the samples that begin with a text."""
    found = re.findall(rf"^{re.escape(beginning)}.*?(\S+)$", text, re.MULTILINE)
    return sum(map(float, found))


def files(port, server):
    return list((Path(server.data) / "metrics" / port).iterdir())


def test_web_counts_over_all_its_processes_and_keeps_what_dead_ones_counted(web):
    server, port = web
    for _ in range(6):
        server.call("GET", LEAD)
    before, kept = value(scrape(port), GETS), len(files(port, server))
    assert before == 6
    assert value(scrape(port), "vestibule_threads ") == 2 * settings.WEB_THREADS

    for _ in range(2):
        workers = server.workers()
        # the server ends if a worker that has replaced another one dies within 5.5 seconds
        oldest = min(workers, key=lambda worker: worker.create_time())
        os.kill(oldest.pid, signal.SIGKILL)
        server.recover(workers)
        server.call("GET", LEAD)

    deadline = time.monotonic() + serving.TIMEOUT_SECONDS
    while value(text := scrape(port), "vestibule_threads ") != 2 * settings.WEB_THREADS:
        assert time.monotonic() < deadline, text
        time.sleep(0.1)
    assert value(text, GETS) == before + 2
    assert len(files(port, server)) <= kept + 2  # those of all the dead are one of each kind


def test_no_label_has_an_id_and_no_path_is_told(web):
    server, port = web
    server.call("GET", LEAD)
    server.call("GET", "nothing/123-45-6789")

    text = scrape(port)

    assert LEAD.partition("/")[2] not in text
    assert "123-45-6789" not in text


def test_a_worker_tells_the_state_of_the_deployment(web):
    server, _ = web
    port = str(serving.free_port())
    worker = subprocess.Popen(
        [sys.executable, "-m", "config.worker"],
        cwd=settings.BASE_DIR,
        env={**server.environment, "METRICS_PORT": port},
        stderr=subprocess.DEVNULL,
        preexec_fn=partial(processes.end_with, os.getpid()),
    )
    try:
        text = _until(port, 'vestibule_component_up{component="database"} 1.0')
    finally:
        worker.terminate()
        worker.wait(serving.TIMEOUT_SECONDS)

    assert 'vestibule_work_waiting{kind="events"}' in text
    assert f'vestibule_build_info{{program="worker",version="{settings.VERSION}"}} 1.0' in text


def test_a_port_that_is_taken_ends_the_program_with_a_sentence(web):
    server, port = web

    done = subprocess.run(
        [sys.executable, "-m", "config.beat"],
        cwd=settings.BASE_DIR,
        env={**server.environment, "METRICS_PORT": port},
        capture_output=True,
        text=True,
        timeout=serving.TIMEOUT_SECONDS,
        check=False,
    )

    assert done.returncode == 1
    assert f"METRICS_PORT: 127.0.0.1:{port} cannot be had" in done.stderr


def _until(port, line):
    """Scrape until a line is told, and return the text."""
    deadline, text = time.monotonic() + serving.TIMEOUT_SECONDS, ""
    while line not in text:
        assert time.monotonic() < deadline, text
        try:
            text = scrape(port)
        except OSError:
            time.sleep(0.2)
    return text
