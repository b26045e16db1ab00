"""Whose the document store is."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, InMemoryStorage, storages

from banking.models import Deployment
from banking.services import deployments, jobs, stores
from banking.services.stores import StoreOfAnother
from tests.factories import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True, params=["files", "memory"])
def store(request, monkeypatch, tmp_path):
    """Return an empty store of documents."""
    store = FileSystemStorage(tmp_path / "media") if request.param == "files" else InMemoryStorage()
    monkeypatch.setitem(vars(storages)["_storages"], "documents", store)
    return store


@pytest.fixture
def deployment():
    """Return the deployment that the store belongs to."""
    deployments.verify(at=NOON, may_record=True)
    return Deployment.objects.get()


def put_file(store):
    return store.save("leads/x/file", ContentFile(b"x"))


def test_the_first_start_takes_an_empty_store(deployment):
    assert stores.get_owner() == str(deployment.external_id)
    stores.require_own()


def test_a_store_that_has_files_is_not_taken(store):
    put_file(store)
    deployments.verify(at=NOON, may_record=True)

    with pytest.raises(StoreOfAnother, match=r"^The store has files and no deployment's id\."):
        stores.require_own()
    stores.adopt(by_force=False)
    stores.require_own()


def test_a_store_that_is_away_at_the_first_start_is_taken_when_it_is_still_empty(monkeypatch):
    def fail(*_):
        raise OSError("disk gone")

    with monkeypatch.context() as patch:
        patch.setattr(stores, "get_owner", fail)
        deployments.verify(at=NOON, may_record=True)
    assert stores.get_owner() == ""

    stores.require_own()

    assert stores.get_owner() == str(Deployment.objects.get().external_id)


def test_the_store_of_another_deployment_is_refused_until_it_is_taken_by_force(deployment):
    Deployment.objects.update(external_id="11111111-1111-4111-8111-111111111111")

    with pytest.raises(StoreOfAnother, match=r"^The store is of deployment .*, not 11111111-"):
        stores.require_own()
    with pytest.raises(stores.Taken):
        stores.adopt(by_force=False)
    stores.adopt(by_force=True)
    stores.require_own()


def test_a_database_without_an_id_is_refused_a_store_that_has_one(deployment):
    Deployment.objects.all().delete()

    with pytest.raises(StoreOfAnother, match="the database of none: restore all") as refused:
        stores.require_own()
    assert len(str(refused.value)) <= jobs.Job._meta.get_field("outcome").max_length


def test_a_database_without_an_id_is_refused_files(store):
    stores.require_own()  # a first start: neither has anything

    put_file(store)

    with pytest.raises(StoreOfAnother, match="has no id: restore all of the database") as refused:
        stores.require_own()
    assert len(str(refused.value)) <= jobs.Job._meta.get_field("outcome").max_length


def test_a_restored_copy_is_refused_although_its_id_is_the_same(deployment):
    Deployment.objects.update(database_identity="1/2")  # of the database that was dumped

    with pytest.raises(StoreOfAnother, match=r"^This database was restored from a copy, or moved"):
        stores.require_own()


def test_a_restored_production_keeps_its_store(deployment):
    Deployment.objects.update(database_identity="1/2")

    stores.adopt(by_force=False)

    stores.require_own()


def test_a_copy_with_an_id_of_its_own_leaves_the_store_to_production(store, deployment):
    put_file(store)

    copy = stores.become_another()

    assert copy.external_id != deployment.external_id
    assert stores.get_owner() == str(deployment.external_id)
    with pytest.raises(StoreOfAnother):
        stores.require_own()


def test_a_copy_takes_an_empty_store(store, deployment):
    store.delete(stores.MARKER)

    copy = stores.become_another()

    assert stores.get_owner() == str(copy.external_id)


def test_a_refusal_fits_into_the_outcome_of_a_job(deployment):
    Deployment.objects.update(external_id="11111111-1111-4111-8111-111111111111")

    with pytest.raises(StoreOfAnother) as refused:
        stores.require_own()

    assert len(str(refused.value)) <= jobs.Job._meta.get_field("outcome").max_length


def test_a_copy_deletes_no_files_of_jobs(deployment):
    Deployment.objects.update(external_id="11111111-1111-4111-8111-111111111111")

    with pytest.raises(StoreOfAnother):
        jobs.purge_files(before=NOON)
