"""The formats of lists: each reader returns entries with names, facts and texts, or refuses."""

from datetime import date

import pytest

from onboarding.choices import ListCode
from onboarding.entry_facts import EntryFacts, ListedNumber
from onboarding.screening.lists import READERS, reading
from onboarding.screening.lists.reading import BrokenFile, Files
from tests.onboarding.list_files import EU, PEP, TEXTS, UK, UK_NAMES, UN, write_list


def read(folder, code, text=None):
    return READERS[code](Files(write_list(folder, code, text)))


def test_every_list_has_a_reader():
    assert set(READERS) == set(ListCode)


def test_people_of_the_un_are_read_with_their_facts(tmp_path):
    found = read(tmp_path, ListCode.UN)

    person = found.entries[6900001]
    assert found.published_on == date(2026, 2, 27)
    assert (person.name, person.kind) == ("IBRAHIM TOLVEK ZARQUONIAN", "individual")
    assert (person.programs, person.title) == ("Al-Qaida, QDi.999", "Commander")
    assert ("Ebrahim Zarquon", False) in person.aliases
    assert ("Abu Tolvek", True) in person.aliases
    assert person.addresses == ["Nowhere, Jordan"]
    assert person.facts == EntryFacts(
        ("1970-03-10", "~1968", "1965/1967"),
        ("IR", "JO"),
        (ListedNumber("Passport", "A 1234567", "IR"),),
    )
    assert person.remarks.startswith("DOB 10 Mar 1970; DOB circa 1968; DOB 1965 to 1967;")
    assert person.remarks.endswith("Passport A 1234567 (Iran); Moves money.")


def test_entities_of_the_un_are_no_people(tmp_path):
    entity = read(tmp_path, ListCode.UN).entries[6900002]

    assert (entity.name, entity.kind) == ("QUILLON TRADING", "")
    assert ("Quillon Exports", False) in entity.aliases


def test_entries_of_the_eu_are_read_with_their_facts(tmp_path):
    found = read(tmp_path, ListCode.EU)

    person = found.entries[13]
    assert found.published_on == date(2026, 2, 26)
    assert (person.name, person.kind) == ("Ana Pérez-Ñakar", "individual")
    assert (person.programs, person.title) == ("IRN", "Minister")
    assert person.aliases == [("Anita", True)]
    assert person.addresses == ["1 Example Road, Nowhere, Syria"]
    assert person.facts == EntryFacts(
        ("1937-04-28", "~1936"),
        ("IR", "SY"),
        (ListedNumber("National passport", "P-765432", "IR"),),
    )
    assert (found.entries[14].name, found.entries[14].kind) == ("Vortexa Holdings", "")


def test_rows_of_the_uk_are_one_entry_under_its_primary_name(tmp_path):
    found = read(tmp_path, ListCode.UK)

    person = found.entries[700]
    assert found.published_on == date(2026, 2, 25)
    assert (person.name, person.kind) == ("IBRAHIM TOLVEK ZARQUONIAN", "individual")
    assert person.aliases == [("EBRAHIM ZARQUON", False), ("Заркуонян", False), ("BUTCHER", True)]
    assert (person.programs, person.title) == ("Counter Terrorism", "Commander")
    assert person.facts == EntryFacts(
        ("1970-03-10", "1969"),
        ("IR", "IQ", "SY"),
        (
            ListedNumber("Passport", "A1234567"),
            ListedNumber("Passport", "B7654321"),
            ListedNumber("National ID", "009-887766", "IR"),
        ),
    )
    assert found.entries[701].kind == "vessel"


def test_a_weak_alias_of_the_uk_stays_weak_if_the_primary_name_comes_after_it(tmp_path):
    found = read(tmp_path, ListCode.UK, UK.replace("Good quality", "Low quality", 1))

    person = found.entries[700]
    assert person.name == "IBRAHIM TOLVEK ZARQUONIAN"
    assert person.aliases == [("EBRAHIM ZARQUON", True), ("Заркуонян", False), ("BUTCHER", True)]


def test_exposed_persons_are_read_from_our_own_format(tmp_path):
    found = read(tmp_path, ListCode.PEP)

    person = found.entries[1]
    assert (person.name, person.kind, person.programs) == (
        "Ibrahim Tolvek Zarquonian",
        "individual",
        "PEP",
    )
    assert person.aliases == [("Ebrahim Zarquon", False), ("Ibo Zarquon", False)]
    assert person.title == "Minister of Nothing"
    assert person.facts == EntryFacts(
        ("1970-03-10", "1969"), ("IR", "IQ"), (ListedNumber("Number", "A1234567"),)
    )
    assert found.entries[2].facts == EntryFacts()


BOMB = '<!DOCTYPE CONSOLIDATED_LIST [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>'
OUTSIDE = '<!DOCTYPE export [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize(
    ("code", "text", "fault"),
    [
        (ListCode.UN, UN.replace("?>", f"?>{BOMB}", 1), "document type"),
        (ListCode.EU, EU.replace("?>", f"?>{OUTSIDE}", 1), "document type"),
        (ListCode.UN, EU, "the first element is export instead of CONSOLIDATED_LIST"),
        (ListCode.EU, UN, "the first element is CONSOLIDATED_LIST instead of export"),
        (ListCode.UN, UN[:700], "it is not XML"),
        (ListCode.UN, UN.replace("6900002", "6900001"), "entry 6900001 comes twice"),
        (ListCode.UN, UN.replace("6900002", "x"), "the entry's number is no number"),
        (ListCode.UN, "<CONSOLIDATED_LIST/>", "there is no entry"),
        (ListCode.EU, EU.replace('wholeName="Vortexa Holdings"', ""), "entry 14 has no name"),
        (ListCode.EU, EU.replace("Vortexa", "V" * 350), "the name has more than 350 characters"),
        (ListCode.UN, "", "not XML"),
        (ListCode.UN, "no list", "not XML"),
        (ListCode.UK, UK_NAMES, "does not say when the list was updated"),
        (ListCode.UK, UK.replace("Group ID", "Group"), "there is no column Group ID"),
        (ListCode.UK, UK + "A" + "," * 19 + "B\r\n", "there are 20 columns instead of 19"),
        (ListCode.UK, "Last Updated,25/02/2026\r\n" + UK_NAMES, "there is no entry"),
        (ListCode.PEP, PEP.replace("id,", "number,"), "there is no column id"),
        (ListCode.PEP, PEP.replace("remarks", "notes"), "there is no such column: notes"),
        (ListCode.PEP, PEP.replace("1969", "soon"), "neither a year nor year-month-day"),
        (ListCode.PEP, PEP.replace("Iraq", "Freedonia"), "Freedonia is no country"),
        (ListCode.PEP, PEP + "3,Ada\r\n", "pep.csv, line 4: there are 2 columns instead of 8"),
    ],
)
def test_a_broken_or_hostile_file_is_refused_and_says_why(tmp_path, code, text, fault):
    with pytest.raises(BrokenFile) as broken:
        read(tmp_path, code, text)

    assert fault in str(broken.value)


@pytest.mark.parametrize("code", TEXTS)
def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path, code, monkeypatch):
    with pytest.raises(BrokenFile, match="No such file"):
        READERS[code](Files(tmp_path / "none"))

    monkeypatch.setattr(reading, "MAX_BYTES", 10)
    with pytest.raises(BrokenFile, match="more than 10 bytes"):
        read(tmp_path, code)


def test_too_many_entries_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_ENTRIES", 1)

    with pytest.raises(BrokenFile, match="more than 1 entries"):
        read(tmp_path, ListCode.PEP)
