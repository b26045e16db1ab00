"""Releases: their migrations never change, and the changelog says which fits the one before."""

import re
from itertools import pairwise

import pytest

from tests import released_migrations
from tests.released_migrations import ROOT

SECTION = re.compile(r"^## (\S+?)(?:, (\d{4}-\d\d-\d\d))?\n\n(.*)", re.MULTILINE)
FITS = re.compile(r"Fits the release before: (yes|no)[.:]")


def sections():
    """Return the name, the date and the first line of each section of the changelog."""
    return SECTION.findall((ROOT / "CHANGELOG.md").read_text())


def test_a_released_migration_is_never_edited_renamed_or_removed():
    present, released = released_migrations.present(), released_migrations.released()

    gone = sorted(released.keys() - present.keys())
    edited = sorted(
        path for path in released.keys() & present.keys() if released[path] != present[path]
    )
    if gone or edited:
        lines = [f"{path} is gone or renamed" for path in gone]
        lines += [f"{path} was edited" for path in edited]
        rule = "Databases have run these; restore them, and write another migration:"
        pytest.fail("\n  ".join([rule, *lines]), pytrace=False)


def test_each_release_has_its_section_with_a_date_and_its_migrations():
    unreleased, *releases = sections()

    assert unreleased[:2] == ("Unreleased", "")
    assert [name for name, _, _ in releases][::-1] == list(released_migrations.read())
    assert releases[0][0] == released_migrations.version()
    assert all(
        later[1] >= earlier[1] > "2026" for later, earlier in pairwise([*releases, releases[-1]])
    )


@pytest.mark.parametrize("section", sections(), ids=lambda section: section[0])
def test_a_section_says_first_whether_its_release_fits_the_one_before(section):
    assert FITS.match(section[2]), f"{section[0]} begins with {section[2]!r}"
