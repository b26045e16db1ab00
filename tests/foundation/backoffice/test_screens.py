import pytest

from banking.models import User
from foundation.backoffice.screens import badge, link_to, stack
from tests.staff import chief

__all__ = ["chief"]


def test_a_badge_has_its_value_as_a_class_and_escapes_its_text():
    assert badge("IN_REVIEW", "<b>", "why") == (
        '<span class="badge badge-in_review" title="why">&lt;b&gt;</span>'
    )


def test_the_lower_of_two_lines_is_less_prominent():
    assert stack("up", "down") == (
        '<span class="line">up</span><span class="line quiet">down</span>'
    )


def test_a_link_leads_to_the_page_of_its_row():
    assert link_to(User(pk=7), "<Maya>") == (
        '<a href="/admin/banking/user/7/change/">&lt;Maya&gt;</a>'
    )


@pytest.mark.parametrize("page", ["add/", "1/delete/"])
def test_facts_are_neither_added_nor_deleted(chief, page):
    assert chief.get(f"/admin/banking/posting/{page}").status_code in {302, 403}
