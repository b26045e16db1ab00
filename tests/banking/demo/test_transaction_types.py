from banking.choices import TransactionType
from banking.demo.transaction_types import TRANSACTION_TYPES


def test_shares_are_of_a_thousand():
    assert sum(kind.share for kind in TRANSACTION_TYPES) == 1000


def test_each_kind_is_named_once_and_in_order():
    names = [(kind.transaction_type, kind.category) for kind in TRANSACTION_TYPES]

    assert names == sorted(set(names))


def test_every_type_has_a_kind():
    assert {kind.transaction_type for kind in TRANSACTION_TYPES} == set(TransactionType)
