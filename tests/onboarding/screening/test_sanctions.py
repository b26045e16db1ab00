"""Sanctions: who is found, and who only shares a word."""

import hashlib
import random
from pathlib import Path

import pytest

from bench.sanctions import make_word
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult, ListCode
from onboarding.models import Application, SanctionsList
from onboarding.queries.leads import open_lead_file
from onboarding.screening import index as index_module
from onboarding.screening import sanctions
from onboarding.screening.index import Index, Listed
from onboarding.screening.sanctions import check_sanctions, get_index
from onboarding.screening.words import normalise
from tests.factories import later, make_owner
from tests.onboarding.list_files import load_other
from tests.onboarding.sanctions_files import SDN, load
from tests.onboarding.services.leads.test_submissions import make_complete
from tests.test_docstring_names import docstrings

pytestmark = pytest.mark.django_db


@pytest.fixture
def search(tmp_path):
    """Search the list for a name, and return entries with their scores."""
    load(tmp_path)
    index = get_index(SanctionsList.objects.get()).index

    def search(name, *, is_person=True):
        return [(hit.entry, hit.score) for hit in index.search(name, is_person=is_person)]

    return search


def check(application):
    stored = Application.objects.select_related("lead").get(pk=application.pk)
    return check_sanctions(open_lead_file(stored))


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("ZARQUONIAN, Ibrahim Tolvek", "IBRAHIM TOLVEK ZARQUONIAN"),
        ("Pérez-Ñakar, Ana", "ANA PEREZ NAKAR"),
        ("Øystein Łuków", "OYSTEIN LUKOW"),
        ("Seán O\u2019Brien", "SEAN OBRIEN"),
        ("", ""),
    ],
)
def test_a_persons_name_is_brought_into_one_form(name, normal):
    assert normalise(name, is_person=True) == normal


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("Quillon Trading Company, Ltd.", "QUILLON TRADING"),
        ("The Quillon L.L.C.", "QUILLON"),
        ("VORTEXA HOLDINGS S.A.", "VORTEXA HOLDINGS"),
        ("LLC", "LLC"),
        ("Straße & Söhne GmbH", "STRASSE SOHNE"),
    ],
)
def test_a_company_loses_what_says_only_of_what_kind_it_is(name, normal):
    assert normalise(name, is_person=False) == normal


@pytest.mark.parametrize(
    "name",
    [
        "Ibrahim Tolvek Zarquonian",
        "ZARQUONIAN IBRAHIM TOLVEK",
        "Ibrahim Zarquonian",
        "İbrahim Tolvek Zarquónian",
        "Ibrahim Tolvec Zarkuonian",
        "Ibrahim Omar Tolvek Zarquonian",
        "Ebrahim Zarquon",
    ],
)
def test_a_person_is_found_however_the_name_is_written(search, name):
    (hit,) = search(name)

    assert hit[0] == 2674


@pytest.fixture(scope="module")
def drawn():
    """Return an index of made-up people with two given names each, and their names as words."""
    chance = random.Random(7)
    words = [make_word(chance) for _ in range(3_000)]
    people = [[chance.choice(words).upper() for _ in range(3)] for _ in range(2_000)]
    index = Index()
    for entry, person in enumerate(people):
        name = " ".join(person)
        index.add(Listed(entry, name, "", name, False, True, tuple(person)))
    return index, people


@pytest.mark.parametrize(
    "form",
    [
        "{first} {middle[0]}. {last}",
        "{first[0]}. {middle} {last}",
        "{first[0]}. {middle[0]}. {last}",
        "{first[0]}.{middle[0]}. {last}",
        "{last}, {first} {middle[0]}",
    ],
)
def test_initials_hide_nobody(drawn, form):
    index, people = drawn
    missed = []

    for entry, (first, middle, last) in enumerate(people[:100]):
        hits = index.search(form.format(first=first, middle=middle, last=last), is_person=True)
        if entry not in {hit.entry for hit in hits}:
            missed.append(entry)

    assert missed == []


def test_an_initial_on_the_list_hides_nobody(tmp_path):
    row = SDN[3].replace("PÉREZ-ÑAKAR, Ana", "TOLVEKIAN, Omar B.")
    load(tmp_path, sdn=(row,), addresses=None, aliases=None)
    index = get_index(SanctionsList.objects.get()).index

    assert [hit.entry for hit in index.search("Omar Brix Tolvekian", is_person=True)] == [4001]
    assert index.search("Omar Drix Tolvekian", is_person=True) == []
    assert index.search("Brix Tolvekian", is_person=True) == []


