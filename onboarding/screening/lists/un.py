"""The consolidated list of the United Nations Security Council, in XML.

Source: the schema of the list, root element CONSOLIDATED_LIST.
"""

from typing import Any

from onboarding.country_names import COUNTRY_NAMES
from onboarding.entry_facts import (
    EntryFacts,
    ListedNumber,
    birth_of,
    describe_facts,
    unique,
)
from onboarding.screening.lists.reading import (
    INDIVIDUAL,
    BrokenFile,
    Files,
    ReadEntry,
    ReadList,
    clip,
    read_day,
    read_number,
)
from onboarding.screening.lists.xml import children, iterate, open_list, text_of

NAMES = ["FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME"]
ADDRESS = ["STREET", "CITY", "STATE_PROVINCE", "ZIP_CODE", "COUNTRY"]
ABOUT = {"APPROXIMATELY", "CIRCA"}
WEAK = "low"


def read(files: Files) -> ReadList:
    """Read the entries of the UN's list from the main file. Raises: BrokenFile, if empty, too."""
    content, root = open_list(files, "CONSOLIDATED_LIST")
    found = ReadList(files.main.name, published_on=read_day(root.get("dateGenerated", "")))
    for element in iterate(files.main.name, content, ["INDIVIDUAL", "ENTITY"]):
        line = element.sourceline or 0
        found.add(_read_entry(files.main.name, line, element), line)
    if not found.entries:
        raise BrokenFile(files.main.name, 1, "there is no entry")
    return found


def _read_entry(file: str, line: int, element: Any) -> ReadEntry:
    kind = "INDIVIDUAL" if element.tag.endswith("INDIVIDUAL") else "ENTITY"
    facts = _read_facts(element, kind)
    programs = filter(
        None, (text_of(element, "UN_LIST_TYPE"), text_of(element, "REFERENCE_NUMBER"))
    )
    return ReadEntry(
        number=read_number(file, line, text_of(element, "DATAID")),
        name=" ".join(filter(None, (text_of(element, name) for name in NAMES))),
        kind=INDIVIDUAL if kind == "INDIVIDUAL" else "",
        programs=clip(", ".join(programs), "programs"),
        title=clip("; ".join(_values(element, "DESIGNATION")), "title"),
        remarks=describe_facts(facts, text_of(element, "COMMENTS1")),
        addresses=list(unique(_place(one) for one in children(element, f"{kind}_ADDRESS"))),
        aliases=_read_aliases(element, kind),
        facts=facts,
    )


def _read_aliases(element: Any, kind: str) -> list[tuple[str, bool]]:
    aliases = [
        (text_of(one, "ALIAS_NAME"), text_of(one, "QUALITY").lower() == WEAK)
        for one in children(element, f"{kind}_ALIAS")
    ]
    return [*aliases, (text_of(element, "NAME_ORIGINAL_SCRIPT"), False)]


def _read_facts(element: Any, kind: str) -> EntryFacts:
    papers = children(element, "INDIVIDUAL_DOCUMENT")
    places = [
        *_values(element, "NATIONALITY"),
        *(text_of(one, "COUNTRY") for one in children(element, f"{kind}_ADDRESS")),
        *(text_of(one, "COUNTRY") for one in children(element, "INDIVIDUAL_PLACE_OF_BIRTH")),
    ]
    births = (_read_birth(one) for one in children(element, "INDIVIDUAL_DATE_OF_BIRTH"))
    numbers = (_read_paper(one) for one in papers if text_of(one, "NUMBER"))
    countries = (COUNTRY_NAMES.find(place) for place in places)
    return EntryFacts(unique(births), unique(countries), tuple(dict.fromkeys(numbers)))


def _read_birth(element: Any) -> str:
    first, last = text_of(element, "FROM_YEAR"), text_of(element, "TO_YEAR")
    if first.isdecimal() and last.isdecimal():
        return f"{first}/{last}"
    day, year = read_day(text_of(element, "DATE")), text_of(element, "YEAR")
    known_year = birth_of(int(year)) if year.isdecimal() else ""
    birth = day.isoformat() if day else known_year
    is_about = text_of(element, "TYPE_OF_DATE").upper() in ABOUT
    return f"~{birth[:4]}" if birth and is_about else birth


def _read_paper(element: Any) -> ListedNumber:
    country = text_of(element, "ISSUING_COUNTRY") or text_of(element, "COUNTRY_OF_ISSUE")
    kind = text_of(element, "TYPE_OF_DOCUMENT") or "Number"
    return ListedNumber(kind, text_of(element, "NUMBER"), COUNTRY_NAMES.find(country))


def _values(element: Any, tag: str) -> list[str]:
    """Return the texts of the VALUE elements in an element's children named `tag`, each once."""
    found = (
        " ".join((v.text or "").split())
        for c in children(element, tag)
        for v in children(c, "VALUE")
    )
    return list(unique(found))


def _place(element: Any) -> str:
    return ", ".join(filter(None, (text_of(element, name) for name in ADDRESS)))
