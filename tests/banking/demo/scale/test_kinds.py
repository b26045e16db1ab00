from banking.choices import TransactionType
from banking.demo.scale.kinds import KINDS


def test_shares_are_of_a_thousand():
    assert sum(kind.share for kind in KINDS) == 1000


def test_each_kind_is_named_once_and_in_order():
    names = [(kind.transaction_type, kind.category) for kind in KINDS]

    assert names == sorted(set(names))


def test_every_type_has_a_kind():
    assert {kind.transaction_type for kind in KINDS} == set(TransactionType)