def test_initials_of_other_people_raise_no_alarm(drawn):
    index, people = drawn
    chance = random.Random(8)
    given = [make_word(chance).upper() for _ in range(500)]

    alarms = [
        name
        for word, (_, middle, last) in zip(given, people, strict=False)
        for name in (f"{word} {middle[0]}. {last}", f"{word} {last}")
        if index.search(name, is_person=True)
    ]

    assert alarms == []


@pytest.mark.parametrize("name", ["Quillon Trading", "Qillon Trading LLC", "Quillon Exports Inc."])
def test_a_company_is_found_however_the_name_is_written(search, name):
    assert [entry for entry, _ in search(name, is_person=False)] == [36]


def test_the_same_name_scores_all_of_a_hundred(search):
    assert search("Ana Perez-Nakar") == [(4001, 100.0)]
    assert search("Ana Perez Nakkar")[0][1] < 100


@pytest.mark.parametrize(
    "name",
    ["Ibrahim Smith", "Ana Miller", "Tolvek", "Zarquonian", "José Núñez-Ortega", "", "?!"],
)
def test_one_name_in_common_is_no_hit(search, name):
    assert search(name) == []


@pytest.mark.parametrize(
    "name",
    ["Trading", "Miller Trading Company", "Blue Holdings S.A.", "Star", "Analytical Engines LLC"],
)
def test_a_common_word_of_companies_is_no_hit(search, name):
    assert search(name, is_person=False) == []


def test_long_words_that_many_have_hide_no_short_ones_that_differ(tmp_path):
    row = SDN[0].replace("QUILLON TRADING COMPANY LTD.", "RED INTERNATIONAL GENERAL TRADING LLC")
    load(tmp_path, sdn=(row,), addresses=None, aliases=None)
    index = get_index(SanctionsList.objects.get()).index

    assert index.search("Blu International General Trading", is_person=False) == []
    assert index.search("Redd International General Trading", is_person=False)


def test_words_that_many_have_tell_no_company(tmp_path):
    names = [f"GENERAL TRADING {chr(65 + one % 26) * 3}{one}" for one in range(60)]
    rows = [
        SDN[0].replace("QUILLON TRADING COMPANY LTD.", name).replace("36,", f"{number},", 1)
        for number, name in enumerate([*names, "GENERAL TRADING"])
    ]
    load(tmp_path, sdn=rows, addresses=None, aliases=None)
    index = get_index(SanctionsList.objects.get()).index

    assert index.search("Harbor Lights General Trading", is_person=False) == []
    assert index.search("General Trading", is_person=False)[0].score == 100


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Abu Tolvek", [2674]),
        ("Abu Tolvik", []),
        ("Abu Omar Tolvek", []),
        ("Brine Star", [5005]),
        ("Brine Starr", []),
    ],
)
def test_weak_aliases_and_ships_must_be_nearly_the_same(search, name, found):
    assert [entry for entry, _ in search(name)] == found


def test_a_hit_warns_and_says_with_what(tmp_path):
    load(tmp_path)
    application = make_complete(first_name="Ebrahim", last_name="Zarquon")

    (finding,) = check(application)

    assert (finding.result, finding.leads_to) == (CheckResult.WARN, Status.IN_REVIEW)
    assert (finding.person, finding.note) == (application.lead, "One name is alike.")
    assert finding.details == {
        "count": 1,
        "hits": [
            {
                "entry": 2674,
                "name": "ZARQUONIAN, Ibrahim Tolvek",
                "score": 96.0,
                "programs": "SDGT",
                "matched": "ZARQUON, Ebrahim",
                "reasons": [
                    {"ours": "EBRAHIM", "listed": "EBRAHIM", "reason": "SAME"},
                    {"ours": "ZARQUON", "listed": "ZARQUON", "reason": "SAME"},
                    {"ours": "", "listed": "10 Mar 1970", "reason": "BORN_DIFFERS"},
                ],
                "list": "SDN",
                "of": "PERSON",
            }
        ],
    }


def test_each_owner_is_held_against_the_list_and_the_business_with_the_applicant(tmp_path):
    load(tmp_path)
    application = make_complete(business_name="Vortexa Holdings LLC")
    owner = make_owner(application.lead, first_name="Ana", last_name="Perez Nakar")
    other = make_owner(application.lead, first_name="Grace", last_name="Miller")

    applicants, owners, others = check(application)

    assert [hit["of"] for hit in applicants.details["hits"]] == ["BUSINESS"]
    assert (owners.person, owners.result) == (owner, CheckResult.WARN)
    assert (others.person, others.result) == (other, CheckResult.PASS)


