"""What operators see of a deployment: its traces, its outages in the logs, its alerts."""

import json
import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from uuid import uuid4

import pytest

from tests.e2e.browsing import require
from tests.e2e.collector import Collector
from tests.e2e.fleet import PROGRAMS, fleet
from tests.e2e.links import Link, target_of, through
from tests.e2e.prometheus import Prometheus
from tests.e2e.receiver import Receiver
from tests.mail_server import serve_mail

OUTAGE_SECONDS = 6
MAX_LINES = 20
DISK_BYTES = 512 * 1024**2
CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
EMAIL = "ada.lovelace@example.com"


@pytest.fixture(scope="module")
def collector():
    collector = Collector()
    yield collector
    collector.stop()


@pytest.fixture(scope="module")
def mails():
    """A link to a mail server."""
    with serve_mail() as server:
        link = Link(("127.0.0.1", server.port))
        yield link
        link.cut()


@contextmanager
def small_disk(folder):
    """Yield a folder on a small disk of its own, or the folder where nothing can be mounted."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", folder]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        yield folder
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture(scope="module")
def prometheus(programs, tmp_path_factory):
    """A real Prometheus with the rules that are shipped."""
    server = Prometheus(tmp_path_factory.mktemp("prometheus"), programs.metrics_ports)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def programs(tmp_path_factory, collector, mails):
    if shutil.which("redis-server") is None:
        require("redis-server is not installed")
    environment = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(mails.port),
        "EMAIL_USE_TLS": "0",
    }
    with small_disk(tmp_path_factory.mktemp("fleet")) as disk, fleet(disk, **environment) as made:
        made.start(*PROGRAMS)
        for web in ("web1", "web2"):
            made.wait_until(lambda web=web: made.status_of(web) == 200, f"{web} is ready")
        yield made


@pytest.fixture(scope="module")
def receiver(programs, tmp_path_factory):
    receiver = Receiver(tmp_path_factory.mktemp("receiver"))
    receiver.register(programs.server)
    yield receiver
    receiver.stop()


def create_lead(programs, email=None, **headers):
    answer = programs.server.call(
        "PUT", "lead", {"email": email or f"{uuid4().hex}@example.com"}, **headers
    )
    assert answer.status == 201, answer.content
    return answer


def test_a_lead_is_one_trace_from_the_call_to_the_webhook(programs, receiver, collector):
    answer = create_lead(programs, EMAIL, traceparent=CALLER, X_Request_Id="call-1")

    [message] = receiver.wait_for(1, customer=answer.json()["customerId"])
    trace = CALLER.split("-")[1]
    names = [
        "PUT service/api/v1/lead",
        "event application.created",
        "publish application.created",
        "deliver application.created",
        "webhook POST",
    ]
    spans = programs.wait_until(
        lambda: found if {*names} <= {*(found := collector.of(trace))} else None, "the spans"
    )
    call, event, publication, delivery, post = (spans[name][0] for name in names)
    assert [one["service"] for one in (call, event, publication, delivery, post)] == [
        "vestibule-web", "vestibule-web", *["vestibule-worker"] * 3
    ]  # fmt: skip
    assert [one["parent"] for one in (call, event, publication, delivery, post)] == [
        CALLER.split("-")[2], *(one["span"] for one in (call, event, publication, delivery))
    ]  # fmt: skip
    assert message["traceparent"].split("-")[1:3] == [trace, post["span"]]
    assert message["request_id"] == "call-1"
    assert EMAIL not in json.dumps(collector.spans)


def lines_of_an_outage(programs, receiver, disturb, mend, component):
    """Return the lines that all programs log in an outage and until they work again."""
    before = programs.mark()
    disturb()
    time.sleep(OUTAGE_SECONDS)
    mend()
    programs.wait_until(lambda: programs.status_of("web1") == 200, "web serves again")
    receiver.wait_for(1, customer=create_lead(programs).json()["customerId"])

    def are_all_back():
        lines = "\n".join(programs.since(before))
        return lines.count(f"{component} is away") == lines.count(f"{component} is back")

    programs.wait_until(are_all_back, "each outage has ended")
    lines = [line for line in programs.since(before) if "request_finished" not in line]
    print(f"{component}: {len(lines)} lines", *lines, sep="\n")  # noqa: T201 - for `pytest -s`
    return lines


def test_an_outage_of_the_database_is_a_few_lines(programs, receiver):
    link = programs.link

    lines = lines_of_an_outage(programs, receiver, link.cut, link.mend, "database")

    assert any("the database is back after" in line for line in lines)
    assert len(lines) <= MAX_LINES


def test_an_outage_of_the_broker_is_a_few_lines(programs, receiver):
    broker = programs.broker

    lines = lines_of_an_outage(programs, receiver, broker.kill, broker.start, "broker")

    assert any("the broker is back after" in line for line in lines)
    assert len(lines) <= MAX_LINES


def fail_receiver(programs, receiver, mails):
    receiver.stop()
    for _ in range(10):
        create_lead(programs)


def end_mail_server(programs, receiver, mails):
    mails.cut()


def break_store(programs, receiver, mails):
    """Put a file in the place of the documents' folder."""
    media = programs.data / "media"
    if media.exists():
        media.rename(programs.data / "media-away")
    media.touch()


