"""`manage.py demo_host`, up to the moment that it serves; tests/e2e/test_embedded.py goes on."""

import socket
import threading
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from django.core.management import CommandError, call_command

from config.demo_host import Host, LeadApi
from tests import factories


@pytest.fixture
def demo(db, settings, tmp_path):
    """A demo partner with its file of facts."""
    settings.DATA_DIR = tmp_path
    issued = factories.make_api_key(factories.make_partner(name="Demo Partner"))
    facts = {
        "ACCESS_KEY": issued.key.access_key,
        "SECRET_KEY": issued.secret,
        "BASE_URL": "http://127.0.0.1:8000",
        "SCHEME_WORD": "Vestibule",
    }
    lines = "".join(f"{name}={value}\n" for name, value in facts.items())
    (tmp_path / "demo.env").write_text(lines)
    return issued.key.partner


@pytest.fixture
def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_its_origins_are_registered_beside_the_others(demo, free_port, monkeypatch, capsys):
    demo.embed_origins = ["https://app.example.com"]
    demo.save()
    monkeypatch.setattr(Host, "serve_forever", lambda _host: None)

    call_command("demo_host", port=free_port)

    demo.refresh_from_db()
    assert demo.embed_origins == [
        "https://app.example.com",
        f"http://localhost:{free_port}",
        f"http://127.0.0.1:{free_port}",
    ]
    assert f"at http://localhost:{free_port}/ " in capsys.readouterr().out


def test_it_stops_quietly(demo, free_port, monkeypatch):
    def interrupt(_host):
        raise KeyboardInterrupt

    monkeypatch.setattr(Host, "serve_forever", interrupt)

    call_command("demo_host", port=free_port)


def test_it_is_on_another_site_than_the_service(free_port):
    with Host(free_port, LeadApi("http://localhost:8000", "")) as host:
        assert host.origins[0] == f"http://127.0.0.1:{free_port}"


def test_it_is_for_the_sandbox(demo, settings):
    settings.IS_SANDBOX = False

    with pytest.raises(CommandError, match="outside of the sandbox"):
        call_command("demo_host")


def test_without_a_demo_partner_it_says_what_to_do(db, settings, tmp_path):
    settings.DATA_DIR = tmp_path

    with pytest.raises(CommandError, match="make run"):
        call_command("demo_host")


def test_a_port_that_is_taken_is_named(demo):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(CommandError, match=rf"Port {port} cannot be had"):
            call_command("demo_host", port=port)


def test_without_the_service_the_page_says_so(free_port):
    with Host(0, LeadApi(f"http://127.0.0.1:{free_port}", "")) as host:
        thread = threading.Thread(target=host.handle_request)
        thread.start()
        with pytest.raises(HTTPError) as refusal:
            urlopen(f"http://127.0.0.1:{host.server_port}/", timeout=10)
        thread.join()

    assert refusal.value.code == 502
    assert b"Is it running?" in refusal.value.read()
    refusal.value.close()
