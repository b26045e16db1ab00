"""Suppliers are told with the ways to pay them, and without a full number."""

from uuid import uuid4

import pytest

from banking.choices import PaymentMethod
from banking.models import Supplier
from banking.queries import suppliers

ALL = list(PaymentMethod)


@pytest.fixture
def business(make_business):
    return make_business()


@pytest.fixture
def mill(business, make_supplier, make_payee):
    """Return a supplier with all four methods, the check inactive."""
    supplier = make_supplier(business, name="Mill")
    for method in reversed(ALL):
        make_payee(supplier, method, is_active=method != PaymentMethod.CHECK)
    return supplier


def test_suppliers_come_by_name_with_their_active_methods(business, mill, make_supplier):
    ager = make_supplier(business, name="Ager")
    make_supplier()

    assert suppliers.list_suppliers(business) == [
        suppliers.SupplierSummary(ager, []),
        suppliers.SupplierSummary(mill, ALL[:3]),
    ]


@pytest.mark.parametrize("count", [3, 30])
def test_suppliers_take_two_statements_and_no_decryption(
    business, make_supplier, make_payee, count, django_assert_num_queries
):
    for _ in range(count):
        make_payee(make_supplier(business))

    with django_assert_num_queries(2) as captured:
        found = suppliers.list_suppliers(business)

    assert [row.active_methods for row in found] == [[PaymentMethod.ACH]] * count
    assert not any("account_number" in query["sql"] for query in captured.captured_queries)


def test_a_supplier_is_read_in_two_statements(business, mill, django_assert_num_queries):
    with django_assert_num_queries(2):
        found = suppliers.get_supplier(business, str(mill.external_id))

    assert (found.supplier, found.active_methods) == (mill, ALL[:3])
    assert [payee.is_active for payee in found.payees] == [
        payee.method != PaymentMethod.CHECK for payee in found.payees
    ]


def test_numbers_are_masked(business, mill):
    found = suppliers.get_supplier(business, mill.external_id)

    assert found.payee(PaymentMethod.ACH).account_number_masked == "••••6789"
    assert found.payee(PaymentMethod.WIRE_INTERNATIONAL).iban_masked == "••••5432"
    assert found.payee(PaymentMethod.WIRE_INTERNATIONAL).account_number_masked == ""
    assert found.payee(PaymentMethod.ACH).routing_number == "110000000"
    assert "123456789" not in str(found)
    assert "WEST12345698765432" not in str(found)


def test_a_check_goes_to_an_address(business, make_supplier, make_payee):
    supplier = make_supplier(business)
    make_payee(
        supplier,
        PaymentMethod.CHECK,
        line1="1 Mill Lane",
        city="Springfield",
        state="IL",
        postal_code="62701",
    )

    payee = suppliers.get_supplier(business, supplier.external_id).payee(PaymentMethod.CHECK)

    assert payee.address_lines == ["1 Mill Lane", "Springfield, IL 62701"]
    assert payee.payee_name == supplier.name


def test_a_method_without_details_is_absent(business, make_supplier):
    found = suppliers.get_supplier(business, make_supplier(business).external_id)

    assert [found.payee(method) for method in ALL] == [None] * 4


def test_the_supplier_of_another_business_is_not_found(business, make_supplier):
    for external_id in [make_supplier().external_id, uuid4(), "mill"]:
        with pytest.raises(Supplier.DoesNotExist):
            suppliers.get_supplier(business, external_id)
