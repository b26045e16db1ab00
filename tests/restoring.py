"""Put a database back to the rows that migrations wrote, after a test that commits.

Django's `flush` empties each table, and somebody has to insert the rows of the migrations again.
This deletes from the tables that a test filled, and inserts rows only where it changed them.
"""

import threading

from django.core.signals import request_finished, request_started
from django.db import transaction
from django.test import TransactionTestCase

ANSWER_SECONDS = 20


class RunningRequests:
    """The threads that answer a request now: a closed browser leaves its last ones to them."""

    def __init__(self):
        self.threads = set()
        self.changed = threading.Condition()
        request_started.connect(self._begin)
        request_finished.connect(self._end)

    def wait_for_others(self):
        """Return when no thread but the caller's answers a request, or after ANSWER_SECONDS."""
        own = threading.get_ident()
        with self.changed:
            self.changed.wait_for(lambda: not self.threads - {own}, ANSWER_SECONDS)
            self.threads.clear()  # a thread that ended within its request says no more

    def _begin(self, **_options):
        with self.changed:
            self.threads.add(threading.get_ident())

    def _end(self, **_options):
        with self.changed:
            self.threads.discard(threading.get_ident())
            self.changed.notify_all()


class Restorer:
    """Restore the database of a connection to the rows that it has now."""

    def __init__(self, connection):
        self.requests = RunningRequests()
        self.connection = connection
        self.tables = connection.introspection.django_table_names(
            only_existing=True, include_views=False
        )
        self.migrated = {table: self._rows(table) for table in self._filled_tables()}

    def install(self):
        """Let each transactional test end with this instead of Django's `flush`."""
        TransactionTestCase._fixture_teardown = lambda _case: self.restore()  # noqa: SLF001 - there is no other way

    def restore(self):
        self.requests.wait_for_others()
        wrong = self._filled_tables() - self.migrated.keys()
        wrong |= {table for table, rows in self.migrated.items() if self._rows(table) != rows}
        with transaction.atomic(), self.connection.cursor() as cursor:
            for table in wrong:
                cursor.execute(f"DELETE FROM {table}")
            for table in wrong & self.migrated.keys():
                rows = self.migrated[table]
                places = ", ".join(["%s"] * len(rows[0]))
                cursor.executemany(f"INSERT INTO {table} VALUES ({places})", rows)

    def _filled_tables(self):
        selects = (f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})" for name in self.tables)
        with self.connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(selects))
            return {name for (name,) in cursor.fetchall()}

    def _rows(self, table):
        with self.connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table} ORDER BY 1")
            return cursor.fetchall()
