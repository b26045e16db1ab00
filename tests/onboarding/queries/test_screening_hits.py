"""Reads of hits, and the digests of both sides."""

import pytest

from onboarding.choices import HitSubject
from onboarding.models import Lead
from onboarding.queries import screening_hits
from tests.onboarding.cases import make_case
from tests.onboarding.hits import clear, make_hit, propose_clearing


def test_only_current_hits_that_are_not_cleared_are_open(ada, bob):
    case = make_case()
    cleared, _open = make_hit(case, 1), make_hit(case, 2)
    make_hit(case, 3, is_current=False)
    make_hit(make_case(), 4)

    clear(case, cleared, by=ada, second=bob)

    assert screening_hits.count_open(case.lead) == 1
    assert [hit.entry_number for hit in screening_hits.open_hits().filter(lead=case.lead)] == [2]


def test_the_hits_of_a_lead_are_listed_the_most_similar_first(db):
    case = make_case()
    make_hit(case, 1, score=90)
    make_hit(case, 2, score=100)

    assert [hit.entry_number for hit in screening_hits.list_hits(case.lead)] == [2, 1]


def test_open_clearings_are_found_by_hit(ada):
    case = make_case()
    hit = make_hit(case, 1)
    [made] = propose_clearing(case, hit, by=ada)

    assert screening_hits.find_open_clearings([hit]) == {hit.pk: made}


def test_verdicts_are_those_that_count(ada, bob):
    case = make_case()
    cleared = make_hit(case, 1)
    propose_clearing(case, make_hit(case, 2), by=ada)
    clear(case, cleared, by=ada, second=bob)

    [verdict] = screening_hits.list_verdicts(case.lead)

    assert verdict[1:] == ["PERSON", "SDN", "1", "FALSE_POSITIVE"]


@pytest.mark.parametrize("name", ["first_name", "id_country", "passport_number", "ssn", "country"])
def test_each_fact_of_a_person_changes_the_digest(name):
    one, other = Lead(), Lead(**{name: "AB123456"})

    found = {screening_hits.digest_party(lead, HitSubject.PERSON)[0] for lead in (one, other)}

    assert len(found) == 2


def test_the_digest_of_a_business_is_not_that_of_its_applicant():
    one, other = Lead(first_name="Ada"), Lead(first_name="Bea")

    business = {screening_hits.digest_party(lead, "BUSINESS")[0] for lead in (one, other)}

    assert len(business) == 1


def test_each_part_of_an_entry_changes_its_digest():
    said = ("QUILLON", "CUBA", {"remarks": "", "names": ["QUILLON"]})
    others = [("QUILLON", "IRAN", said[2]), ("QUILLON", "CUBA", {**said[2], "remarks": "x"})]

    assert screening_hits.digest_entry(*said) not in [
        screening_hits.digest_entry(*one) for one in others
    ]
