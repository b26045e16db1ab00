"""The sanctions list: OFAC's files, read whole or not at all."""

from datetime import date

import pytest

from onboarding.choices import ListCode
from onboarding.models import SanctionsEntry, SanctionsList, SanctionsName
from onboarding.services.checks import sanctions
from tests.factories import NOON, later
from tests.onboarding.list_files import TEXTS, load_other
from tests.onboarding.sanctions_files import ADDRESSES, ALIASES, END, SDN, load, write_files

pytestmark = pytest.mark.django_db


def test_entries_are_read_with_their_addresses(tmp_path):
    loaded = load(tmp_path)

    person = SanctionsEntry.objects.get(number=2674)
    assert (loaded.entry_count, loaded.address_count, loaded.is_new) == (5, 2, True)
    assert (person.name, person.kind) == ("ZARQUONIAN, Ibrahim Tolvek", "individual")
    assert (person.programs, person.title) == ("SDGT", "Commander")
    assert person.remarks.startswith("DOB 10 Mar 1970")
    assert person.addresses == ["2 Example Road, Nowhere, Freedonia"]
    assert SanctionsEntry.objects.get(number=173).programs == "SDNTK, IRAN"


def test_each_name_is_kept_once_as_it_is_compared(tmp_path):
    load(tmp_path)

    names = SanctionsName.objects.filter(entry__number=2674).order_by("pk")
    assert list(names.values_list("normal", "is_alias", "is_weak")) == [
        ("IBRAHIM TOLVEK ZARQUONIAN", False, False),
        ("EBRAHIM ZARQUON", True, False),
        ("BUTCHER", True, True),
        ("ABU TOLVEK", True, True),
    ]


def test_the_list_has_its_facts(tmp_path):
    loaded = load(tmp_path)

    current = SanctionsList.objects.get()
    assert (current.sha256, current.is_current) == (loaded.sha256, True)
    assert (current.entry_count, current.name_count) == (5, 9)
    assert current.loaded_at == NOON


def test_a_newer_list_takes_the_place_of_the_one_before(tmp_path):
    load(tmp_path)

    load(tmp_path, at=later(days=1), sdn=SDN[:1], addresses=(), aliases=ALIASES[:1])

    before, current = SanctionsList.objects.order_by("pk")
    assert (before.is_current, before.entry_count) == (False, 5)
    assert (current.is_current, current.entry_count, current.name_count) == (True, 1, 2)
    assert SanctionsEntry.objects.get().sanctions_list == current
    assert SanctionsName.objects.count() == 2


def test_the_same_files_again_change_nothing(tmp_path):
    load(tmp_path)

    again = load(tmp_path, at=later(days=1))

    assert again.is_new is False
    assert SanctionsList.objects.get().loaded_at == NOON


def test_a_dry_run_loads_nothing(tmp_path):
    loaded = sanctions.load_list(write_files(tmp_path), at=NOON, dry_run=True)

    assert (loaded.entry_count, loaded.is_new) == (5, True)
    assert not SanctionsList.objects.exists()


def test_without_further_files_the_names_of_the_first_are_all(tmp_path):
    loaded = load(tmp_path, addresses=None, aliases=None)

    assert (loaded.name_count, loaded.address_count) == (7, 0)


def test_further_files_may_lie_elsewhere(tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    write_files(there)
    sdn = write_files(tmp_path, addresses=None, aliases=None)

    loaded = sanctions.load_list(
        sdn, addresses=there / "add.csv", aliases=there / "alt.csv", at=NOON
    )

    assert (loaded.name_count, loaded.address_count) == (9, 2)


def test_files_in_latin_1_are_read(tmp_path):
    load(tmp_path, encoding="latin-1")

    assert SanctionsEntry.objects.get(number=4001).name == "PÉREZ-ÑAKAR, Ana"


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ({"sdn": ()}, "sdn.csv, line 1: there is no entry"),
        ({"sdn": ("<!DOCTYPE html>",)}, "sdn.csv, line 1: there are 1 columns instead of 12"),
        ({"sdn": (SDN[0], SDN[1][:-6])}, "sdn.csv, line 2: there are 11 columns instead of 12"),
        ({"sdn": (SDN[0], SDN[0])}, "sdn.csv, line 2: entry 36 comes twice"),
        ({"sdn": (f"x{SDN[0]}",)}, "sdn.csv, line 1: the entry's number is no number"),
        ({"sdn": (SDN[0].replace("QUILLON", "Q" * 350),)}, "the name has more than 350 characters"),
        ({"sdn": (SDN[0].replace("QUILLON TRADING COMPANY LTD.", "-0-"),)}, "has no name"),
        ({"sdn": (*SDN, '6,"QUILLON')}, "sdn.csv, line 7: unexpected end of data"),
        ({"addresses": ("37,1,-0-,-0-,-0-,-0-",)}, "add.csv, line 1: there is no entry 37"),
        ({"addresses": (ADDRESSES[0], "36,1")}, "add.csv, line 2: there are 2 columns"),
        ({"aliases": (f'36,1,"aka","{"A" * 351}",-0-',)}, "alt.csv, line 1: a text is too long"),
    ],
)
def test_a_broken_file_loads_nothing_and_says_where(tmp_path, rows, fault):
    load(tmp_path)
    before = set(SanctionsName.objects.values_list("pk", flat=True))

    with pytest.raises(sanctions.BrokenFile) as broken:
        load(tmp_path, at=later(days=1), **rows)

    assert fault in str(broken.value)
    assert set(SanctionsName.objects.values_list("pk", flat=True)) == before
    assert SanctionsList.objects.get().is_current


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(sanctions.BrokenFile, match=r"sdn\.csv"):
        sanctions.load_list(tmp_path / "sdn.csv", at=NOON)


