"""Releases: their migrations never change, and the changelog says which fits the one before."""

import re
from itertools import pairwise

import pytest
from django.apps import apps
from django.db.migrations.loader import MigrationLoader

from tests import released_migrations
from tests.released_migrations import ROOT

SECTION = re.compile(r"^## (\S+?)(?:, (\d{4}-\d\d-\d\d))?\n\n(.*)", re.MULTILINE)
FITS = re.compile(r"Fits the release before: (yes|no)[.:]")


def sections():
    """Return the name, the date and the first line of each section of the changelog."""
    return SECTION.findall((ROOT / "CHANGELOG.md").read_text())


def list_new_values():
    """Return the values of the closed sets of our columns that the last release did not have."""
    loader = MigrationLoader(None)
    paths = [path.removesuffix(".py").split("/") for path in released_migrations.released()]
    nodes = [(app, name) for app, _, name in paths if (app, name) in loader.graph.nodes]
    released = loader.project_state(nodes).models
    new = set()
    for app in {app for app, _, _ in paths}:
        for model in apps.get_app_config(app).get_models():
            state = released.get((app, model._meta.model_name))
            for field in model._meta.local_fields if state else []:
                before = getattr(state.fields.get(field.name), "flatchoices", None)
                if before:
                    new |= dict(field.flatchoices).keys() - dict(before).keys()
    return new


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


def test_the_changelog_names_each_new_value_that_the_last_release_may_read():
    text = (ROOT / "CHANGELOG.md").read_text()
    beginning = text[text.index("Fits the release before") : text.index("\n### ")]

    missing = {value for value in list_new_values() if f"`{value}`" not in beginning}
    assert not missing, f"Name {missing} in CHANGELOG.md, in backticks, before its first ###."
