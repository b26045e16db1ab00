"""Digests of lines: equal data are known again, and numbers cannot be computed from them."""

from hashlib import blake2b
from importlib import import_module

import pytest
from django.apps import apps

from banking.feed import digests
from banking.models import Business, FeedRecord, Payee

PAYEE = {
    "supplier": "S-1",
    "method": "ACH",
    "payeeName": "Mill Co",
    "routingNumber": "021000021",
    "accountNumber": "000123456",
}
migration = import_module("banking.migrations.0056_keyed_digests_of_payees")
pytestmark = pytest.mark.django_db


@pytest.fixture
def payee(feed, line, supplies):
    """Return a function that sends the payee and returns the result."""
    return lambda version=1, **data: feed(line("payees", "PY-1", version, **PAYEE | data))[0]


def plain(text):
    return blake2b(text, digest_size=16).hexdigest()


def test_a_digest_of_encrypted_numbers_is_keyed(settings):
    digest = digests.digest_of(b"number", Payee)

    assert digest.startswith("k.")
    assert len(digest) == FeedRecord._meta.get_field("digest").max_length
    settings.API_KEY_PEPPER = "another pepper of another deployment"
    assert digests.digest_of(b"number", Payee) != digest
    assert digests.digest_of(b"name", Business) == plain(b"name")


def test_a_line_that_was_stored_with_a_plain_digest_changes_nothing(payee, monkeypatch):
    with monkeypatch.context() as former:
        former.setattr(digests, "encrypted_names", lambda model: [])
        assert payee()["result"] == "created"
    stored = FeedRecord.objects.get(kind="payees")
    assert not stored.digest.startswith("k.")

    assert payee()["result"] == "unchanged"
    assert payee(accountNumber="000123457")["errors"][0]["codeName"] == "VERSION_REUSED"

    migration.key(apps, None)
    stored.refresh_from_db()
    assert stored.digest.startswith("k.")
    assert payee()["result"] == "unchanged"
    migration.key(apps, None)
    assert payee()["result"] == "unchanged"
    assert payee(2, accountNumber="000123457")["result"] == "updated"


def test_the_migration_leaves_other_kinds_and_changes_made_here(payee):
    payee()
    FeedRecord.objects.filter(kind="payees").update(digest="")
    before = list(FeedRecord.objects.order_by("pk").values_list("kind", "digest"))

    migration.key(apps, None)

    assert list(FeedRecord.objects.order_by("pk").values_list("kind", "digest")) == before


def test_a_line_is_known_again_under_a_new_pepper(payee, settings):
    payee()
    old = settings.API_KEY_PEPPER
    settings.API_KEY_PEPPER, settings.API_KEY_PEPPER_FALLBACKS = "new pepper", [old]

    assert payee()["result"] == "unchanged"

    settings.API_KEY_PEPPER_FALLBACKS = []
    assert payee()["result"] == "unchanged"
    assert payee(accountNumber="000123457")["errors"][0]["codeName"] == "VERSION_REUSED"


def test_an_unchanged_line_of_a_newer_version_moves_to_the_new_pepper(payee, settings):
    payee()
    old = settings.API_KEY_PEPPER
    settings.API_KEY_PEPPER, settings.API_KEY_PEPPER_FALLBACKS = "new pepper", [old]

    assert payee(2)["result"] == "unchanged"

    settings.API_KEY_PEPPER_FALLBACKS = []
    assert payee(2)["result"] == "unchanged"
