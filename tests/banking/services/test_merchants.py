from banking.models import Merchant
from banking.services.merchants import keep_merchants

KEYS = {("Tin Spoon Cafe", "5812"), ("Tin Spoon Cafe", "5814"), ("Corner Bakery", "5462")}


def test_a_merchant_is_added_once_for_its_name_and_code(db):
    first = keep_merchants(KEYS)

    assert keep_merchants(KEYS) == first
    assert first.keys() == KEYS
    assert Merchant.objects.count() == 3


def test_a_name_under_another_code_is_another_merchant(db):
    known = keep_merchants({("Corner Bakery", "5462")})

    assert keep_merchants({("Corner Bakery", "5812")}) != known


def test_eight_that_add_the_same_merchants_add_them_once(in_threads):
    kept = in_threads(lambda _: keep_merchants(KEYS), range(8))

    assert Merchant.objects.count() == 3
    assert all(merchants == kept[0] for merchants in kept)
