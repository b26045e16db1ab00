"""Home page chart: arrived and decided applications per day, as server-rendered SVG."""

from django.template.loader import render_to_string

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

STEPS = [1, 2, 5]


def daily_chart(days, title):
    """Return the HTML of arrivals and decisions per day: a chart, and a table for screen readers.

    `days` must not be empty.
    """
    top = _round_up(max(max(day.arrived, day.decided) for day in days))
    slot = WIDTH / len(days)
    context = {
        "title": title,
        "days": days,
        "arrived": sum(day.arrived for day in days),
        "decided": sum(day.decided for day in days),
        "lines": [
            Line(TOP + HEIGHT - round(HEIGHT * count / top, 1), str(count))
            for count in range(_step(top), top + 1, _step(top))
        ],
        "bars": [
            bar
            for number, day in enumerate(days)
            for bar in _pair(day, LEFT + slot * number, slot, top)
        ],
        "labels": [(LEFT + slot * (number + 0.5), day.day) for number, day in enumerate(days)],
        "base": TOP + HEIGHT,
        "height": TOP + HEIGHT + 24,
        "label_y": TOP + HEIGHT + 17,
    }
    return render_to_string("admin/onboarding/daily_chart.html", context)


def _pair(day, x, slot, top):
    titled = [
        (count, f"{day.day:%B} {day.day.day}: {count} {name}")
        for name, count in (("arrived", day.arrived), ("decided", day.decided))
    ]
    return pair_of_bars(x, slot, top, titled)


def _round_up(count):
    most = max(count, 1)
    return round_up(most, _step(most))


def _step(count):
    return round_step(count, steps=STEPS, unit=1)
