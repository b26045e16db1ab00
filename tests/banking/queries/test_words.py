import pytest
from django.db import connection

from banking.models import Merchant
from banking.queries import words
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
    make_business, query, found, django_assert_num_queries
):
    business = make_business()
    for name in ("Corner Bakery", "Corner Hardware", "Mill"):
        Merchant.objects.create(name=name, mcc="5462")

    with django_assert_num_queries(1):
        wanted = find_words(business, words_of(query))

    assert {Merchant.objects.get(pk=key).name for key in wanted.merchant_keys} == found


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


def test_of_many_merchants_those_of_the_business_are_found(
    make_account, make_transaction, monkeypatch, django_assert_num_queries
):
    account = make_account()
    for number in range(3):
        Merchant.objects.create(name=f"Market {number}", mcc="5462")
    posted, pending = (
        Merchant.objects.create(name=f"Market of {town}", mcc="5462") for town in ("Ely", "Rye")
    )
    make_transaction(account, -100, merchant=posted)
    make_transaction(account, -100, merchant=pending, status="PENDING")
    monkeypatch.setattr(words, "MOST_MERCHANTS", 2)

    with django_assert_num_queries(2):
        found = find_words(account.business, words_of("market"))

    assert set(found.merchant_keys) == {posted.pk, pending.pk}


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only it has the index")
def test_the_index_is_made_again_without_a_search_path_as_a_restored_database_has_none(db):
    Merchant.objects.create(name="Corner Bakery", mcc="5462")

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL search_path = ''")
        cursor.execute("REINDEX INDEX public.merchant_words")
        cursor.execute("REINDEX INDEX public.transaction_words")
