"""Suppliers and the ways to pay them, as an assistant sees them."""

from uuid import uuid4

import pytest

from banking.choices import PaymentMethod


def described(supplier, methods):
    return {
        "supplierExternalId": str(supplier.external_id),
        "name": "Mill",
        "contactName": "Rosa Miller",
        "email": "mill@example.com",
        "phone": "+12015550123",
        "address": {
            "line1": "1 Mill Lane",
            "line2": None,
            "city": "Springfield",
            "state": "IL",
            "postalCode": "62701",
            "country": "US",
        },
        "activePaymentMethods": methods,
        "createdDate": "2026-03-02",
    }


def test_suppliers_are_listed_by_name(assistant, business, supplier, make_supplier, make_payee):
    make_payee(supplier, PaymentMethod.CHECK)
    make_payee(supplier, PaymentMethod.ACH)
    make_payee(supplier, PaymentMethod.WIRE_DOMESTIC, is_active=False)
    unknown = make_supplier(business, name="Ager")
    make_supplier()

    assert assistant.call("svc_list_suppliers") == {
        "suppliers": [
            {
                "supplierExternalId": str(unknown.external_id),
                "name": "Ager",
                "contactName": None,
                "email": None,
                "phone": None,
                "address": None,
                "activePaymentMethods": [],
                "createdDate": "2026-03-02",
            },
            described(supplier, ["ACH", "CHECK"]),
        ],
        "totalCount": 2,
    }


@pytest.mark.parametrize("count", [0, 1, 20])
def test_suppliers_take_the_same_statements_whatever_their_number(
    assistant, business, make_supplier, make_payee, count, django_assert_num_queries
):
    for _ in range(count):
        make_payee(make_supplier(business))

    with django_assert_num_queries(2 + (2 if count else 1)):  # them, their payees
        result = assistant.call("svc_list_suppliers")

    assert result["totalCount"] == len(result["suppliers"]) == count


def test_a_supplier_tells_how_it_is_paid(
    assistant, supplier, make_payee, django_assert_num_queries
):
    make_payee(supplier, PaymentMethod.ACH, bank_name="Example Bank")
    make_payee(supplier, PaymentMethod.WIRE_DOMESTIC, is_active=False)
    make_payee(
        supplier,
        PaymentMethod.WIRE_INTERNATIONAL,
        bank_name="Example Bank",
        line1="1 Bank Street",
        city="London",
        country="GB",
    )
    make_payee(supplier, PaymentMethod.CHECK, line1="PO Box 1", city="Springfield", state="IL")

    with django_assert_num_queries(2 + 2):  # the supplier, its payees
        result = assistant.call("svc_get_supplier", supplierExternalId=str(supplier.external_id))

    assert result == {
        **described(supplier, ["ACH", "WIRE_INTERNATIONAL", "CHECK"]),
        "ach": {
            "bankName": "Example Bank",
            "routingNumber": "110000000",
            "accountNumberMasked": "••••6789",
            "payeeName": "Mill",
            "isActive": True,
        },
        "wireDomestic": {
            "bankName": None,
            "routingNumber": "110000000",
            "accountNumberMasked": "••••6789",
            "payeeName": "Mill",
            "isActive": False,
        },
        "wireInternational": {
            "bankName": "Example Bank",
            "swift": "DEUTDEFF",
            "ibanMasked": "••••5432",
            "accountNumberMasked": None,
            "bankAddressLines": ["1 Bank Street", "London", "GB"],
            "payeeName": "Mill",
            "isActive": True,
        },
        "check": {
            "payeeName": "Mill",
            "addressLines": ["PO Box 1", "Springfield, IL"],
            "isActive": True,
        },
    }


def test_a_supplier_without_details_has_none(assistant, supplier):
    result = assistant.call("svc_get_supplier", supplierExternalId=str(supplier.external_id))

    assert result == {
        **described(supplier, []),
        "ach": None,
        "wireDomestic": None,
        "wireInternational": None,
        "check": None,
    }


def test_the_supplier_of_another_business_does_not_exist(assistant, make_supplier):
    refusals = [
        assistant.refusal("svc_get_supplier", supplierExternalId=str(external_id))
        for external_id in [make_supplier().external_id, uuid4(), "Mill"]
    ]

    message = (
        "There is no such supplier. "
        "Take supplierExternalId from svc_list_suppliers or svc_get_bill."
    )
    assert refusals == [("NOT_FOUND", message)] * 3


def test_the_id_of_a_supplier_must_be_given(assistant):
    code, message = assistant.refusal("svc_get_supplier")

    assert code == "INVALID_PARAMETER"
    assert message.startswith("supplierExternalId: is required")
