"""The registry: adapters found by entry points of installed packages, and faults of settings."""

import sys

import pytest
from django.core.checks import run_checks

from foundation.verification import registry
from foundation.verification.interface import Kind
from tests.verification_providers import account

URL = "https://idcheck.example.com/v1"
MODULE = """
class Adapter:
    needs = {"REGISTRY": ("businessName", "ein")}
    def __init__(self, account):
        self.account = account

class Picky(Adapter):
    def __init__(self, account):
        raise ValueError("its token has the wrong shape")

class Broken(Adapter):
    def __init__(self, account):
        raise KeyError("s3cret")

class Curious(Adapter):
    needs = {"REGISTRY": ("businessName", "shoeSize")}
"""
POINTS = """[vestibule.verification_providers]
registry = sample_adapter:Adapter
picky = sample_adapter:Picky
broken = sample_adapter:Broken
curious = sample_adapter:Curious
gone = sample_adapter:Gone
https = sample_adapter:Adapter
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package with adapters, as pip would lay it out."""
    info = tmp_path / "sample_adapter-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sample-adapter\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    (tmp_path / "sample_adapter.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("sample_adapter", None)


@pytest.fixture
def configure(settings):
    def configure(*accounts):
        settings.VERIFICATION_PROVIDERS = list(accounts)
        return [message.msg for message in run_checks() if message.id.endswith("100")]

    return configure


def test_an_installed_adapter_is_found_by_its_entry_point(installed, configure):
    faults = configure(account(URL, "acme", adapter="registry", kinds=()))

    assert faults == []
    assert registry.list_providers() == {Kind.REGISTRY: "acme"}
    assert type(registry.get_provider("acme")).__module__ == "sample_adapter"


def test_a_package_cannot_replace_the_built_in_adapter(installed, configure):
    configure(account(URL))

    assert type(registry.get_provider("idcheck")).__name__ == "HttpsProvider"


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"adapter": "none"}, "VERIFICATION_PROVIDERS: acme: there is no adapter 'none'."),
        ({"adapter": "gone"},
         "VERIFICATION_PROVIDERS: acme: the adapter gone cannot be loaded (AttributeError)."),
        ({"adapter": "picky"}, "VERIFICATION_PROVIDERS: acme: the adapter picky refuses the "
         "account: its token has the wrong shape."),
        ({"adapter": "broken"},
         "VERIFICATION_PROVIDERS: acme: the adapter broken fails (KeyError)."),
        ({"adapter": "curious", "kinds": ()}, "The adapter curious wants shoeSize."),
        ({"url": "http://a.example.com"},
         "VERIFICATION_ACME_URL cannot be called: it must begin with https://, or http to "
         "loopback."),
        ({"token": ""}, "VERIFICATION_ACME_TOKEN is not set."),
        ({"kinds": ("REGISTRY", "SHOES")},
         "VERIFICATION_ACME_CHECKS names SHOES, which the adapter does not answer."),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named_in_a_sentence(installed, configure, values, fault):
    assert configure({**account(URL, "acme", kinds=()), **values}) == [fault]


def test_a_short_secret_is_named_and_not_shown(configure):
    faults = configure(account(URL, "acme", secret="whsec_c2hvcnQ="))

    assert faults == [
        "VERIFICATION_ACME_SECRET has less than 24 characters.",
        "VERIFICATION_PROVIDERS: acme: the adapter https refuses the account: its secret has less "
        "than 24 bytes.",
    ]


@pytest.mark.parametrize("name", ["Acme", "a-b", "", "a" * 33, "../x"])
def test_a_name_has_small_letters_and_digits(configure, name):
    assert configure(account(URL, name)) == [
        f"VERIFICATION_PROVIDERS: {name} is no name of a provider, or there twice."
    ]


def test_a_provider_that_is_never_asked_is_a_warning(configure):
    first, second = account(URL, "one"), account(URL, "two")

    assert configure(first, second) == ["two is never asked for IDENTITY: one is."]
    assert registry.list_providers() == {Kind.IDENTITY: "one"}
    with pytest.raises(registry.NotConfigured):
        registry.get_provider("three")
