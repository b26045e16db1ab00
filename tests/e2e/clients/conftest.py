"""A server process with the demo bank, for clients that other people wrote."""

import fcntl
import os
import shutil
from contextlib import contextmanager

import pytest
from django.db import connection

from config import development_secrets
from tests.e2e import serving
from tests.e2e.clients.person import Person
from tests.e2e.serving import PREPARE, Server

LOAD = """
import django
django.setup()
from config import demo
demo.load_bank()
"""
ONE_IS_ENOUGH = "clients do not see the database: the run on SQLite has them all"


@pytest.fixture(scope="session")
def bank_data(tmp_path_factory):
    """Return a folder with the demo bank; processes of one run share it."""
    if connection.vendor != "sqlite":
        pytest.skip(ONE_IS_ENOUGH)
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / "bank.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "bank").exists():
            make_bank(folder / "draft")
            (folder / "draft").rename(folder / "bank")
    return folder / "bank"


def make_bank(folder):
    """Load the demo bank into a migrated database, and prepare the demo's people."""
    folder.mkdir()
    development_secrets.write(folder / "secrets.env")
    with serving.migrated_database(folder) as url:
        serving.run(["-c", LOAD + PREPARE], serving.environment(folder, url))


@contextmanager
def served(bank_data, folder, module="config.web", **environment):
    """Yield a server on a copy of the demo bank."""
    shutil.copytree(bank_data, folder)
    server = Server(folder, module, "")
    server.environment |= environment
    token = server.manage("issue_assistant_token", "--user", server.facts["OWNER_EMAIL"])
    server.facts["TOKEN"] = server.environment["TOKEN"] = token.splitlines()[0]
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def bank(bank_data, tmp_path_factory):
    """A server like the one that `manage.py up` starts."""
    with served(bank_data, tmp_path_factory.mktemp("served") / "data") as server:
        yield server


@pytest.fixture
def owner(bank):
    facts = bank.facts
    person = Person(facts["BASE_URL"], facts["OWNER_EMAIL"], facts["OWNER_PASSWORD"])
    yield person
    person.close()


@pytest.fixture
def accountant(bank):
    facts = bank.facts
    person = Person(facts["BASE_URL"], facts["ACCOUNTANT_EMAIL"], facts["ACCOUNTANT_PASSWORD"])
    yield person
    person.close()
