"""The command that takes a file of records, killed in the middle of a chunk and after one."""

import json
import signal
import subprocess
import sys
from itertools import chain

import pytest
from django.conf import settings

from tests.banking.feed.conftest import BUSINESS
from tests.e2e.serving import TIMEOUT_SECONDS, Server, database

CHUNKS, AMOUNT_CENTS = 4, 125
KILLED = """
import os, signal, sys
import django
django.setup()
from django.core.management import call_command
from banking.feed import batches
real, count = getattr(batches, sys.argv[2]), 0

def kill_at_the_third(*arguments, **named):
    global count
    count += 1
    result = real(*arguments, **named)
    if count == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

setattr(batches, sys.argv[2], kill_at_the_third)
call_command("feed", sys.argv[1])
"""
RESUMED = """
import django
django.setup()
import io, json, sys
from django.core.management import call_command
from banking.feed import batches
from banking.models import Account, FeedBatch
from banking.queries.ledger import find_differences

def find():
    results = b"".join(map(b"".join, map(batches.read_results, FeedBatch.objects.order_by("pk"))))
    account = Account.objects.get(name="Killed")
    return {
        "lines": [json.loads(line)["line"] for line in results.splitlines()],
        "names": sorted(account.transactions.values_list("description", flat=True)),
        "cents": account.current_cents,
        "batches": FeedBatch.objects.count(),
        "differences": list(map(str, find_differences())),
    }

def feed():
    said = io.StringIO()
    call_command("feed", sys.argv[1], stdout=said)
    return said.getvalue()

print(json.dumps([find(), feed(), find(), feed()]))
"""


@pytest.fixture
def bank(tmp_path):
    """The service without its servers: its database, its secrets and its commands."""
    with database(tmp_path) as url:
        yield Server(tmp_path, "config.web", url)


@pytest.fixture
def file(tmp_path):
    """A file of a business, its account, and transactions that fill the last chunk but one."""
    path = tmp_path / "records.ndjson"
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in records()))
    return path


def records():
    account = {"business": "B-1", "accountType": "MAIN_ACCOUNT", "name": "Killed"}
    money = {"account": "A-1", "transactionType": "FUND_TRANSFER", "amountCents": AMOUNT_CENTS}
    at = {"occurredAt": "2026-02-01T10:00:00Z", "status": "POSTED"}
    for kind, name, data in chain(
        [
            ("businesses", "B-1", BUSINESS),
            ("accounts", "A-1", account | {"openedAt": "2026-01-02T10:00:00Z"}),
        ],
        (("transactions", name, money | at | {"description": name}) for name in names()),
    ):
        yield {"kind": kind, "externalId": name, "version": 1, "data": data}


def names():
    count = settings.FEED_CHUNK_LINES * CHUNKS - settings.FEED_CHUNK_LINES // 2
    return [f"T-{number:05}" for number in range(count)]


def killed(bank, file, moment):
    """Take a file, and be killed at the third chunk."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(file), moment],
        cwd=settings.BASE_DIR,
        env=bank.environment,
        stderr=subprocess.DEVNULL,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return done.returncode


@pytest.mark.parametrize(
    ("moment", "stored_chunks"), [("_store", 2), ("_commit", 3)], ids=["before commit", "after"]
)
def test_a_killed_file_is_taken_to_its_end_without_a_double_or_lost_line(
    bank, file, moment, stored_chunks
):
    wanted, stored = names(), settings.FEED_CHUNK_LINES * stored_chunks
    assert killed(bank, file, moment) == -signal.SIGKILL

    found, took, complete, took_again = json.loads(bank.run(["-c", RESUMED, str(file)]))

    assert (len(found["lines"]), found["differences"]) == (stored, [])
    rest = len(wanted) + 2 - stored
    assert f"took {rest:,} lines: {rest:,} created" in took
    assert complete == {
        "lines": list(range(1, len(wanted) + 3)),
        "names": wanted,
        "cents": AMOUNT_CENTS * len(wanted),
        "batches": 1,
        "differences": [],
    }
    again = len(wanted) + 2
    assert f"took {again:,} lines: {again:,} unchanged" in took_again
