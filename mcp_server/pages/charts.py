"""Charts drawn on the server: no script, no style, colours from the style sheet."""

from dataclasses import dataclass
from datetime import date

from mcp_server.queries.connections import CallsOfDay

WIDTH, HEIGHT, GAP = 10, 48, 2  # of a day's column, in the units of the picture


@dataclass(frozen=True)
class Bar:
    """The bar of one day: `x` and `y` are its upper left corner, in the units of the picture."""

    day: CallsOfDay
    x: int
    y: float
    width: int
    height: float


@dataclass(frozen=True)
class DaysChart:
    """Calls per day; `busiest` is None if there were none."""

    bars: list[Bar]
    busiest: CallsOfDay | None
    width: int
    height: int
    first: date
    middle: date


def draw_days(days: list[CallsOfDay]) -> DaysChart:
    """Return the chart of calls per day: a bar for each day with calls, the busiest the highest."""
    busiest = max(days, key=lambda day: day.calls)
    scale = HEIGHT / max(busiest.calls, 1)
    bars = [
        Bar(day, number * WIDTH, HEIGHT - high, WIDTH - GAP, high)
        for number, day in enumerate(days)
        for high in [round(day.calls * scale, 1)]
        if day.calls
    ]
    return DaysChart(
        bars=bars,
        busiest=busiest if busiest.calls else None,
        width=len(days) * WIDTH - GAP,
        height=HEIGHT,
        first=days[0].day,
        middle=days[len(days) // 2].day,
    )
