"""Plumbing that any test may use; rows come from `tests/factories.py`."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections


@pytest.fixture
def in_threads(transactional_db, django_db_serialized_rollback):
    """Call a function in one thread per argument, all at once; errors come back as values.

    The rows that migrations made are there again, although such a test flushes the database.
    """

    def run(call, arguments):
        arguments = list(arguments)
        barrier = threading.Barrier(len(arguments))

        def attempt(argument):
            barrier.wait(timeout=60)
            try:
                return call(argument)
            except Exception as exc:  # noqa: BLE001 - the test judges what each thread met
                return exc
            finally:
                connections.close_all()

        with ThreadPoolExecutor(len(arguments)) as pool:
            return list(pool.map(attempt, arguments))

    return run
