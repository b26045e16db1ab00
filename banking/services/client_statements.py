"""Client statements: the latest statement of each of an accountant's clients, in one archive."""

import re
from dataclasses import dataclass
from datetime import datetime

from banking.models import Accountant, Business, Statement
from banking.queries.statements import get_client_statements
from banking.reach import EVERYTHING, Reach
from foundation.files import ZIP, Stream, stream_zip

UNSAFE = re.compile(r"[^\w .-]+")
NO_STATEMENT = "No month was closed yet."
NO_FILE = "The file of the latest statement is missing."


@dataclass(frozen=True)
class Skipped:
    """A client without a statement in the archive, and the reason."""

    business: Business
    reason: str


@dataclass(frozen=True)
class ClientArchive:
    """A ZIP archive of statements, the statements in it, and the clients without a statement."""

    file: Stream
    statements: tuple[Statement, ...]
    skipped: tuple[Skipped, ...]


def write_client_statements(
    accountant: Accountant, reach: Reach = EVERYTHING, *, at: datetime
) -> ClientArchive:
    """Return an archive of the latest checking statement of each client within `reach`.

    Clients are the businesses whose data the accountant may read at `at`. The files are read while
    the archive is. Clients without a statement, or whose file is missing, are in `skipped`.
    """
    found = get_client_statements(accountant, reach, at=at)
    is_there = {row: row.is_in_the_store for row in found.statements}
    statements = tuple(row for row in is_there if is_there[row])
    files = ((_name_in_archive(row), row.read().content) for row in statements)
    return ClientArchive(
        file=Stream(ZIP, f"statements-{at:%Y-%m-%d}.zip", stream_zip(files)),
        statements=statements,
        skipped=(
            *(Skipped(business, NO_STATEMENT) for business in found.without),
            *(Skipped(row.business, NO_FILE) for row in is_there if not is_there[row]),
        ),
    )


def _name_in_archive(statement: Statement) -> str:
    """Return a name that no other statement has and every file system takes."""
    client = UNSAFE.sub("", statement.business.legal_name).strip(" .")[:80]
    return f"{client} {statement.business.external_id}/{statement.file_name}"
