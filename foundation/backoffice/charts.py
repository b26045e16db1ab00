"""Charts drawn on the server: no script, no style, colours from the style sheet."""

from dataclasses import dataclass

LEFT, WIDTH = 8.0, 92.0  # percent: so a chart fits any card and its text keeps its size
TOP, HEIGHT = 14, 150  # pixels
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
    """A horizontal line of a chart, labelled with its amount; `y` is in pixels from the top."""

    y: float
    label: str


def pair_of_bars(x, slot, top, titled):
    """Yield two bars side by side, of the kinds `in` and `out`.

    `titled` has two pairs of a number and a title. `x` and `slot` are the left edge and the width
    of the pair in percent; a bar of the number `top` has the full height.
    """
    width = slot * 0.34
    for kind, left, (number, title) in zip(("in", "out"), (0.14, 0.52), titled, strict=True):
        height = round(HEIGHT * number / top, 1)
        begins = round(x + slot * left, 2)
        yield Bar(kind, title, begins, round(width, 2), TOP + HEIGHT - height, height)


def round_up(number, step):
    """Return the number at the top of a chart: `number` rounded up to a multiple of `step`."""
    return step * -(-number // step)


def round_step(number, *, steps, unit):
    """Return the smallest distance between lines with which LINES lines reach the number.

    A distance is one of `steps`, smallest first, times `unit`, or ten, a hundred … times as much.
    """
    power = unit
    while True:
        for step in steps:
            if step * power * LINES >= number:
                return int(step * power)
        power *= 10
