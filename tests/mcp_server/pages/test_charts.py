"""Charts of calls per day."""

from datetime import date, timedelta

from mcp_server.pages.charts import HEIGHT, draw_days
from mcp_server.queries.connections import CallsOfDay

MONDAY = date(2026, 3, 2)


def days(*calls):
    return [CallsOfDay(MONDAY + timedelta(days=n), count) for n, count in enumerate(calls)]


def test_the_busiest_day_fills_the_height():
    chart = draw_days(days(1, 4, 0, 2))

    assert chart.busiest == CallsOfDay(MONDAY + timedelta(days=1), 4)
    assert [(bar.x, bar.y, bar.height) for bar in chart.bars] == [
        (0, HEIGHT * 0.75, HEIGHT / 4),
        (10, 0, HEIGHT),
        (30, HEIGHT / 2, HEIGHT / 2),
    ]
    assert chart.width == 38


def test_without_calls_there_is_nothing_to_draw():
    chart = draw_days(days(0, 0))

    assert chart.bars == []
    assert chart.busiest is None
