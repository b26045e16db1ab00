import re
from io import BytesIO

import pytest

from banking.pdf.charts import Bar, draw_bars, draw_shares, largest
from banking.pdf.pages import PdfDocument
from tests.banking.pdf.reading import ReadDocument
from tests.banking.pdf.samples import HEAD, HOSTILE, MADE_AT


def drawn(draw, *amounts, label="Bar"):
    """Return the figure that `draw` makes of these amounts."""
    target = BytesIO()
    document = PdfDocument(target, title="Chart", subject="Test", head=HEAD, made_at=MADE_AT)
    draw(document, "Chart", [Bar(f"{label} {n}", cents) for n, cents in enumerate(amounts)])
    document.finish()
    (figure,) = ReadDocument(target.getvalue()).structure.all("Figure")
    return figure


def scale_of(figure):
    return re.findall(r"-?\$[\d,.]+", figure.text.partition("Bar")[0])


@pytest.mark.parametrize(
    ("amounts", "scale"),
    [
        ([0], ["$0"]),
        ([1], ["$0", "$1", "$2"]),
        ([110_000, 30_000], ["$0", "$600", "$1,200"]),
        ([1_000_000], ["$0", "$5,000", "$10,000"]),
        ([-50_000, 110_000], ["-$500", "$0", "$600", "$1,200"]),
        ([-110_000], ["-$1,200", "-$600", "$0"]),
    ],
)
def test_the_scale_is_round_and_reaches_beyond_the_bars(amounts, scale):
    assert scale_of(drawn(draw_bars, *amounts)) == scale


def test_shares_are_those_of_the_whole():
    figure = drawn(draw_shares, 7_500, 2_500)

    assert figure.text == "Bar 0$75.0075.0 %Bar 1$25.0025.0 %"


def test_refunds_have_no_share():
    assert "-$25.000.0 %" in drawn(draw_shares, 7_500, -2_500).text


def test_the_smallest_bars_are_one():
    bars = [Bar(f"Kind {n}", n) for n in range(10)]

    assert largest(bars, most=2) == [Bar("Kind 9", 9), Bar("Kind 8", 8), Bar("8 others", 28)]
    assert largest(bars[:2], most=2) == [Bar("Kind 1", 1), Bar("Kind 0", 0)]


@pytest.mark.parametrize("draw", [draw_bars, draw_shares])
@pytest.mark.parametrize("text", HOSTILE)
def test_no_label_breaks_a_chart(draw, text):
    assert drawn(draw, 1, 2**63, label=text).entries["/Alt"].startswith("Chart: ")


def test_an_alternative_text_disguises_nothing():
    alternative = drawn(draw_bars, 1, label="\u202eevil\x00").entries["/Alt"]

    assert alternative == "Chart: □evil□ 0 $0.01."