def mend_store(programs, receiver, mails):
    media = programs.data / "media"
    media.unlink()
    if (programs.data / "media-away").exists():
        (programs.data / "media-away").rename(media)


def fill_disk(programs, receiver, mails):
    if not programs.data.is_mount():
        pytest.skip("no disk can be mounted here")
    free = shutil.disk_usage(programs.data).free
    with (programs.data / "filler").open("wb") as filler:
        os.posix_fallocate(filler.fileno(), 0, free - DISK_BYTES // 50)


def start_with_another_key(programs, receiver, mails):
    """Start a worker with another key while it cannot reach the database, as it would refuse."""
    programs.end("worker2")
    link = Link(target_of(programs.server.environment["DATABASE_URL"]))
    link.cut()
    url = through(programs.server.environment["DATABASE_URL"], link)
    programs.start("worker2", LINK_KEY="another-key-" + "0123456789abcdef" * 4, DATABASE_URL=url)
    programs.wait_until(
        lambda: any(
            "compared once the database answers" in one for one in programs.lines("worker2")
        )
    )
    link.mend()


def mend_key(programs, receiver, mails):
    programs.end("worker2")
    programs.start("worker2")


def slow_database(programs, receiver, mails):
    programs.link.delay = 0.15


def hasten_database(programs, receiver, mails):
    programs.link.delay = 0.0


FAULTS = {  # what is done, the alert, and what mends it
    "receiver": (fail_receiver, "WebhooksFail", None),
    "mail": (end_mail_server, "MailServerAway", lambda programs, _, mails: mails.mend()),
    "store": (break_store, "StoreAway", mend_store),
    "disk": (
        fill_disk,
        "DiskNearlyFull",
        lambda programs, *_: (programs.data / "filler").unlink(missing_ok=True),
    ),
    "key": (start_with_another_key, "SecretsDiffer", mend_key),
    "slow database": (slow_database, "DatabaseSlow", hasten_database),
    "broker": (
        lambda programs, *_: programs.broker.kill(),
        "BrokerAway",
        lambda programs, *_: programs.broker.start(),
    ),
    "beat": (
        lambda programs, *_: programs.kill("beat"),
        "BeatDown",
        lambda programs, *_: programs.start("beat"),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_fires_its_alert_and_no_other_page(fault, programs, receiver, mails, prometheus):
    disturb, alert, mend = FAULTS[fault]
    programs.wait_until(
        lambda: prometheus.ask("query?query=vestibule_component_up").get("result"), "metrics"
    )
    programs.wait_until(lambda: "page" not in prometheus.firing().values(), "no page fires")

    try:
        disturb(programs, receiver, mails)
        began = time.monotonic()
        firing = programs.wait_until(
            lambda: found if alert in (found := prometheus.firing()) else None, alert
        )
        print(f"{fault}: {alert} after {time.monotonic() - began:.0f} s")  # noqa: T201 - as above
    finally:
        if mend:
            mend(programs, receiver, mails)

    assert {name for name, severity in firing.items() if severity == "page"} <= {alert}
