"""manage.py adopt_store."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, storages
from django.core.management import CommandError, call_command

from banking.models import Deployment
from banking.services import deployments, stores
from tests.factories import NOON

OTHER = "11111111-1111-4111-8111-111111111111"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def store(monkeypatch):
    """Return a store with a file that belongs to this database."""
    store = InMemoryStorage()
    monkeypatch.setitem(vars(storages)["_storages"], "documents", store)
    deployments.verify(at=NOON, may_record=True)
    store.save("leads/x/file", ContentFile(b"x"))
    return store


def test_a_store_without_an_id_is_taken(store, capsys):
    store.delete(stores.MARKER)

    call_command("adopt_store")

    assert capsys.readouterr().out == "the store belongs to this database\n"
    stores.require_own()


def test_the_store_of_another_is_taken_on_purpose_only():
    Deployment.objects.update(external_id=OTHER)

    with pytest.raises(CommandError, match=r"^The store belongs to deployment .* --yes takes it"):
        call_command("adopt_store")
    call_command("adopt_store", "--yes")

    assert stores.get_owner() == OTHER


def test_a_copy_gets_an_id_and_is_told_that_the_store_is_not_its_own(capsys):
    owner = stores.get_owner()

    call_command("adopt_store", "--new-id")

    first, second = capsys.readouterr().out.splitlines()
    assert first == f"this database is deployment {Deployment.objects.get().external_id}"
    assert second.startswith(f"The store is of deployment {owner}, not ")
    assert stores.get_owner() == owner


def test_a_copy_with_a_store_of_its_own_takes_it(capsys):
    call_command("adopt_store", "--new-id", "--yes")

    assert stores.get_owner() == str(Deployment.objects.get().external_id)


def test_before_the_first_start_there_is_nothing_to_adopt():
    Deployment.objects.all().delete()

    with pytest.raises(CommandError, match="start a program first"):
        call_command("adopt_store")
