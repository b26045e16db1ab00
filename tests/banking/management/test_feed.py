"""manage.py feed: a file of lines, tried, taken, and taken on after a kill."""

from io import StringIO

import orjson
import pytest
from django.core.management import CommandError, call_command

from banking.feed import batches
from banking.models import Business, FeedBatch
from tests.banking.feed.conftest import BUSINESS


def run(*arguments):
    out, err = StringIO(), StringIO()
    call_command("feed", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue()


@pytest.fixture
def file(tmp_path):
    """A file of five businesses, with a blank line."""
    lines = [
        orjson.dumps(
            {"kind": "businesses", "externalId": f"B-{number}", "version": 1, "data": BUSINESS}
        )
        for number in range(5)
    ]
    path = tmp_path / "records.ndjson"
    path.write_bytes(b"\n\n".join(lines) + b"\n")
    return path


def test_a_file_is_taken_once(db, file):
    assert run(file) == "took 5 lines: 5 created\n"
    assert run(file) == "took 5 lines: 5 unchanged\n"
    assert Business.objects.count() == 5


def test_a_dry_run_says_what_would_happen_and_stores_nothing(db, file):
    assert run(file, "--dry-run") == "tried 5 lines: 5 created\n"
    assert not Business.objects.exists()
    assert not FeedBatch.objects.exists()


def test_refused_lines_are_named_and_end_the_command_with_a_failure(db, file, capsys):
    file.write_bytes(file.read_bytes() + b"oops\n")

    with pytest.raises(CommandError, match="lines refused: 1"):
        run(file)

    assert Business.objects.count() == 5


def test_an_atomic_file_is_stored_whole_or_not_at_all(db, file):
    file.write_bytes(file.read_bytes() + b"oops\n")

    with pytest.raises(CommandError, match="lines refused: 6"):
        run(file, "--atomic")

    assert not Business.objects.exists()


def test_a_run_that_was_ended_goes_on_after_its_last_chunk(db, file, settings, monkeypatch):
    settings.FEED_CHUNK_LINES = 2
    parse = batches.parse

    def killed(raw, terms):
        if raw.number > 5:
            raise KeyboardInterrupt
        return parse(raw, terms)

    monkeypatch.setattr(batches, "parse", killed)
    with pytest.raises(CommandError, match="interrupted"):
        run(file)
    monkeypatch.setattr(batches, "parse", parse)

    assert run(file) == "took 3 lines: 3 created\n"
    batch = FeedBatch.objects.get()
    assert (batch.line_count, batch.offset_bytes) == (5, file.stat().st_size)
    assert [
        orjson.loads(line)["line"] for line in b"".join(batches.read_results(batch)).splitlines()
    ] == [1, 3, 5, 7, 9]


def test_a_file_that_is_not_there_is_named(db, tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        run(tmp_path / "nothing.ndjson")


@pytest.fixture
def table(tmp_path):
    """A CSV file of five businesses."""
    rows = [["externalId", "version", *BUSINESS]]
    rows += [[f"B-{number}", "1", *BUSINESS.values()] for number in range(5)]
    path = tmp_path / "Businesses.CSV"
    path.write_text("".join(f"{';'.join(row)}\r\n" for row in rows))
    return path


def test_a_csv_file_is_taken_with_its_kind(db, table):
    assert run(table, "--kind", "businesses", "--dry-run") == "tried 5 lines: 5 created\n"
    assert run(table, "--kind", "businesses") == "took 5 lines: 5 created\n"
    assert FeedBatch.objects.get().kind == "businesses"


def test_a_csv_file_needs_a_kind_that_exists(db, table):
    with pytest.raises(CommandError, match="name it with --kind"):
        run(table)
    with pytest.raises(CommandError, match="invalid choice: 'castles'"):
        run(table, "--kind", "castles")


def test_the_faults_of_a_csv_file_name_row_and_column(db, table):
    table.write_text(table.read_text().replace("B-3;1", "B-3;1;"))
    err = StringIO()

    with pytest.raises(CommandError, match="lines refused: 1"):
        call_command("feed", str(table), "--kind", "businesses", stdout=StringIO(), stderr=err)

    assert "row 5 column 7 This kind of record has no such field." in err.getvalue()


def test_a_csv_file_that_breaks_off_says_where(db, table):
    table.write_text(table.read_text() + '"B-9')

    with pytest.raises(CommandError, match="After row 6 the file is not CSV"):
        run(table, "--kind", "businesses")


def test_a_csv_file_that_was_ended_goes_on_after_its_last_chunk(db, table, settings, monkeypatch):
    settings.FEED_CHUNK_LINES = 2
    parse = batches.parse

    def killed(raw, terms):
        if raw.number > 5:
            raise KeyboardInterrupt
        return parse(raw, terms)

    monkeypatch.setattr(batches, "parse", killed)
    with pytest.raises(CommandError, match="interrupted"):
        run(table, "--kind", "businesses")
    monkeypatch.setattr(batches, "parse", parse)

    assert run(table, "--kind", "businesses") == "took 1 lines: 1 created\n"
    assert FeedBatch.objects.get().line_count == 5


def test_lines_of_json_may_be_of_one_kind(db, file):
    with pytest.raises(CommandError, match="lines refused: 5"):
        run(file, "--kind", "cards")

    assert run(file, "--kind", "businesses") == "took 5 lines: 5 created\n"
