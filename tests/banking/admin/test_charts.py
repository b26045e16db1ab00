import re
from datetime import date

import pytest

from banking.admin.charts import flow_chart, short_dollars
from banking.queries.cash_flows import MonthFlow


def chart(*amounts):
    return flow_chart([MonthFlow(date(2026, 1, 1), *pair) for pair in amounts], "Money")


def heights(svg, kind):
    return [float(height) for height in re.findall(rf'bar-{kind}"[^>]*height="([\d.]+)"', svg)]


def test_a_bar_is_as_high_as_its_amount():
    svg = chart((100_000_00, 50_000_00), (25_000_00, 0))

    assert heights(svg, "in") == [150, 37.5]
    assert heights(svg, "out") == [75, 0]


@pytest.mark.parametrize(
    ("most", "top"),
    [
        (1, "$100"),
        (99_00, "$100"),
        (101_00, "$150"),
        (9_999_00, "$10k"),
        (12_345_678_900, "$150M"),
        (999_999_999_999_99, "$1000B"),
    ],
)
def test_the_highest_line_is_round_and_above_each_bar(most, top):
    svg = chart((most, 0))

    scale = re.findall(r'class="scale"[^>]*>([^<]+)<', svg)
    assert scale[-1] == top
    assert len(scale) <= 4
    assert max(heights(svg, "in")) <= 150


def test_months_without_money_make_no_chart():
    assert "<svg" not in chart((0, 0), (0, 0))


@pytest.mark.parametrize(
    ("cents", "text"),
    [(0, "$0"), (50_00, "$50"), (2_500_00, "$2.5k"), (1_000_000_00, "$1M"), (10**12, "$10B")],
)
def test_dollars_are_written_short(cents, text):
    assert short_dollars(cents) == text
