"""The contest of the Lead API: what it compares, and what it sends."""

import json

import pytest

from bench import lead_bodies, lead_parity, lead_scenarios
from bench.contest import Peer
from bench.lead_scenarios import CREATE, GET, Entrant


@pytest.fixture
def entrant():
    return Entrant(Peer("anybody", ["true"]), 1, "ak_sb_1", "sk_sb_1", seeds=["first", "second"])


def test_a_dozen_bodies_are_sent_and_four_are_good():
    dozen = lead_bodies.dozen()

    assert len(dozen) == 12
    assert sum(is_good for _, is_good in dozen.values()) == 4


def test_a_difference_is_named():
    ours, theirs = {"owners": [{"title": "CEO"}]}, {"owners": [{"title": ""}]}

    with pytest.raises(lead_parity.Differs, match="Peer: /owners/0/title: '' where we have 'CEO'"):
        lead_parity.compare("Peer", ours, theirs)


def test_a_missing_name_is_a_difference():
    with pytest.raises(lead_parity.Differs):
        lead_parity.compare("Peer", {"a": 1, "b": 2}, {"a": 1})


def test_equal_answers_pass():
    lead_parity.compare("Peer", {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]})


def test_what_differs_by_nature_is_not_compared():
    row = {"id": 1, "ssn": "1", "digest": "x", "created_at": "2026-01-01", "erased_at": None}

    assert lead_parity.plain(row) == {"created_at": True, "erased_at": False}


def test_each_lead_that_is_there_is_asked_for(entrant):
    scenarios = {one.name: one for one in lead_scenarios.scenarios([entrant])}

    asked = scenarios[GET].requests(entrant.peer)

    assert [request.path.rpartition("/")[2] for request in asked] == ["first", "second"]


def test_who_has_no_leads_only_creates(entrant):
    entrant.seeds.clear()

    scenarios = lead_scenarios.scenarios([entrant])

    assert [one.name for one in scenarios if one.requests(entrant.peer)] == [CREATE]


def test_each_write_gets_a_key_of_its_own(entrant):
    create = lead_scenarios.scenarios([entrant])[0]

    (sent,) = create.requests(entrant.peer)

    assert sent.headers["Idempotency-Key"] == "bench-{n}"
    assert json.loads(sent.body)["uniqueId"] == "crm-{n}"