def test_blank_lines_and_the_end_of_the_file_are_no_rows(tmp_path):
    sdn = write_files(tmp_path, sdn=(*SDN, "", ""))

    assert sdn.read_bytes().endswith(END.encode())
    assert sanctions.load_list(sdn, at=NOON).entry_count == 5


def test_only_entries_that_differ_are_written(tmp_path):
    load(tmp_path)
    before = dict(SanctionsEntry.objects.values_list("number", "pk"))
    changed = SDN[3].replace("SDNT", "SDNT] [SDGT")

    loaded = load(
        tmp_path,
        at=later(days=1),
        sdn=(*SDN[1:3], changed, SDN[0].replace("36", "37", 1)),
        addresses=ADDRESSES[1:],
        aliases=ALIASES[1:],
    )

    after = dict(SanctionsEntry.objects.values_list("number", "pk"))
    current = SanctionsList.objects.get(is_current=True)
    assert (loaded.added, loaded.changed, loaded.removed) == (1, 1, 2)
    assert (current.added_count, current.changed_count, current.removed_count) == (1, 1, 2)
    assert after.keys() == {37, 173, 2674, 4001}
    assert {number for number in after if before.get(number) == after[number]} == {173, 2674}
    assert set(current.entries.values_list("number", flat=True)) == {37, 4001}


def test_lists_are_kept_side_by_side(tmp_path):
    load(tmp_path)

    for code in TEXTS:
        load_other(tmp_path, code, at=later(days=1))

    current = SanctionsList.objects.filter(is_current=True)
    assert set(current.values_list("code", flat=True)) == {"SDN", "UN", "EU", "UK", "PEP"}
    assert SanctionsEntry.objects.filter(sanctions_list__code="SDN").count() == 5
    stored = SanctionsEntry.objects.get(sanctions_list__code="EU", number=13)
    assert stored.facts["births"] == ["1937-04-28", "~1936"]


def test_the_consolidated_list_of_ofac_has_files_of_its_own(tmp_path):
    load(tmp_path)
    for name in ("sdn", "add", "alt"):
        to = f"cons_{'prim' if name == 'sdn' else name}.csv"
        (tmp_path / f"{name}.csv").rename(tmp_path / to)

    loaded = sanctions.load_list(tmp_path / "cons_prim.csv", code=ListCode.CONS, at=later())

    assert (loaded.entry_count, loaded.name_count, loaded.address_count) == (5, 9, 2)


def test_the_same_files_again_confirm_the_list(tmp_path):
    load(tmp_path)

    load(tmp_path, at=later(days=1))

    assert SanctionsList.objects.get().confirmed_at == later(days=1)


def test_the_day_of_a_list_is_taken_from_the_file_or_given(tmp_path):
    load_other(tmp_path, ListCode.UN)
    load_other(tmp_path, ListCode.PEP, published_on=date(2026, 2, 1))

    published = dict(SanctionsList.objects.values_list("code", "published_on"))
    assert published == {"UN": date(2026, 2, 27), "PEP": date(2026, 2, 1)}


def test_a_list_that_lost_many_entries_is_loaded_on_request_only(tmp_path, monkeypatch):
    monkeypatch.setattr(sanctions, "GUARDED", 5)
    load(tmp_path)
    sdn = write_files(tmp_path, sdn=SDN[:3], addresses=None, aliases=None)

    with pytest.raises(sanctions.BrokenFile, match="only 3 entries instead of 5"):
        sanctions.load_list(sdn, at=later())

    assert sanctions.load_list(sdn, at=later(), may_shrink=True).removed == 2
