"""Documents of clients are offered where this server can fetch them, and nowhere else."""

import threading
import time

import pytest
from oauth2_provider.cimd import CIMDError
from oauth2_provider.models import Application

from mcp_server.oauth.client_documents import Reachability
from mcp_server.oauth.clients import MetadataFetcher
from tests.mcp_server.oauth.conftest import CALLBACK

OFFER = "client_id_metadata_document_supported"
SERVER = "/.well-known/oauth-authorization-server"
PROBES = ["https://one.example.com/client.json", "https://two.example.com/client.json"]


@pytest.fixture
def internet(monkeypatch, settings):
    """The documents that can be fetched; the test takes some away."""
    settings.CLIENT_DOCUMENT_PROBES = PROBES
    reachable = set(PROBES)

    def fetch(_fetcher, client_id):
        if client_id not in reachable:
            raise CIMDError("could not resolve client_id host")
        return {}, 600

    monkeypatch.setattr(MetadataFetcher, "fetch", fetch)
    return reachable


def test_documents_are_not_offered_before_they_were_fetched(internet):
    assert Reachability().ask() is False


def test_documents_are_offered_soon_after_somebody_asked(internet):
    reachability = Reachability()
    deadline = time.monotonic() + 30

    while not reachability.ask():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_one_document_that_cannot_be_fetched_is_enough_to_offer_none(internet):
    reachability = Reachability()
    internet.remove(PROBES[1])

    reachability.renew()

    assert reachability.ask() is False


def test_a_way_out_that_is_lost_ends_the_offer(internet):
    reachability = Reachability()
    reachability.renew()
    internet.clear()

    reachability.renew()

    assert reachability.ask() is False


def test_an_unexpected_error_ends_the_offer_until_the_next_check(internet, monkeypatch):
    reachability = Reachability()
    reachability.renew()
    asked = []

    def fail(_fetcher, client_id):
        asked.append(client_id)
        raise ValueError("a bug")

    monkeypatch.setattr(MetadataFetcher, "fetch", fail)
    reachability.renew()

    assert [reachability.ask() for _ in range(3)] == [False] * 3
    assert asked == PROBES[:1]


def test_a_check_that_cannot_start_is_started_by_the_next_question(internet, monkeypatch):
    reachability = Reachability()
    deadline = time.monotonic() + 30

    def fail(_thread):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        assert reachability.ask() is False

    while not reachability.ask():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(("setting", "is_offered"), [("on", True), ("off", False)])
def test_a_setting_decides_without_a_fetch(client, internet, settings, setting, is_offered):
    internet.clear()
    settings.CLIENT_DOCUMENTS = setting

    assert client.get(SERVER).json()[OFFER] is is_offered


@pytest.mark.parametrize("setting", ["on", "auto"])
def test_no_documents_are_offered_while_outbound_is_off(client, internet, settings, setting):
    settings.CLIENT_DOCUMENTS, settings.OUTBOUND = setting, False

    assert client.get(SERVER).json()[OFFER] is False


def test_a_server_without_a_way_out_offers_registration_alone(client, internet, settings):
    internet.clear()
    settings.CLIENT_DOCUMENTS = "auto"

    facts = client.get(SERVER).json()

    assert facts[OFFER] is False
    assert facts["registration_endpoint"] == "http://testserver/register"


def test_pinned_documents_are_not_fetched(client, settings):
    document = {
        "client_id": PROBES[0],
        "client_name": "Pinned",
        "redirect_uris": ["http://localhost/callback"],
        "grant_types": ["authorization_code", "refresh_token", "urn:example:other"],
    }
    settings.PINNED_CLIENT_DOCUMENTS = {PROBES[0]: document}
    settings.CLIENT_DOCUMENT_PROBES = PROBES[:1]
    settings.OUTBOUND = False
    reachability = Reachability()

    reachability.renew()
    read, _seconds = MetadataFetcher().fetch(PROBES[0])

    assert reachability.ask() is True
    assert read["client_name"] == "Pinned"
    assert read["grant_types"] == ["authorization_code", "refresh_token"]
    with pytest.raises(CIMDError, match="OUTBOUND is off"):
        MetadataFetcher().fetch(PROBES[1])


def test_a_client_with_a_pinned_document_signs_in(make_flow, settings):
    document = {
        "client_id": PROBES[0],
        "client_name": "Pinned",
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "none",
    }
    settings.PINNED_CLIENT_DOCUMENTS = {PROBES[0]: document}

    page = make_flow(client=Application(client_id=PROBES[0])).ask()

    assert page.status_code == 200
    assert page.context["client"].name == "Pinned"
