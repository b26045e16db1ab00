from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from foundation.backoffice import cells
from tests.factories import NOON


def test_a_timestamp_is_a_day_with_the_time_below_it():
    assert "Mar 2, 2026" in cells.timestamp(NOON)
    assert "12:00 UTC" in cells.timestamp(NOON)


def test_a_time_is_in_the_current_zone_and_names_it():
    with timezone.override(ZoneInfo("America/New_York")):
        assert "07:00 EST" in cells.timestamp(NOON)
        assert ">Mar 2, 2026, 07:00 EST<" in cells.minute(NOON)


def test_a_day_has_no_time():
    assert cells.day(date(2026, 3, 2)) == (
        '<time class="moment" datetime="2026-03-02">Mar 2, 2026</time>'
    )


def test_the_day_of_a_timestamp_is_that_of_the_current_zone():
    with timezone.override(ZoneInfo("Asia/Tokyo")):
        assert cells.day(NOON.replace(hour=20)) == (
            '<time class="moment" datetime="2026-03-02T20:00:00Z">Mar 3, 2026</time>'
        )


@pytest.mark.parametrize("show", [cells.timestamp, cells.minute, cells.day])
def test_a_time_that_is_not_known_is_an_empty_cell(show):
    assert show(None) == ""


@pytest.mark.parametrize(
    ("number", "text"), [("25.00", "25"), ("12.50", "12.5"), ("1000", "1,000")]
)
def test_a_number_has_no_zeros_at_its_end(number, text):
    assert cells.number(Decimal(number)) == text
    assert cells.percent(Decimal(number)) == f"{text}%"


def test_each_text_of_a_cell_is_escaped():
    assert cells.lines(["<a>"]) == '<span class="line">&lt;a&gt;</span>'
    assert "<strong>&lt;b&gt;</strong>" in cells.pairs([("<b>", "c")])


def test_a_column_of_timestamps_is_labelled_by_its_field_and_sorts_by_it():
    show = cells.timestamp_of("created_at")

    assert (show.short_description, show.admin_order_field) == ("created", "created_at")
    assert show(None, SimpleNamespace(created_at=None)) == ""


def test_a_choice_that_is_not_made_has_no_badge():
    assert cells.badge_of("status")(None, SimpleNamespace(status="", get_status_display=str)) == ""


def test_a_value_is_found_along_a_path():
    show = cells.value_of("plan.price", "price", "{:,}".format)
    row = SimpleNamespace(plan=SimpleNamespace(price=1200))

    assert show(None, row) == "1,200"
    assert (show.short_description, show.admin_order_field) == ("price", "plan__price")


def test_a_path_that_a_missing_row_ends_shows_nothing():
    assert cells.text_of("plan.name")(None, SimpleNamespace(plan=None)) == ""


def test_a_wrong_step_of_a_path_is_an_error():
    with pytest.raises(AttributeError):
        cells.text_of("plan.nmae")(None, SimpleNamespace(plan=SimpleNamespace(name="Pro")))


def test_two_values_sort_by_the_upper_one():
    show = cells.stack_of("plan.name", "code", "plan")

    assert show.admin_order_field == "plan__name"
    assert "Pro" in show(None, SimpleNamespace(plan=SimpleNamespace(name="Pro"), code="P"))
