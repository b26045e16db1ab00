"""Lines of transactions by the million."""

from datetime import timedelta

import orjson

from banking.demo.scale import SPAN, Scale, time_of, write_lines
from tests.factories import NOON


def test_the_transactions_are_in_the_order_of_time_and_end_before_the_day():
    lines = list(map(orjson.loads, write_lines(Scale(50, "T", businesses=2), until=NOON)))

    times = [line["data"]["occurredAt"] for line in lines if line["kind"] == "transactions"]
    assert len(set(times)) == 50
    assert times == sorted(times)
    assert times[-1] < NOON.isoformat()


def test_many_millions_of_transactions_have_their_times():
    scale = Scale(100_000_000, "T")
    first, last = (time_of(scale, number, until=NOON) for number in (0, scale.count - 1))

    assert NOON - SPAN < first < NOON - SPAN + timedelta(seconds=2)
    assert NOON - timedelta(seconds=2) < last < NOON
