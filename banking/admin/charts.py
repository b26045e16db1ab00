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


def pair_of_bars(x, slot, top, titled):
    """Yield two bars side by side, of what is in and what is out: each a number and its title."""
    width = slot * 0.34
    for kind, left, (number, title) in zip(("in", "out"), (0.14, 0.52), titled, strict=True):
        height = round(HEIGHT * number / top, 1)
        begins = round(x + slot * left, 2)
        yield Bar(kind, title, begins, round(width, 2), TOP + HEIGHT - height, height)


def round_up(number, step):
    """Return the height of a chart: the next number that a line can be drawn at."""
    return step * -(-number // step)


def round_step(number, *, steps, unit):
    """Return the smallest round number of which `LINES` reach that high, from `unit` on."""
    power = unit
    while True:
        for step in steps:
            if step * power * LINES >= number:
                return int(step * power)
        power *= 10


def _pair(flow, x, slot, top):
    titled = [
        (cents, f"{flow.month:%B %Y}, {kind}: {usd_text(cents)}")
        for kind, cents in (("in", flow.in_cents), ("out", flow.out_cents))
    ]
    return pair_of_bars(x, slot, top, titled)


def _round_up(cents):
    most = max(cents, 100_00)
    return round_up(most, _step(most))


def _step(cents):
    return round_step(cents, steps=STEPS, unit=100)


def _lines(top):
    step = _step(top)
    return [
        Line(TOP + HEIGHT - round(HEIGHT * cents / top, 1), short_dollars(cents))
        for cents in range(step, top + 1, step)
    ]
