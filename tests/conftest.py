"""Plumbing that any test may use; rows come from `tests/factories.py`."""

import gc
import io
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import hypothesis
import orjson
import pytest
from django.apps import apps
from django.conf import settings
from django.core.files.storage import InMemoryStorage, storages
from django.db import connection, connections
from django.db.models import FileField
from django.test import TransactionTestCase

from banking.feed import batches
from banking.feed.lines import Terms, read_lines
from banking.models import FeedBatch
from banking.services import deployments, stores
from foundation.database import append_only
from foundation.privacy import aws_kms
from foundation.privacy.encrypted_storage import EncryptedStorage
from tests import factories, restoring, templates
from tests.clamd import ClamdServer
from tests.pseudo_locales import pseudo_locales  # noqa: F401 - a fixture of several folders

TIMEOUT_SECONDS = 120  # until a thread that should have come is missed
SLOW = {"config", "e2e"}  # they start processes and browsers
ON_POSTGRESQL = [  # what takes long, and whose code other tests try on SQLite
    "banking/admin",
    "banking/demo",
    "banking/management/commands/test_load_demo_bank.py",
    "bench/test_questions.py",
    "e2e/test_feed_kills.py",
    "e2e/test_review.py",
    "e2e/test_verification_kills.py",
    "e2e/test_webhooks.py",
    "e2e/test_working.py",
    "foundation/backoffice",
    "mcp_server/pages",
    "mcp_server/test_isolation.py",
    "mcp_server/test_limits.py",
    "mcp_server/test_owner_roles.py",
    "onboarding/admin",
    "onboarding/flow",
    "onboarding/management/test_make_applications.py",
]
APPEND_ONLY = [
    "banking_posting",
    "banking_entry",
    "banking_staffevent",
    "mcp_server_accesslogentry",
    "onboarding_check",
    "onboarding_checkrun",
    "onboarding_event",
    "onboarding_consent",
    "onboarding_policyversion",
    "onboarding_signedrecord",
]


