import pytest
from django.contrib.auth.models import AnonymousUser

from banking.models import User
from foundation.backoffice import lists
from foundation.backoffice.lists import CappedPaginator


def test_a_list_counts_one_row_more_than_it_shows(monkeypatch, make_user):
    monkeypatch.setattr(lists, "MAX_ROWS", 2)
    for _ in range(4):
        make_user()

    pages = CappedPaginator(User.objects.order_by("pk"), 1)

    assert (pages.found, pages.count, pages.has_more) == (3, 2, True)


def test_a_short_list_is_whole(monkeypatch, make_user):
    monkeypatch.setattr(lists, "MAX_ROWS", 2)
    make_user()

    pages = CappedPaginator(User.objects.order_by("pk"), 1)

    assert (pages.count, pages.has_more) == (1, False)


def test_a_link_to_a_list_carries_its_filters():
    assert lists.link_to_list(User, "<all>", is_active=1) == (
        '<a href="/admin/banking/user/?is_active=1">&lt;all&gt;</a>'
    )


def test_all_models_must_be_permitted(rf):
    request = rf.get("/")
    request.user = AnonymousUser()

    assert not lists.may_view(request, User)


@pytest.mark.parametrize(
    ("text", "key"),
    [("7", 7), ("9" * 18, 10**18 - 1), ("9" * 19, 0), ("9" * 4301, 0)]
    + [(text, 0) for text in (None, "", "0", "-1", "1.0", "²", "x")],
)
def test_only_a_number_that_fits_the_column_is_a_key(text, key):
    assert lists.key_of(text) == key
