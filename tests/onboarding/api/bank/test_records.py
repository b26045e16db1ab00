"""One record over HTTP: stored, read back, refused; keys of the bank and of partners."""

import json

import pytest

from banking.models import Business, FeedBatch
from tests.banking.feed.conftest import BUSINESS
from tests.onboarding.api.bank.conftest import ROOT, authorization, issue

LINE = {"version": 1, "data": BUSINESS}


def code_names(response):
    return [(error["codeName"], error["field"]) for error in response.json()["errors"]]


def test_a_record_is_stored_sent_again_and_read_back(core):
    created, again = core.put("businesses/B-1", LINE), core.put("businesses/B-1/", LINE)
    read = core.get("businesses/B-1")

    assert (created.status_code, created.json()["result"]) == (201, "created")
    assert (again.status_code, again.json()["result"]) == (200, "unchanged")
    assert read.json() == {
        "kind": "businesses",
        "externalId": "B-1",
        "id": str(Business.objects.get().external_id),
        "version": 1,
        "removed": False,
        "data": {
            **BUSINESS,
            "createdAt": "2026-01-02T09:00:00+00:00",
            "filingStatus": None,
            "incorporationDate": None,
            "incorporationState": "",
            "phoneNumber": "",
            "taxState": "",
            "website": "",
        },
    }


def test_what_was_read_is_unchanged_when_it_is_sent(core):
    core.put("businesses/B-1", LINE)
    read = core.get("businesses/B-1").json()

    sent = core.put("businesses/B-1", {"version": 1, "data": read["data"]})

    assert sent.json()["result"] == "unchanged"


def test_a_refused_record_names_its_fields(core):
    response = core.put("businesses/B-1", {"version": 1, "data": BUSINESS | {"email": 1, "x": 2}})

    assert response.status_code == 400
    assert set(code_names(response)) == {
        ("RECORD_REFUSED", "/data/email"),
        ("RECORD_REFUSED", "/data/x"),
    }


def test_an_integer_of_any_size_is_refused_in_its_field(core):
    line = {"version": 1, "data": BUSINESS | {"website": 10**30}}

    response = core.call("put", "businesses/B-1", json.dumps(line))

    assert response.status_code == 400
    assert code_names(response) == [("RECORD_REFUSED", "/data/website")]


def test_an_older_version_is_a_conflict(core):
    core.put("businesses/B-1", LINE | {"version": 5})

    response = core.put("businesses/B-1", LINE)

    assert (response.status_code, code_names(response)) == (409, [("RECORD_STALE", None)])


@pytest.mark.parametrize(
    ("path", "status", "name"),
    [
        ("castles/C-1", 404, "RECORD_KIND_UNKNOWN"),
        ("businesses/B-none", 404, "RECORD_NOT_FOUND"),
        ("nowhere", 404, "RESOURCE_NOT_FOUND"),
        ("batches/none", 404, "BATCH_NOT_FOUND"),
    ],
)
def test_what_is_not_there_is_404(core, path, status, name):
    response = core.get(path)

    assert (response.status_code, code_names(response)[0][0]) == (status, name)


def test_a_removed_record_is_read_with_its_last_data(core):
    core.put("businesses/B-1", LINE)
    address = {"business": "B-1", "kind": "MAILING", "line1": "1 Main St", "city": "Austin"}
    core.put("addresses/D-1", {"version": 1, "data": address})

    removed = core.put("addresses/D-1", {"version": 2, "removed": True})
    read = core.get("addresses/D-1").json()

    assert removed.json()["result"] == "removed"
    assert (read["removed"], read["data"]["city"]) == (True, "Austin")


@pytest.mark.parametrize(
    ("body", "status"), [(b"[]", 400), (b"{", 400), (b'{"a": 1, "a": 2}', 400)]
)
def test_a_body_that_is_no_object_is_refused(core, body, status):
    assert core.call("put", "businesses/B-1", body).status_code == status


def test_a_body_of_another_type_or_length_is_refused(core, settings):
    assert core.call("put", "businesses/B-1", b"a=1", "text/plain").status_code == 415
    settings.FEED_LINE_MAX_BYTES = 10
    assert core.put("businesses/B-1", LINE).status_code == 413


def test_a_scope_allows_its_kind_alone(make_core):
    writer, reader = make_core("addresses:write"), make_core("*:read")

    assert code_names(writer.put("businesses/B-1", LINE)) == [("PERMISSION_DENIED", None)]
    assert writer.get("addresses/D-1").status_code == 403
    assert reader.put("businesses/B-1", LINE).status_code == 403
    assert reader.get("businesses/B-1").status_code == 404
    assert not FeedBatch.objects.exists()


def test_a_partners_key_is_unknown_here_and_a_banks_key_at_the_lead_api(client, make_api_key, db):
    partners, banks = make_api_key(), issue("*:read")

    here = client.get(f"{ROOT}kinds", headers={"authorization": authorization(partners)})
    there = client.get("/service/api/v1/lead", headers={"authorization": authorization(banks)})
    unknown = client.get(f"{ROOT}kinds", headers={"authorization": "Vestibule bk_sb_1:sk_sb_2"})

    for response in [here, there, unknown]:
        assert response.status_code == 401
        assert code_names_json(response) == ["INVALID_CREDENTIALS"]


def code_names_json(response):
    if response["Content-Type"].startswith("application/json"):
        return [error["codeName"] for error in response.json()["errors"]]
    return [response.content.decode().split("<codeName>")[1].split("<")[0]]


def test_without_a_key_nothing_is_answered(client, db):
    assert client.get(f"{ROOT}changes").status_code == 401


def test_a_key_admits_its_networks_alone(make_core):
    core = make_core("*:read", networks=["10.0.0.0/8"])

    assert core.get("kinds").status_code == 403


def test_kinds_are_listed_with_their_schemas(core):
    kinds = {kind["name"]: kind for kind in core.get("kinds").json()["kinds"]}

    assert kinds["cards"]["shows"] == ["svc_list_cards", "svc_get_transaction"]
    assert "cardholderName" in kinds["cards"]["schema"]["properties"]


def test_changes_are_read_on_from_where_a_client_stopped(core, make_core):
    for number in range(3):
        core.put(f"businesses/B-{number}", LINE)
    first = core.get("changes?limit=2").json()
    second = core.get(f"changes?after={first['nextAfter']}").json()

    assert [one["externalId"] for one in first["changes"]] == ["B-0", "B-1"]
    assert (first["hasMore"], second["hasMore"]) == (True, False)
    assert [one["externalId"] for one in second["changes"]] == ["B-2"]
    assert make_core("cards:read").get("changes").json()["changes"] == []


def test_a_key_that_reads_nothing_reads_no_changes(make_core):
    answer = make_core("cards:write").get("changes")

    assert (answer.status_code, answer.json()["errors"][0]["codeName"]) == (
        403,
        "PERMISSION_DENIED",
    )


@pytest.mark.parametrize("query", ["after=x", "after=-1", "limit=0", "limit=1001", "since=1"])
def test_a_wrong_parameter_is_refused(core, query):
    assert core.get(f"changes?{query}").status_code == 400
