from django.db.models import CheckConstraint, Q, UniqueConstraint

from foundation.database.constraints import check, unique


def test_a_check_has_its_name_and_its_condition():
    constraint = check("card_last4_is_four_digits", Q(last4__regex=r"^[0-9]{4}$"))

    assert constraint == CheckConstraint(
        name="card_last4_is_four_digits", condition=Q(last4__regex=r"^[0-9]{4}$")
    )


def test_a_unique_constraint_may_hold_for_some_rows_only():
    constraint = unique("account_one_primary", "business", condition=Q(is_primary=True))

    assert constraint == UniqueConstraint(
        name="account_one_primary", fields=["business"], condition=Q(is_primary=True)
    )
    assert unique("pair_unique", "first", "second").fields == ("first", "second")
