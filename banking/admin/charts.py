"""Charts drawn on the server: no script, no style, colours from the style sheet."""

from dataclasses import dataclass

from django.template.loader import render_to_string

from banking.admin.cells import amount
from banking.money import usd_text

LEFT, WIDTH = 8.0, 92.0  # percent: so a chart fits any card and its text keeps its size
TOP, HEIGHT = 14, 150  # pixels
STEPS = [1, 2, 2.5, 5, 10]
LINES = 4  # as many lines at most, besides that of zero


@dataclass(frozen=True)
class Bar:
    """One bar. Units: x and width in percent, y and height in pixels."""

    kind: str
    title: str
    x: float
    width: float
    y: float
    height: float


@dataclass(frozen=True)
class Line:
    """A line that says how high an amount is."""

    y: float
    label: str


def flow_chart(flows, title):
    """Return what months moved as bars, and the same as a table for who cannot see them."""
    top = _round_up(max(max(flow.in_cents, flow.out_cents) for flow in flows))
    slot = WIDTH / len(flows)
    context = {
        "title": title,
        "flows": [(flow, amount(flow.in_cents), amount(flow.out_cents)) for flow in flows],
        "in_total": amount(sum(flow.in_cents for flow in flows)),
        "out_total": amount(sum(flow.out_cents for flow in flows)),
        "is_empty": not any(flow.in_cents or flow.out_cents for flow in flows),
        "lines": _lines(top),
        "bars": [
            bar
            for number, flow in enumerate(flows)
            for bar in _pair(flow, LEFT + slot * number, slot, top)
        ],
        "months": [(LEFT + slot * (number + 0.5), flow.month) for number, flow in enumerate(flows)],
        "base": TOP + HEIGHT,
        "height": TOP + HEIGHT + 40,
        "month_y": TOP + HEIGHT + 17,
        "year_y": TOP + HEIGHT + 32,
    }
    return render_to_string("admin/flow_chart.html", context)


def short_dollars(cents):
    """Return cents as few characters, for example `$1.5M`."""
    dollars = cents / 100
    for size, letter in [(1e9, "B"), (1e6, "M"), (1e3, "k")]:
        if dollars >= size:
            return f"${dollars / size:g}{letter}"
    return f"${dollars:g}"


def _pair(flow, x, slot, top):
    width = slot * 0.34
    for kind, left, cents in [
        ("in", x + slot * 0.14, flow.in_cents),
        ("out", x + slot * 0.52, flow.out_cents),
    ]:
        height = round(HEIGHT * cents / top, 1)
        title = f"{flow.month:%B %Y}, {kind}: {usd_text(cents)}"
        yield Bar(kind, title, round(left, 2), round(width, 2), TOP + HEIGHT - height, height)


def _round_up(cents):
    """Return the height of the chart: the next amount that a line can be drawn at."""
    step = _step(max(cents, 100_00))
    return step * -(-max(cents, 100_00) // step)


def _step(cents):
    """Return the smallest round amount of which `LINES` reach that high."""
    power = 100
    while True:
        for step in STEPS:
            if step * power * LINES >= cents:
                return int(step * power)
        power *= 10


def _lines(top):
    step = _step(top)
    return [
        Line(TOP + HEIGHT - round(HEIGHT * cents / top, 1), short_dollars(cents))
        for cents in range(step, top + 1, step)
    ]