# A busy machine is no fault of the code: no example fails for the time that it took.
hypothesis.settings.register_profile(
    "timeless", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("timeless")

gc.disable()  # while modules are imported and tests are collected: nearly all of it stays


def pytest_collection_finish():
    """Let the garbage collector pass over what was imported and collected."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items):
    """Mark the tests that need no second database, and begin with the files that take longest.

    Tests of whole processes use a database without a fixture: they mark themselves.
    """
    for item in items:
        if not uses_database(item) and folder(item) != "e2e":
            item.add_marker(pytest.mark.one_database)
        elif any(place(item).is_relative_to(one) for one in ON_POSTGRESQL):
            item.add_marker(pytest.mark.on_postgresql)
    yield
    items.sort(key=lambda item: folder(item) not in SLOW)


def place(item):
    return item.path.relative_to(settings.BASE_DIR / "tests")


def folder(item):
    return place(item).parts[0]


def uses_database(item):
    is_django_case = item.cls is not None and issubclass(item.cls, TransactionTestCase)
    is_marked = item.get_closest_marker("django_db") is not None
    return is_django_case or is_marked or "django_db_setup" in item.fixturenames


@pytest.fixture
def db(request, db):
    """Refuse a database to a test that asks for it too late to be run on each of them."""
    if not uses_database(request.node):
        pytest.fail("Mark this test with pytest.mark.django_db.")


@pytest.fixture(scope="session")
def django_db_keepdb():
    """Let `migrate` find a copied file; it goes with the folder of the data."""
    return templates.is_sqlite()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):
    """Begin with a copy of a migrated database."""
    test = connection.settings_dict["TEST"]
    if templates.is_sqlite():
        templates.copy_file(test["NAME"])
    else:
        test["TEMPLATE"] = templates.name_on_server()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Let tests empty their database; `test_append_only` protects its tables again."""
    with django_db_blocker.unblock():
        for table in APPEND_ONLY:
            append_only.allow_deletion(connection, table)
        restoring.Restorer(connection).install()


@pytest.fixture
def protected_tables(db):
    """Refuse deletions as the migrations do: tests may delete otherwise."""
    for table in APPEND_ONLY:
        append_only.protect_from_deletion(connection, table)


@pytest.fixture
def in_threads(transactional_db):
    """Call a function in one thread per argument, all at once; errors come back as values."""

    def run(call, arguments):
        arguments = list(arguments)
        barrier = threading.Barrier(len(arguments))

        def attempt(argument):
            barrier.wait(timeout=TIMEOUT_SECONDS)
            try:
                return call(argument)
            except Exception as exc:  # noqa: BLE001 - the test judges what each thread met
                return exc
            finally:
                connections.close_all()

        with ThreadPoolExecutor(len(arguments)) as pool:
            return list(pool.map(attempt, arguments))

    return run


@pytest.fixture(autouse=True)
def _store_without_owner():
    """Forget the deployment that a test gave the documents to: the store in memory outlives it."""
    storage = storages["documents"]
    if isinstance(getattr(storage, "store", None), InMemoryStorage):
        storage.delete(stores.MARKER)


@pytest.fixture
def own_store(db):
    """Let the document store, with the files that tests before left, belong to this database."""
    deployments.verify(at=factories.NOON, may_record=True)
    stores.adopt(by_force=True)


@pytest.fixture(scope="module")
def clamd():
    """Run a clamd that finds the EICAR test file."""
    server = ClamdServer()
    try:
        yield server.start()
    finally:
        server.remove()


@pytest.fixture
def scanner(clamd, settings):
    """Let files be scanned by clamd."""
    settings.SCANNER, settings.CLAMD_ADDRESS = "clamd", clamd.address
    return clamd


@pytest.fixture
def encrypted_disk(monkeypatch, tmp_path):
    """Keep documents and papers encrypted in folders of their own, and return the folder above."""
    for alias, label in (("documents", "media"), ("papers", "papers")):
        options = settings.STORAGES[alias]["OPTIONS"]
        disk = "django.core.files.storage.FileSystemStorage"
        store = {"BACKEND": disk, "OPTIONS": {"location": tmp_path / label, "base_url": None}}
        storage, usual = EncryptedStorage(**{**options, "store": store}), storages[alias]
        monkeypatch.setitem(vars(storages)["_storages"], alias, storage)
        for field in file_fields():
            if field.storage is usual:
                monkeypatch.setattr(field, "storage", storage)
    return tmp_path


def file_fields():
    fields = (field for model in apps.get_models() for field in model._meta.local_fields)
    return [field for field in fields if isinstance(field, FileField)]


@pytest.fixture
def moto(monkeypatch):
    """Start a server that speaks the protocols of AWS, and return its address."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(moto):
    """Make a bucket, and return a function that makes a storage at a place in it."""
    import boto3

    place = {"endpoint_url": moto, "region_name": "us-east-1"}
    name = f"documents-{uuid4()}"  # all servers of a process share their buckets
    boto3.session.Session().client("s3", **place).create_bucket(Bucket=name)

    def storage(location, **options):
        s3 = {"bucket_name": name, "location": location, **place}
        store = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": s3}
        return EncryptedStorage(store=store, **options)

    return storage


@pytest.fixture
def key_service_away(settings, monkeypatch):
    """Let data keys be wrapped by a key service that nobody reaches."""
    aws_kms.kms_client.cache_clear()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    settings.KEY_PROVIDER, settings.KMS_KEY_ID = "aws-kms", "alias/vestibule"
    settings.KMS_ENDPOINT, settings.KMS_REGION = "http://127.0.0.1:9", "us-east-1"
    yield
    aws_kms.kms_client.cache_clear()


@pytest.fixture
def make_partner(db):
    return factories.make_partner


@pytest.fixture
def make_api_key(db):
    return factories.make_api_key


@pytest.fixture
def make_lead(db):
    return factories.make_lead


@pytest.fixture
def make_application(db):
    return factories.make_application


@pytest.fixture
def make_owner(db):
    return factories.make_owner


@pytest.fixture
def make_invitation(db):
    return factories.make_invitation


@pytest.fixture
def make_document(db):
    return factories.make_document


@pytest.fixture
def make_check_run(db):
    return factories.make_check_run


@pytest.fixture
def make_check(db):
    return factories.make_check


@pytest.fixture
def make_proposal(db):
    return factories.make_proposal


@pytest.fixture
def make_note(db):
    return factories.make_note


@pytest.fixture
def make_webhook(db):
    return factories.make_webhook


@pytest.fixture
def make_event(db):
    return factories.make_event


@pytest.fixture
def make_business(db):
    return factories.make_business


@pytest.fixture
def make_business_owner(db):
    return factories.make_business_owner


@pytest.fixture
def make_account(db):
    return factories.make_account


@pytest.fixture
def make_transaction(db):
    return factories.make_transaction


@pytest.fixture
def make_user(db):
    return factories.make_user


@pytest.fixture
def make_accountant(db):
    return factories.make_accountant


@pytest.fixture
def make_access(db):
    return factories.make_access


@pytest.fixture
def make_referral(db):
    return factories.make_referral


@pytest.fixture
def make_terms(db):
    return factories.make_terms


@pytest.fixture
def make_linked_account(db):
    return factories.make_linked_account


@pytest.fixture
def make_invoice(db):
    return factories.make_invoice


@pytest.fixture
def make_service_item(db):
    return factories.make_service_item


@pytest.fixture
def make_supplier(db):
    return factories.make_supplier


@pytest.fixture
def make_payee(db):
    return factories.make_payee


@pytest.fixture
def make_bill(db):
    return factories.make_bill


@pytest.fixture
def make_bill_payment(db):
    return factories.make_bill_payment


@pytest.fixture
def make_bill_attachment(db):
    return factories.make_bill_attachment


@pytest.fixture
def make_card(db):
    return factories.make_card


@pytest.fixture
def make_secured_card(db):
    return factories.make_secured_card


@pytest.fixture
def make_address(db):
    return factories.make_address


@pytest.fixture
def make_subscription(db):
    return factories.make_subscription


@pytest.fixture
def make_duns_registration(db):
    return factories.make_duns_registration


@pytest.fixture
def anchor_folder(settings, tmp_path):
    """The folder in which anchors are kept, with a key that signs them."""
    folder = tmp_path / "anchors"
    settings.ANCHORS = [folder.as_uri()]
    settings.ANCHOR_KEY_FILE = factories.make_anchor_key(tmp_path / "anchor-key.pem")
    return folder


@pytest.fixture
def spool(settings, tmp_path):
    """The folder in which large uploads wait."""
    settings.DOCUMENT_SPOOL = tmp_path / "spool"
    return settings.DOCUMENT_SPOOL


@pytest.fixture
def limits_on(settings):
    """Count calls against the limits of production."""
    settings.RATE_LIMIT_FACTOR = 1


@pytest.fixture
def feed(db):
    """Return a function that feeds lines, as dicts or bytes, and returns their outcomes."""

    def take(*lines, at=factories.NOON, **terms):
        texts = [line if isinstance(line, bytes) else orjson.dumps(line) for line in lines]
        stream = io.BytesIO(b"\n".join(texts))
        batch = FeedBatch.objects.create(source="COMMAND", started_at=at)
        outcomes = batches.run(
            read_lines(stream), batch=batch, terms=Terms(**terms), clock=lambda: at
        )
        return [outcome.as_json() for outcome in outcomes]

    return take


@pytest.fixture
def line():
    """Return a function that makes a line of kind, external id, version and fields of data."""

    def make(kind, external_id, version=1, /, **data):
        return {"kind": kind, "externalId": external_id, "version": version, "data": data}

    return make
