"""Batches over HTTP: streamed, atomic, waiting, and their results."""

from datetime import timedelta

import orjson
import pytest
from django.utils import timezone

from banking.models import Business, BusinessAddress, FeedBatch, FeedInboxLine
from onboarding.services.partners import api_keys
from tests.banking.feed.conftest import BUSINESS
from tests.onboarding.api.bank.conftest import NDJSON, outcomes_of

ADDRESS = {"kind": "REGISTERED", "line1": "1 Main Street", "city": "Austin"}


def business(number):
    return {"kind": "businesses", "externalId": f"B-{number}", "version": 1, "data": BUSINESS}


def address(number, of):
    return {
        "kind": "addresses",
        "externalId": f"D-{number}",
        "version": 1,
        "data": ADDRESS | {"business": of},
    }


def results(response):
    return [outcome["result"] for outcome in outcomes_of(response)]


def test_lines_are_answered_in_their_order_and_kept(core):
    response = core.send("records:batch", business(1), b"oops", address(1, "B-1"))

    outcomes = outcomes_of(response)
    assert [one["result"] for one in outcomes] == ["created", "refused", "created"]
    assert response["Content-Type"] == "application/x-ndjson"
    batch_id = response["X-Batch-Id"]
    batch = core.get(f"batches/{batch_id}").json()
    assert batch["counts"] == {"created": 2, "refused": 1}
    assert batch["finishedAt"]
    assert outcomes_of(core.get(f"batches/{batch_id}/results")) == outcomes
    assert [one["batchId"] for one in core.get("batches").json()["batches"]] == [batch_id]


def test_a_batch_of_one_kind_needs_its_scope_and_takes_no_other(make_core):
    core = make_core("businesses:write")

    unnamed = {key: value for key, value in business(1).items() if key != "kind"}
    assert results(core.send("businesses:batch", unnamed, address(1, "B-1"))) == [
        "created",
        "refused",
    ]
    assert core.send("addresses:batch", address(1, "B-1")).status_code == 403
    assert results(core.send("records:batch", business(2), address(1, "B-1"))) == [
        "created",
        "refused",
    ]


def test_an_atomic_batch_stores_all_or_none(core):
    response = core.send("records:batch?atomic=true", business(1), address(1, "B-none"))

    assert results(response) == ["refused", "refused"]
    assert not Business.objects.exists()


def test_lines_may_wait(core):
    assert results(core.send("records:batch?waitMinutes=30", address(1, "B-1"))) == ["pending"]
    assert FeedInboxLine.objects.count() == 1
    assert results(core.send("records:batch", business(1))) == ["created"]
    assert core.get("addresses/D-1").status_code == 200


def revoke(key):
    api_keys.revoke_api_key(key, at=timezone.now())


def expire(key):
    key.expires_at = timezone.now() - timedelta(seconds=1)
    key.save()


def take_the_scope(key):
    key.permissions = ["addresses:read", "businesses:write"]
    key.save()


@pytest.mark.parametrize("end", [revoke, expire, take_the_scope])
def test_lines_of_an_ended_key_wait_for_nothing(make_core, end):
    former, core = make_core("*:write"), make_core("*:write")
    sent = former.send("records:batch?waitMinutes=600", address(1, "B-1"))
    assert results(sent) == ["pending"]

    end(former.issued.key)

    assert results(core.send("records:batch", business(1), business(2))) == ["created"] * 2
    assert not BusinessAddress.objects.exists()
    assert FeedInboxLine.objects.get().fault == (
        "The key was revoked, has expired or lost the scope addresses:write while the line waited."
    )


def test_a_live_key_sends_the_line_of_an_ended_key_again(make_core):
    former, core = make_core("*:write"), make_core("*:write")
    sent = [former.send("records:batch?waitMinutes=600", address(1, "B-1"))]
    revoke(former.issued.key)
    sent.append(core.send("records:batch?waitMinutes=600", address(1, "B-1")))
    assert [results(one) for one in sent] == [["pending"]] * 2

    assert results(core.send("records:batch", business(1))) == ["created"]
    assert BusinessAddress.objects.count() == 1
    assert not FeedInboxLine.objects.exists()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("records:batch?atomic=yes", 400),
        ("records:batch?waitMinutes=1441", 400),
        ("records:batch?dry=1", 400),
        ("castles:batch", 404),
    ],
)
def test_a_wrong_call_is_refused(core, path, status):
    assert core.send(path, business(1)).status_code == status
    assert not FeedBatch.objects.exists()


def test_a_batch_is_ndjson_of_a_known_length(core, settings):
    assert core.call("post", "records:batch", b"{}").status_code == 415
    settings.FEED_BODY_MAX_BYTES = 10
    assert core.send("records:batch", business(1)).status_code == 413


def test_a_chunked_batch_has_a_length_that_our_server_counted(core):
    chunked, body = {"transfer-encoding": "chunked"}, orjson.dumps(business(1))

    def send(path="records:batch", **headers):
        return core.call("post", path, body, NDJSON, **chunked, **headers)

    assert results(send()) == ["created"]
    assert send(**{"content-length": ""}).status_code == 411
    assert send("records:batch?atomic=true").status_code == 411


def test_another_key_does_not_see_the_batch(core, make_core):
    response = core.send("records:batch", business(1))
    outcomes_of(response)
    other = make_core("*:read")

    assert other.get(f"batches/{response['X-Batch-Id']}").status_code == 404
    assert other.get("batches").json()["batches"] == []
