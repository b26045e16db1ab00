"""The chart of money in and out by month."""

from django.template.loader import render_to_string

from banking.admin.amounts import amount
from banking.money import usd_text
from foundation.backoffice.charts import (
    HEIGHT,
    LEFT,
    TOP,
    WIDTH,
    Line,
    pair_of_bars,
    round_step,
    round_up,
)

STEPS = [1, 2, 2.5, 5, 10]


def flow_chart(flows, title):
    """Return HTML of the cash flows of months as bars, and as a table for screen readers.

    `flows` are MonthFlow rows, at least one.
    """
    most = max(100_00, *(max(flow.in_cents, flow.out_cents) for flow in flows))
    top = round_up(most, _step(most))
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
    """Return cents as a short text in dollars, for example `$1.5M`."""
    dollars = cents / 100
    for size, letter in [(1e9, "B"), (1e6, "M"), (1e3, "k")]:
        if dollars >= size:
            return f"${dollars / size:g}{letter}"
    return f"${dollars:g}"


def _pair(flow, x, slot, top):
    titled = [
        (cents, f"{flow.month:%B %Y}, {kind}: {usd_text(cents)}")
        for kind, cents in (("in", flow.in_cents), ("out", flow.out_cents))
    ]
    return pair_of_bars(x, slot, top, titled)


def _step(cents):
    return round_step(cents, steps=STEPS, unit=100)


def _lines(top):
    step = _step(top)
    return [
        Line(TOP + HEIGHT - round(HEIGHT * cents / top, 1), short_dollars(cents))
        for cents in range(step, top + 1, step)
    ]
