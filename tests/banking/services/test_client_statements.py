import io
import zipfile
from datetime import UTC, date, datetime

import pytest

from banking.services import statements
from banking.services.client_statements import (
    NO_FILE,
    NO_STATEMENT,
    Skipped,
    write_client_statements,
)

APRIL = datetime(2026, 4, 2, tzinfo=UTC)


@pytest.fixture
def client_of(make_account, make_access):
    """Let an accountant have a client whose months are closed through March."""

    def make(accountant=None, **values):
        account = make_account(opened_at=datetime(2026, 1, 15, tzinfo=UTC))
        account.business.legal_name = values.get("legal_name", account.business.legal_name)
        account.business.save(update_fields=["legal_name"])
        list(statements.close_months(through=date(2026, 3, 1), at=APRIL))
        return make_access(accountant, business=account.business)

    return make


def unzip(archive):
    content = archive.file.read().content
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_the_archive_has_the_latest_statement_of_each_client(client_of):
    access = client_of(legal_name="Corner / Bakery: LLC")

    archive = write_client_statements(access.accountant, at=APRIL)

    [(name, content)] = unzip(archive).items()
    folder = f"Corner  Bakery LLC {access.business.external_id}"
    assert name.startswith(f"{folder}/statement-2026-03-")
    assert content.startswith(b"%PDF-")
    assert archive.file.file_name == "statements-2026-04-02.zip"
    assert [row.business for row in archive.statements] == [access.business]
    assert archive.skipped == ()


def test_a_client_without_a_statement_is_skipped_with_the_reason(client_of, make_access):
    access = client_of()
    empty = make_access(access.accountant).business

    archive = write_client_statements(access.accountant, at=APRIL)

    assert len(unzip(archive)) == 1
    assert archive.skipped == (Skipped(empty, NO_STATEMENT),)


def test_a_client_whose_file_is_missing_is_skipped_with_the_reason(client_of):
    lost = client_of()
    kept = client_of(lost.accountant)
    statement = lost.business.statements.latest("month")
    statement.file.storage.delete(statement.file.name)

    archive = write_client_statements(lost.accountant, at=APRIL)

    [name] = unzip(archive)
    assert str(kept.business.external_id) in name
    assert [row.business for row in archive.statements] == [kept.business]
    assert archive.skipped == (Skipped(lost.business, NO_FILE),)


@pytest.mark.parametrize("clients", [1, 3])
def test_an_archive_takes_two_statements(clients, client_of, django_assert_num_queries):
    accountant = client_of().accountant
    for _ in range(clients - 1):
        client_of(accountant)

    with django_assert_num_queries(2):
        archive = write_client_statements(accountant, at=APRIL)
        assert len(unzip(archive)) == clients
