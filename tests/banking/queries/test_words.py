import pytest

from banking.models import Merchant
from banking.queries.words import find_similar, find_words, words_of


def test_words_are_told_apart_by_all_that_is_no_letter_or_digit():
    assert words_of("SQ *Corner-Bakery, #12 & Söhne!") == (
        "sq",
        "corner",
        "bakery",
        "12",
        "söhne",
    )
    assert words_of(" -- ") == ()
    assert len(words_of("a b c d e f g h i j")) == 8


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("corn", {"Corner Bakery", "Corner Hardware"}),
        ("bak corn", {"Corner Bakery"}),
        ("ner", set()),
    ],
)
def test_merchants_are_found_by_the_beginnings_of_all_words(
    db, query, found, django_assert_num_queries
):
    for name in ("Corner Bakery", "Corner Hardware", "Mill"):
        Merchant.objects.create(name=name, mcc="5462")

    with django_assert_num_queries(1):
        words = find_words(words_of(query))

    assert {Merchant.objects.get(pk=key).name for key in words.merchant_keys} == found


@pytest.mark.parametrize(
    ("query", "similar"),
    [
        ("bakrey", ("bakery",)),
        ("corn bakrey", ("corn", "bakery")),
        ("hardwear", ("hardware",)),
        ("zzz", ()),
        ("corner", ()),
    ],
)
def test_similar_words_are_those_of_the_businesss_merchants(
    make_account, make_transaction, query, similar
):
    account = make_account()
    bakery = Merchant.objects.create(name="Corner Bakery", mcc="5462")
    make_transaction(account, -100, merchant=bakery)
    make_transaction(account, -100, merchant_raw_name="HARDWARE 7")
    make_transaction(None, -100, merchant_raw_name="ZZZZ")

    assert find_similar(account.business, words_of(query)) == similar
