"""Hash chains: numbered rows that each contain the digest of the row before."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar


class Link(Protocol):
    """A row of a hash chain."""

    number: int
    previous_digest: str
    digest: str

    def compute_digest(self) -> str:
        """Return the digest of the row's values, the previous digest included."""


LinkT = TypeVar("LinkT", bound=Link)


ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def compute_digest(values: Sequence[Any]) -> str:
    """Return the SHA-256, in hexadecimal, of values.

    The hashed text is their JSON list in ASCII, keys sorted, without spaces.
    """
    return hashlib.sha256(ENCODER.encode(values).encode()).hexdigest()


def walk(links: Iterable[LinkT], *, until: int = 0) -> Iterator[tuple[int, LinkT | None, str]]:
    """Yield each number from 1 to `until` at least, with its row and the previous digest.

    The last number is that of the last row, if it is higher than `until`. A missing row is None.
    The previous digest is that of the last row before the number, as stored; empty without one.
    """
    by_number = {link.number: link for link in links}
    digest = ""
    for number in range(1, max([until, *by_number]) + 1):
        link = by_number.get(number)
        yield number, link, digest
        digest = link.digest if link else digest


def list_faults(link: Link, previous_digest: str) -> list[str]:
    """Return the faults of a row, as texts; `previous_digest` is that of the row before it."""
    faults = []
    if link.digest != link.compute_digest():
        faults.append("was changed")
    if link.previous_digest != previous_digest:
        faults.append("does not follow the one before")
    return faults
