"""Load the sanctions list from a shell."""

import pytest
from django.core.management import CommandError

from onboarding.models import SanctionsList
from tests.onboarding.sanctions_files import write_files


def test_it_says_what_it_loaded_and_that_the_same_files_are_there(run, tmp_path):
    sdn = str(write_files(tmp_path))

    assert run("load_sanctions", sdn) == [
        "loaded 5 entries with 9 names and 2 addresses",
        "difference from the former list: 5 added, 0 changed, 0 removed",
    ]
    assert run("load_sanctions", sdn) == [
        "these files are the current list: 5 entries with 9 names"
    ]
    assert SanctionsList.objects.count() == 1


def test_a_dry_run_only_reads(run, tmp_path):
    lines = run("load_sanctions", str(write_files(tmp_path)), "--dry-run")

    assert lines[:1] == ["would load 5 entries with 9 names and 2 addresses"]
    assert not SanctionsList.objects.exists()


def test_further_files_can_be_named(run, tmp_path):
    sdn = write_files(tmp_path)
    for name in ("add", "alt"):
        (tmp_path / f"{name}.csv").rename(tmp_path / f"{name}-2.csv")

    lines = run(
        "load_sanctions",
        str(sdn),
        "--add",
        str(tmp_path / "add-2.csv"),
        "--alt",
        str(tmp_path / "alt-2.csv"),
    )

    assert lines[:1] == ["loaded 5 entries with 9 names and 2 addresses"]


def test_a_broken_file_is_named_with_its_line(run, tmp_path):
    sdn = write_files(tmp_path, sdn=("1,2,3",))

    with pytest.raises(CommandError, match=r"sdn\.csv, line 1: .*; nothing was loaded"):
        run("load_sanctions", str(sdn))
