"""Idempotency records: claimed, completed, released, taken over."""

import pytest

from onboarding.models import IdempotencyRecord
from onboarding.services.partners import idempotency
from tests.factories import NOON, later


@pytest.fixture
def claim(make_partner):
    partner = make_partner()

    def claim(*, at=NOON, **values):
        values = {"key": "k", "method": "PUT", "path": "/lead", "body_sha256": "a" * 64, **values}
        return idempotency.claim(partner=partner, at=at, **values)

    return claim


@pytest.mark.parametrize(("seconds", "left"), [(-2, 30), (0, 30), (10.5, 20), (28.5, 2), (29.9, 1)])
def test_a_running_call_is_told_with_what_is_left_of_its_lease(claim, seconds, left):
    claim()

    with pytest.raises(idempotency.IdempotencyInProgress) as refused:
        claim(at=later(seconds=seconds))

    assert refused.value.retry_after == left


def test_a_completed_call_is_replayed_for_a_day(claim):
    idempotency.complete(claim(), http_status=201, body={"a": 1}, at=NOON)

    assert claim(at=later(hours=23)).body == {"a": 1}
    fresh = claim(at=later(hours=24))
    assert (fresh.completed_at, fresh.body) == (None, None)


def test_a_response_from_before_a_new_pepper_is_replayed(claim, settings):
    idempotency.complete(claim(), http_status=201, body={"a": 1}, at=NOON)
    settings.API_KEY_PEPPER_FALLBACKS = [settings.API_KEY_PEPPER]
    settings.API_KEY_PEPPER = "new pepper"

    assert claim(at=later(hours=1)).body == {"a": 1}
    with pytest.raises(idempotency.IdempotencyKeyReused):
        claim(at=later(hours=1), body_sha256="b" * 64)
    assert claim(key="another").completed_at is None


def test_another_body_is_refused(claim):
    claim()

    with pytest.raises(idempotency.IdempotencyKeyReused):
        claim(body_sha256="b" * 64)


def test_path_and_method_part_the_keys(claim):
    assert claim().pk != claim(path="/lead/1").pk != claim(method="POST").pk


def test_a_dead_call_is_taken_over_after_its_lease(claim):
    dead = claim()

    taken = claim(at=later(seconds=30))

    assert taken.pk == dead.pk
    with pytest.raises(idempotency.IdempotencyInProgress):
        claim(at=later(seconds=31))


def test_a_refused_call_frees_its_key(claim):
    idempotency.release(claim())

    claim(body_sha256="b" * 64)


def test_release_never_forgets_an_answer(claim):
    record = claim()
    idempotency.complete(record, http_status=201, body={}, at=NOON)

    idempotency.release(record)

    assert IdempotencyRecord.objects.count() == 1


def test_of_eight_claims_at_once_one_works(in_threads, make_partner):
    partner = make_partner()

    results = in_threads(
        lambda _: idempotency.claim(
            partner=partner, key="k", method="PUT", path="/lead", body_sha256="a" * 64, at=NOON
        ),
        range(8),
    )

    won = [result for result in results if isinstance(result, IdempotencyRecord)]
    assert len(won) == 1
    assert all(
        isinstance(result, idempotency.IdempotencyInProgress)
        for result in results
        if result not in won
    )


def test_who_lost_the_key_keeps_no_answer_and_frees_nothing(claim):
    slow = claim()
    claim(at=later(seconds=30))

    with pytest.raises(idempotency.IdempotencyInProgress):
        idempotency.complete(slow, http_status=201, body={}, at=later(seconds=31))
    idempotency.release(slow)

    assert IdempotencyRecord.objects.get().completed_at is None


def test_a_key_that_was_freed_in_this_very_moment_is_to_be_tried_again(claim, monkeypatch):
    monkeypatch.setattr(idempotency, "insert_unless_present", lambda _record: False)

    with pytest.raises(idempotency.IdempotencyInProgress):
        claim()
