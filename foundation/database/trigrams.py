"""Find texts by words with typing errors: by trigrams, with an index of PostgreSQL's pg_trgm.

SQLite compares in Python after a scan. Source: https://www.postgresql.org/docs/current/pgtrgm.html
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, QuerySet, TextField
from django.db.models.expressions import Func
from django.db.models.lookups import Lookup, PostgresOperatorLookup

THRESHOLD = 0.4  # of a word's trigrams: two swapped letters of six are tolerated
SHORTEST = 3  # letters of a trigram
MAX_FOUND = 500  # rows that are ranked


class Words(TextField):  # type: ignore[type-arg]  # not at run time
    """The text of joined columns; its lookups use the trigram index."""


class Joined(Func):
    """Text columns that are never null, joined by spaces, in the form of the trigram index."""

    template = "(%(expressions)s)"
    arg_joiner = " || ' ' || "
    output_field = Words()


@Words.register_lookup
class SimilarTo(PostgresOperatorLookup):
    """Lookup that finds texts with a part similar to a word, by the threshold of pg_trgm."""

    lookup_name = "similar_to"
    postgres_operator = "%%>"


@Words.register_lookup
class HasPart(Lookup):
    """Lookup that finds texts that contain another text, ignoring upper and lower case."""

    lookup_name = "has_part"

    def get_prep_lookup(self) -> str:
        escaped = re.sub(r"([\\%_])", r"\\\1", self.rhs)
        return f"%{escaped}%"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        text, before = self.process_lhs(compiler, connection)
        pattern, after = self.process_rhs(compiler, connection)
        is_postgresql = connection.vendor == "postgresql"
        like = "ILIKE" if is_postgresql else "LIKE"  # LIKE ignores case on SQLite
        end = "" if is_postgresql else r" ESCAPE '\'"
        return f"{text} {like} {pattern}{end}", (*before, *after)


@contextmanager
def tolerance() -> Iterator[None]:
    """Run searches in a transaction in which pg_trgm tolerates as many errors as THRESHOLD says.

    The indexes are used even where PostgreSQL expects a scan to be faster, which it often is not.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('pg_trgm.word_similarity_threshold', %s, true),"
            " set_config('enable_seqscan', 'off', true)",
            [str(THRESHOLD)],
        )
        yield


def find(
    rows: QuerySet[Any], names: Sequence[str], words: Sequence[str], *, is_tolerant: bool = False
) -> list[int]:
    """Return the keys of rows with all words or, if `is_tolerant`, with words similar to them.

    The joined columns `names` need the index of `add_index`. Best first, then newest; at most
    MAX_FOUND. Nothing without words, and with `is_tolerant` nothing if a word has a digit. Call it
    within `tolerance`. At most one statement.
    """
    parts = [part for word in words for part in split(word)]
    if not words or (is_tolerant and not _may_be_misspelt(parts)):
        return []
    joined = rows.order_by().annotate(words=Joined(*names)).values_list("pk", "words")
    if is_tolerant:
        found = _find_similar(joined, parts)
    else:
        found = list(joined.filter(*map(_has_word, words))[:MAX_FOUND])
    ranked = sorted(found, key=lambda row: (-score(row[1], parts), -row[0]))
    return [pk for pk, _ in ranked]


def _may_be_misspelt(parts: Sequence[str]) -> bool:
    """Return whether to look for similar words: not if a word has a digit.

    A similar number is that of another row.
    """
    return bool(parts) and not any(map(str.isdigit, "".join(parts)))


def _has_word(word: str) -> Q:
    """Return the condition that a text has a word.

    On PostgreSQL a word shorter than SHORTEST, which the index cannot find, is found by similarity.
    """
    if connection.vendor == "postgresql" and len(word) < SHORTEST:
        return Q(words__similar_to=word)
    return Q(words__has_part=word)


def _find_similar(joined: Any, words: Sequence[str]) -> list[tuple[int, str]]:
    """Return rows with words similar to all of the words."""
    if connection.vendor != "postgresql":
        rows = joined.filter(*(Q(words__has_part=word[:2]) for word in words)).order_by("-pk")
        return [row for row in rows.iterator() if is_similar(row[1], words)][:MAX_FOUND]
    similar = (Q(words__similar_to=word) for word in words)
    return list(joined.filter(*similar)[:MAX_FOUND])


def score(text: str, words: Sequence[str]) -> float:
    """Return the similarity of a text to words: the mean of the words' best similarity, 0 to 1."""
    parts = [trigrams(part) for part in split(text)]
    return sum(_best(trigrams(word), parts) for word in words) / (len(words) or 1)


def split(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation."""
    return "".join(one if one.isalnum() else " " for one in text.lower()).split()


def trigrams(word: str) -> set[str]:
    """Return the trigrams of a word, as pg_trgm makes them: padded by two spaces and one."""
    padded = f"  {word.lower()} "
    return {padded[place : place + 3] for place in range(len(padded) - 2)}


def _best(word: set[str], parts: Sequence[set[str]]) -> float:
    """Return the similarity of a word to its most similar part, 0 to 1; both as trigrams.

    It is the share of the word's trigrams in the part, a little less if the part has others.
    """
    shares = (len(word & part) / (len(word) + len(part - word) / 10) for part in parts)
    return max(shares, default=0)


def is_similar(text: str, words: Sequence[str]) -> bool:
    """Return whether each of the words is similar to some word of a text."""
    parts = [trigrams(part) for part in split(text)]
    return all(_best(trigrams(word), parts) >= THRESHOLD for word in words)


def add_index(schema_editor: Any, table: str, name: str, columns: Sequence[str]) -> None:
    """Create the extension, if it is missing, and a trigram index; nothing on SQLite.

    Call it in a migration without a transaction: the table stays open for writes. The extension is
    trusted, so the owner of the database may create it.
    """
    if schema_editor.connection.vendor != "postgresql":
        return
    from foundation.database.migration_operations import unlimited_lock_wait  # only migrations

    text = " || ' ' || ".join(columns)
    schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    with unlimited_lock_wait(schema_editor):
        schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")  # an invalid one
        schema_editor.execute(
            f"CREATE INDEX CONCURRENTLY {name} ON {table} USING gin (({text}) gin_trgm_ops)"
        )


def remove_index(schema_editor: Any, name: str) -> None:
    """Drop a trigram index; nothing on SQLite."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP INDEX IF EXISTS {name}")
