"""Pages of lists, counted from 0."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet

Item = TypeVar("Item")
Made = TypeVar("Made")
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Page(Generic[Item]):
    """One page of a list, and the number of all items of the list. The first page is 0."""

    items: list[Item]
    page: int
    page_size: int
    total_count: int

    @property
    def total_pages(self) -> int:
        """Return the number of pages; 0 if the list is empty."""
        return -(-self.total_count // self.page_size)

    def of(self, items: list[Made]) -> "Page[Made]":
        """Return a copy of the page with `items` instead, one made from each item of this page."""
        return Page(items, self.page, self.page_size, self.total_count)


def take_page(rows: QuerySet[Row], *, page: int, page_size: int) -> Page[Row]:
    """Return one page of ordered rows, with the number of all rows; empty beyond the last page.

    Raises: ValueError for a page before the first, or a size below 1.
    """
    if page < 0 or page_size < 1:
        raise ValueError("Pages count from 0 and have room for a row.")
    total_count, first = rows.count(), page * page_size
    items = list(rows[first : first + page_size]) if first < total_count else []
    return Page(items=items, page=page, page_size=page_size, total_count=total_count)
