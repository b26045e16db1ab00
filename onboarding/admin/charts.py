"""The chart of the home page: what arrived and was decided, drawn on the server."""

from django.template.loader import render_to_string

from banking.admin.charts import HEIGHT, LEFT, TOP, WIDTH, Bar, Line

STEPS = [1, 2, 5]
LINES = 4  # as many lines at most, besides that of zero


def daily_chart(days, title):
    """Return arrivals and decisions of days as bars, and as a table for who cannot see them."""
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
    width = slot * 0.34
    for kind, name, left, count in [
        ("in", "arrived", x + slot * 0.14, day.arrived),
        ("out", "decided", x + slot * 0.52, day.decided),
    ]:
        height = round(HEIGHT * count / top, 1)
        title = f"{day.day:%B} {day.day.day}: {count} {name}"
        yield Bar(kind, title, round(left, 2), round(width, 2), TOP + HEIGHT - height, height)


def _round_up(count):
    """Return the height of the chart: the next count that a line can be drawn at."""
    step = _step(max(count, 1))
    return step * -(-max(count, 1) // step)


def _step(count):
    """Return the smallest round number of which `LINES` reach that high."""
    power = 1
    while True:
        for step in STEPS:
            if step * power * LINES >= count:
                return step * power
        power *= 10
