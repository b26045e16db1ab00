"""Sanctions lists: loaded from files in place of the former list; only differences are written."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

from django.db import transaction

from onboarding.choices import ListCode
from onboarding.models import SanctionsEntry, SanctionsList, SanctionsName
from onboarding.screening.lists import READERS
from onboarding.screening.lists.reading import (
    INDIVIDUAL,
    LONGEST,
    BrokenFile,
    Files,
    ReadEntry,
    ReadList,
)
from onboarding.screening.words import normalise
from onboarding.services.checks import list_passes

__all__ = ["BrokenFile", "Loaded", "load_list"]
BATCH_SIZE = 1000
MOST_LOST = 0.2  # of the entries of a list of GUARDED or more
GUARDED = 1000


@dataclass(frozen=True)
class Loaded:
    """The counts of a sanctions list that was read, and of its differences from the former list.

    `is_new` is false if the files hold the current list already; then no entry differs.
    """

    sha256: str
    entry_count: int
    name_count: int
    address_count: int
    is_new: bool
    added: int = 0
    changed: int = 0
    removed: int = 0


@dataclass
class Difference:
    """The difference of two lists: the entries that are new, changed or gone."""

    added: list[ReadEntry] = field(default_factory=list)
    changed: list[ReadEntry] = field(default_factory=list)
    outdated: list[int] = field(default_factory=list)  # primary keys of changed and gone entries
    removed: list[int] = field(default_factory=list)  # numbers of gone entries

    @property
    def touched(self) -> set[int]:
        """Return the numbers of the changed and the gone entries."""
        return {*(entry.number for entry in self.changed), *self.removed}


def load_list(
    main: Path,
    *,
    code: ListCode = ListCode.SDN,
    addresses: Path | None = None,
    aliases: Path | None = None,
    published_on: date | None = None,
    at: datetime,
    dry_run: bool = False,
    may_shrink: bool = False,
) -> Loaded:
    """Load the list in the files in place of the current list, completely or not at all.

    Only entries that differ are written. If the files hold the current list already, only the time
    of the confirmation is saved. `published_on` is for files that do not state the day. With
    `dry_run` nothing is saved. Raises: BrokenFile, also for a list that had GUARDED entries or more
    and lost more than the part MOST_LOST of them, unless `may_shrink`.
    """
    files = Files(main, addresses=addresses, aliases=aliases)
    found = READERS[code](files)
    names = {number: list(_names(entry)) for number, entry in found.entries.items()}
    _require_fitting(found, names)
    with transaction.atomic():
        current = _lock_current(code)
        if current and not may_shrink:
            _require_size(found, current)
        is_new = current is None or current.sha256 != files.sha256
        difference = _compare(code, found) if is_new else Difference()
        if not dry_run:
            row = _make_row(code, files, found, names, at)
            row.published_on = found.published_on or published_on
            _write(current, row, difference, names) if is_new else _confirm(current, at)
    return Loaded(
        sha256=files.sha256,
        entry_count=len(found.entries),
        name_count=sum(map(len, names.values())),
        address_count=sum(len(entry.addresses) for entry in found.entries.values()),
        is_new=is_new,
        added=len(difference.added),
        changed=len(difference.changed),
        removed=len(difference.removed),
    )


def _lock_current(code: ListCode) -> SanctionsList | None:
    lists = SanctionsList.objects.select_for_update(of=("self",))
    return lists.filter(code=code, is_current=True).first()


def _require_size(found: ReadList, current: SanctionsList) -> None:
    before, now = current.entry_count, len(found.entries)
    if before >= GUARDED and now < before * (1 - MOST_LOST):
        fault = (
            f"there are only {now:,} entries instead of {before:,}; add --accept-fewer if it is so"
        )
        raise BrokenFile(found.file, 0, fault)


def _require_fitting(found: ReadList, names: dict[int, list[SanctionsName]]) -> None:
    for number, called in names.items():
        if any(len(one.name) > LONGEST["name"] for one in called):
            raise BrokenFile(found.file, 0, f"a name of entry {number} is too long")


def _compare(code: ListCode, found: ReadList) -> Difference:
    difference = Difference()
    stored = SanctionsEntry.objects.filter(sanctions_list__code=code)
    known = {
        number: (pk, digest) for pk, number, digest in stored.values_list("pk", "number", "digest")
    }
    for number, entry in found.entries.items():
        pk, digest = known.get(number, (None, ""))
        if pk is None:
            difference.added.append(entry)
        elif digest != _digest(entry):
            difference.changed.append(entry)
            difference.outdated.append(pk)
    gone = known.keys() - found.entries.keys()
    difference.removed = sorted(gone)
    difference.outdated += [known[number][0] for number in gone]
    return difference


def _write(
    current: SanctionsList | None,
    loaded: SanctionsList,
    difference: Difference,
    names: dict[int, list[SanctionsName]],
) -> None:
    """Write the difference of two lists. Entries that are the same keep their list and rows."""
    if current:
        SanctionsList.objects.filter(pk=current.pk).update(is_current=False)
    loaded.added_count, loaded.changed_count = len(difference.added), len(difference.changed)
    loaded.removed_count = len(difference.removed)
    loaded.save()
    list_passes.begin(loaded, touched=difference.touched, at=loaded.loaded_at)
    for start in range(0, len(difference.outdated), BATCH_SIZE):
        some = difference.outdated[start : start + BATCH_SIZE]
        SanctionsName.objects.filter(entry__in=some).delete()
        SanctionsEntry.objects.filter(pk__in=some).delete()
    written = [*difference.added, *difference.changed]
    rows = [_row(entry, loaded) for entry in written]
    SanctionsEntry.objects.bulk_create(rows, batch_size=BATCH_SIZE)
    SanctionsName.objects.bulk_create(_named(rows, names), batch_size=BATCH_SIZE)


def _confirm(current: SanctionsList | None, at: datetime) -> None:
    """Save that files loaded at `at` confirm the current list."""
    if current:
        SanctionsList.objects.filter(pk=current.pk).update(confirmed_at=at)


def _make_row(
    code: ListCode,
    files: Files,
    found: ReadList,
    names: dict[int, list[SanctionsName]],
    at: datetime,
) -> SanctionsList:
    return SanctionsList(
        code=code,
        sha256=files.sha256,
        entry_count=len(found.entries),
        name_count=sum(map(len, names.values())),
        loaded_at=at,
        confirmed_at=at,
    )


def _named(
    rows: Sequence[SanctionsEntry], names: dict[int, list[SanctionsName]]
) -> list[SanctionsName]:
    found = []
    for row in rows:
        for name in names[row.number]:
            name.entry = row
            found.append(name)
    return found


def _row(entry: ReadEntry, loaded: SanctionsList) -> SanctionsEntry:
    return SanctionsEntry(
        sanctions_list=loaded,
        number=entry.number,
        name=entry.name,
        kind=entry.kind,
        programs=entry.programs,
        title=entry.title,
        remarks=entry.remarks,
        addresses=entry.addresses,
        facts=entry.facts.as_json(),
        digest=_digest(entry),
    )


def _names(entry: ReadEntry) -> Iterator[SanctionsName]:
    """Yield each name of an entry once, as a strong name rather than as a weak alias."""
    is_person = entry.kind == INDIVIDUAL
    seen: set[str] = set()
    for name, is_alias, is_weak in _called(entry):
        normal = normalise(name, is_person=is_person)
        if normal and normal not in seen:
            seen.add(normal)
            yield SanctionsName(
                name=name, normal=normal[: LONGEST["name"]], is_alias=is_alias, is_weak=is_weak
            )


def _called(entry: ReadEntry) -> Iterable[tuple[str, bool, bool]]:
    yield entry.name, False, False
    for name, is_weak in sorted(entry.aliases, key=lambda alias: alias[1]):
        yield name, True, is_weak


def _digest(entry: ReadEntry) -> str:
    """Return the SHA-256, in hexadecimal, of all that a list says of an entry."""
    said = [*vars(entry).values()][:-1]
    text = json.dumps([*said, entry.facts.as_json()], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
