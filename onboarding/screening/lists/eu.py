"""The consolidated financial sanctions list of the European Union, in XML.

Source: the schema of the export, version 1.1, root element `export`.
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

PERSON = "P"
ADDRESS = ["street", "poBox", "zipCode", "city", "region"]
UNKNOWN_COUNTRY = "00"


def read(files: Files) -> ReadList:
    """Read the entries of the EU's list from the main file. Raises: BrokenFile, if empty, too."""
    content, root = open_list(files, "export")
    found = ReadList(files.main.name, published_on=read_day(root.get("generationDate", "")))
    for element in iterate(files.main.name, content, ["sanctionEntity"]):
        line = element.sourceline or 0
        found.add(_read_entry(files.main.name, line, element), line)
    if not found.entries:
        raise BrokenFile(files.main.name, 1, "there is no entry")
    return found


def _read_entry(file: str, line: int, element: Any) -> ReadEntry:
    facts = _read_facts(element)
    kinds = [one.get("classificationCode", "") for one in children(element, "subjectType")]
    named = [(_name(one), one.get("strong") == "false") for one in children(element, "nameAlias")]
    named = [one for one in named if one[0]]
    main = next((name for name, is_weak in named if not is_weak), named[0][0] if named else "")
    regulations = children(element, "regulation")
    functions = unique(one.get("function", "") for one in children(element, "nameAlias"))
    return ReadEntry(
        number=read_number(file, line, element.get("logicalId", "")),
        name=main,
        kind=INDIVIDUAL if PERSON in kinds else "",
        programs=clip(
            ", ".join(unique(one.get("programme", "") for one in regulations)), "programs"
        ),
        title=clip("; ".join(functions), "title"),
        remarks=describe_facts(
            facts, element.get("euReferenceNumber", ""), text_of(element, "remark")
        ),
        addresses=list(unique(_place(one) for one in children(element, "address"))),
        aliases=[one for one in named if one[0] != main],
        facts=facts,
    )


def _name(alias: Any) -> str:
    whole = " ".join(alias.get("wholeName", "").split())
    parts = (alias.get(name, "") for name in ("firstName", "middleName", "lastName"))
    return whole or " ".join(filter(None, parts))


def _read_facts(element: Any) -> EntryFacts:
    born, papers = children(element, "birthdate"), children(element, "identification")
    placed = [*children(element, "citizenship"), *born, *children(element, "address")]
    numbers = (
        ListedNumber(_kind(one), one.get("number", ""), _country(one))
        for one in papers
        if one.get("number")
    )
    return EntryFacts(
        unique(map(_read_birth, born)),
        unique(map(_country, placed)),
        tuple(dict.fromkeys(numbers)),
    )


def _kind(paper: Any) -> str:
    return paper.get("identificationTypeDescription") or paper.get("identificationTypeCode", "")


def _read_birth(element: Any) -> str:
    first, last = element.get("yearRangeFrom", ""), element.get("yearRangeTo", "")
    if first.isdecimal() and last.isdecimal():
        return f"{first}/{last}"
    parts = [element.get(name, "") for name in ("year", "monthOfYear", "dayOfMonth")]
    birth = birth_of(*(int(part) if part.isdecimal() else None for part in parts))
    return f"~{birth[:4]}" if birth and element.get("circa") == "true" else birth


def _country(element: Any) -> str:
    code = element.get("countryIso2Code", "").upper()
    known = code if code in COUNTRY_NAMES.codes and code != UNKNOWN_COUNTRY else ""
    return known or COUNTRY_NAMES.find(element.get("countryDescription", ""))


def _place(element: Any) -> str:
    parts = [element.get(name, "") for name in ADDRESS]
    country = COUNTRY_NAMES.codes.get(_country(element), "")
    return ", ".join(filter(None, [*parts, country]))