def test_all_hits_are_kept(tmp_path):
    rows = [SDN[3].replace("4001", f"{number}") for number in range(8)]
    load(tmp_path, sdn=rows, addresses=None, aliases=None)

    (finding,) = check(make_complete(first_name="Ana", last_name="Perez Nakar"))

    assert finding.note == "8 names are alike."
    assert [hit["entry"] for hit in finding.details["hits"]] == list(range(8))


def test_without_a_list_it_warns_and_says_nothing_of_the_risk():
    (finding,) = check(make_complete())

    assert (finding.code, finding.result) == (CheckCode.SANCTIONS, CheckResult.WARN)
    assert finding.note == "No sanctions list is loaded."
    assert finding.rated is False


def test_the_names_are_read_once_for_each_list(tmp_path, django_assert_num_queries):
    load(tmp_path)
    first = SanctionsList.objects.get(is_current=True)
    get_index(first)
    with django_assert_num_queries(0):
        get_index(first)

    load(tmp_path, at=later(days=1), sdn=SDN[:1], addresses=None, aliases=())

    newer = SanctionsList.objects.get(is_current=True)
    assert len(get_index(newer).index.listed) == 1
    assert sanctions._made["SDN"][0][0] == newer.pk  # noqa: SLF001 - the old one is let go


def code_of(file):
    """Return the text of a module without its docstrings."""
    text = file.read_text()
    lines = text.splitlines()
    for docstring in sorted(docstrings(text), key=lambda node: -node.lineno):
        del lines[docstring.lineno - 1 : docstring.end_lineno]
    return "\n".join(lines).encode()


def test_a_changed_comparison_has_everybody_compared_again():
    folder = Path(sanctions.__file__).parent
    files = [folder / f"{name}.py" for name in ("words", "vocabulary", "alignment", "index")]
    files.append(folder.parent / "entry_facts.py")
    parts = [code_of(file) for file in files]
    parts += [file.read_bytes() for file in sorted((folder / "data").glob("*.csv"))]
    digest = hashlib.sha256(b"".join(parts)).hexdigest()[:16]

    assert (sanctions.COMPARISON, digest) == (5, "503b3f2088a82d8a"), (
        "If names may compare otherwise, raise COMPARISON in onboarding/screening/sanctions.py; "
        "then write it and the digest here."
    )


def test_the_same_number_is_a_hit_whatever_the_name(tmp_path):
    row = SDN[3].rpartition("-0-")[0] + '"Passport A12345678 (Iran)."'
    load(tmp_path, sdn=(row,), addresses=None, aliases=None)
    application = make_complete(first_name="Grace", last_name="Miller", business_name="Blue Cafe")
    owner = make_owner(application.lead, passport_number="a-12345678", id_country="IR")
    other = make_owner(application.lead, passport_number="A12345678", id_country="US")

    found = {finding.person: finding for finding in check(application)}

    (hit,) = found[owner].details["hits"]
    assert (hit["entry"], hit["score"]) == (4001, 100)
    assert hit["reasons"] == [{"ours": "", "listed": "Passport", "reason": "NUMBER_SAME"}]
    assert found[other].result == CheckResult.PASS


def test_hits_of_several_lists_name_their_list(tmp_path):
    load(tmp_path)
    load_other(tmp_path, ListCode.UN)
    load_other(tmp_path, ListCode.EU)

    (finding,) = check(make_complete(first_name="Ibrahim Tolvek", last_name="Zarquonian"))

    assert {(hit["list"], hit["entry"]) for hit in finding.details["hits"]} == {
        ("SDN", 2674),
        ("UN", 6900001),
    }


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("I b r a h i m  T o l v e k  Z a r q u o n i a n", True),
        ("I b r a h i m T o l v e k Z a r q u o n i a n", True),
        ("I b r a h i m Zarquonian", True),
        ("I. T. Zarquonian", True),
        ("W i l b u r  M i l l e r", False),
    ],
)
def test_letters_parted_by_spaces_are_words(search, name, found):
    assert bool(search(name)) is found


def test_a_name_of_very_many_words_is_looked_for_by_its_first_and_last_ones(search):
    middle = " ".join(f"Word{number}x" for number in range(300))

    assert index_module.MOST_WORDS < 300
    assert search(f"Ibrahim Tolvek {middle} Zarquonian")
