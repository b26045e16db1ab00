"""The connection check of a real Redis with TLS, right and wrong."""

import shutil
import subprocess
import time

import pytest

from config import celery
from config.connection_checks import broker
from tests.config.connection_checks.authority import make_certificate
from tests.proxies import free_port

TIMEOUT_SECONDS = 120


@pytest.fixture(scope="module")
def redis(tmp_path_factory):
    """Start a Redis with TLS and a password; yield its port and certificate."""
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not installed (Debian: apt install redis-server)")
    folder = tmp_path_factory.mktemp("redis")
    certificate, port = make_certificate(folder), free_port()
    (folder / "redis.conf").write_text(
        f"port 0\ntls-port {port}\nbind 127.0.0.1\nsave ''\ntls-auth-clients no\n"
        f"tls-cert-file {certificate}\ntls-key-file {certificate}\n"
        f"tls-ca-cert-file {certificate}\nrequirepass right\n"
    )
    process = subprocess.Popen(["redis-server", folder / "redis.conf"], stdout=subprocess.DEVNULL)
    yield port, certificate
    process.terminate()
    process.wait()


@pytest.fixture
def ask(redis, settings, monkeypatch):
    """Return the finding of an address of the broker."""
    port, certificate = redis

    def check(scheme="rediss", password="right", host="localhost", at=port):
        tls = f"?ssl_cert_reqs=required&ssl_ca_certs={certificate}" if scheme == "rediss" else ""
        settings.CELERY_BROKER_URL = url = f"{scheme}://:{password}@{host}:{at}/0{tls}"
        app = celery.Celery("probe", broker=url, set_as_current=False)  # tasks keep theirs
        app.conf.task_default_queue = "probe"
        monkeypatch.setattr(celery, "app", app)
        return next(broker.check())

    deadline = time.monotonic() + TIMEOUT_SECONDS
    while check().hint and time.monotonic() < deadline:
        time.sleep(0.1)
    return check


def test_a_broker_that_answers_has_no_fault(ask):
    found = ask()

    assert "answers by rediss; 0 messages wait" in found.text
    assert not found.hint


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        ({"password": "wrong"}, "user and password"),
        ({"host": "127.0.0.1"}, "not of this name"),
        ({"scheme": "redis"}, "expects TLS"),
        ({"at": 1}, "Nothing listens there"),
    ],
)
def test_each_fault_is_a_sentence_with_a_hint(ask, values, hint):
    found = ask(**values)

    assert found.text.startswith("the broker: ")
    assert hint in found.hint
