"""The connection check of a real mail server, right and wrong."""

import asyncio
import threading

import pytest

from bench.trial import smtp_sink
from config.connection_checks import mail
from tests.config.connection_checks.authority import make_certificate


@pytest.fixture
def sink(tmp_path, settings, monkeypatch):
    """Start a mail server with STARTTLS, and set it up as the right one; yield its log."""
    certificate = make_certificate(tmp_path)
    log, loop, ports = tmp_path / "mails", asyncio.new_event_loop(), []
    started = threading.Event()

    async def serve():
        sent = smtp_sink.serve("127.0.0.1", 0, log, str(certificate), "bank", "right")
        async with await sent as server:
            ports.append(server.sockets[0].getsockname()[1])
            started.set()
            await asyncio.Future()

    task = loop.create_task(serve())
    thread = threading.Thread(target=lambda: loop.run_until_complete(asyncio.wait([task])))
    thread.start()
    assert started.wait(60)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    settings.EMAIL_HOST, settings.EMAIL_PORT = "localhost", ports[0]
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "bank", "right"
    settings.EMAIL_USE_TLS = True
    yield log
    loop.call_soon_threadsafe(task.cancel)
    thread.join()
    loop.close()


def test_a_mail_server_that_takes_the_sender_has_no_fault(sink):
    [found] = mail.check()

    assert "with TLS" in found.text
    assert not found.hint
    assert not sink.exists(), "no mail was sent"


@pytest.mark.parametrize(
    ("name", "value", "text", "hint"),
    [
        ("EMAIL_HOST_PASSWORD", "wrong", "authentication failed", "EMAIL_HOST_PASSWORD"),
        ("EMAIL_HOST", "127.0.0.1", "certificate", "not of this name"),
        ("EMAIL_USE_TLS", False, "AUTH", "EMAIL"),
        ("EMAIL_PORT", 1, "refused", "Nothing listens there"),
        ("EMAIL_HOST", "", "no mail server", "EMAIL_HOST"),
    ],
)
def test_each_fault_is_a_sentence_with_a_hint(sink, settings, name, value, text, hint):
    setattr(settings, name, value)

    [found] = mail.check()

    assert text in found.text
    assert hint in found.hint
