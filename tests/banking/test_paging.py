"""Pages hold each row once, in order, however many there are."""

import pytest

from banking.models import Business
from banking.paging import Page, take_page

ROWS = Business.objects.order_by("pk")


@pytest.fixture
def businesses(make_business):
    return [make_business() for _ in range(5)]


def test_pages_hold_each_row_once(businesses):
    pages = [take_page(ROWS, page=page, page_size=2) for page in range(3)]

    assert [row for page in pages for row in page.items] == businesses
    assert {(page.total_count, page.total_pages) for page in pages} == {(5, 3)}


@pytest.mark.parametrize("page", [3, 10**30])
def test_beyond_the_last_page_there_is_nothing(businesses, page):
    taken = take_page(ROWS, page=page, page_size=2)

    assert (taken.items, taken.page, taken.total_count) == ([], page, 5)


def test_an_empty_list_has_no_pages(db):
    assert take_page(ROWS, page=0, page_size=20).total_pages == 0


@pytest.mark.parametrize(("total", "pages"), [(0, 0), (1, 1), (20, 1), (21, 2), (40, 2)])
def test_the_last_page_may_be_shorter(total, pages):
    assert Page(items=[], page=0, page_size=20, total_count=total).total_pages == pages


@pytest.mark.parametrize(("page", "page_size"), [(-1, 20), (0, 0), (0, -5)])
def test_a_page_that_makes_no_sense_is_refused(db, page, page_size):
    with pytest.raises(ValueError, match="count from 0"):
        take_page(ROWS, page=page, page_size=page_size)


def test_a_page_takes_two_statements(businesses, django_assert_num_queries):
    with django_assert_num_queries(2):
        take_page(ROWS, page=1, page_size=2)
