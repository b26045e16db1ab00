import pytest
from django.core.exceptions import ValidationError

from banking.choices import PaymentMethod
from banking.models import Payee
from banking.services import suppliers
from tests.factories import NOON

ACH = {
    "payee_name": "Flour & Co",
    "bank_name": "Example Bank",
    "routing_number": "110000000",
    "account_number": "000123456789",
}
WIRE = {
    "payee_name": "Muehle GmbH",
    "bank_name": "Beispielbank",
    "iban": "DE89370400440532013000",
    "swift": "DEUTDEFF",
}


@pytest.fixture
def supplier(make_business):
    return suppliers.add_supplier(make_business(), name="Flour & Co", at=NOON, city="Portland")


@pytest.mark.parametrize(
    ("method", "details"),
    [
        (PaymentMethod.ACH, ACH),
        (PaymentMethod.WIRE_DOMESTIC, ACH),
        (PaymentMethod.WIRE_INTERNATIONAL, WIRE),
        (PaymentMethod.CHECK, {"payee_name": "Flour & Co", "line1": "1 Mill Road"}),
    ],
)
def test_a_supplier_is_paid_by_each_method(supplier, method, details):
    payee = suppliers.set_payee(supplier, method, **details)

    payee.refresh_from_db()
    assert (payee.method, payee.is_active) == (method, True)


@pytest.mark.parametrize(
    ("method", "details"),
    [
        (PaymentMethod.ACH, {**ACH, "routing_number": "110000001"}),
        (PaymentMethod.ACH, {**ACH, "account_number": ""}),
        (PaymentMethod.ACH, {**ACH, "swift": "DEUTDEFF"}),
        (PaymentMethod.WIRE_INTERNATIONAL, {**WIRE, "iban": "DE89370400440532013001"}),
        (PaymentMethod.WIRE_INTERNATIONAL, {**WIRE, "swift": "DEUT"}),
        (PaymentMethod.WIRE_INTERNATIONAL, {**WIRE, "iban": ""}),
        (PaymentMethod.CHECK, {**ACH}),
    ],
)
def test_details_that_cannot_be_right_are_refused(supplier, method, details):
    with pytest.raises(ValidationError):
        suppliers.set_payee(supplier, method, **details)

    assert not Payee.objects.exists()


def test_details_are_replaced(supplier):
    suppliers.set_payee(supplier, PaymentMethod.ACH, **ACH)

    suppliers.set_payee(supplier, PaymentMethod.ACH, **{**ACH, "account_number": "99887766554"})

    assert Payee.objects.get().account_number_masked == "••••6554"


def test_a_method_is_given_up(supplier):
    payee = suppliers.set_payee(supplier, PaymentMethod.ACH, **ACH)

    suppliers.deactivate_payee(payee)

    payee.refresh_from_db()
    assert not payee.is_active


def test_a_supplier_has_one_row_per_name(supplier):
    with pytest.raises(ValidationError):
        suppliers.add_supplier(supplier.business, name="Flour & Co", at=NOON)
