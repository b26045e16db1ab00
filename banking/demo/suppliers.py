"""The suppliers of a demo business, and the payment details of each."""

from banking.choices import PaymentMethod
from banking.days import midnight
from banking.demo.book import Book
from banking.demo.lines import Lines
from banking.demo.profiles import Provider
from banking.demo.shops import CITIES
from banking.models import Payee, Supplier

ROUTING_NUMBERS = ("110000000", "123456780")  # with a right check digit, and nobody's


def plan_suppliers(lines: Lines, book: Book) -> dict[str, Supplier]:
    """Plan the suppliers with their payment details; return them by name."""
    suppliers = [_supplier(book, provider) for provider in book.profile.providers]
    lines.add("suppliers", *suppliers)
    for provider, supplier in zip(book.profile.providers, suppliers, strict=True):
        lines.add("payees", _payee(book, provider, supplier))
        if provider.method == PaymentMethod.WIRE_DOMESTIC:
            lines.add("payees", _check(supplier, is_active=False))
    return {supplier.name: supplier for supplier in suppliers}


def _supplier(book: Book, provider: Provider) -> Supplier:
    created_at = midnight(book.days.first)
    mailbox = "".join(filter(str.isalnum, provider.name)).lower()
    return Supplier(
        external_id=book.dice.uuid(created_at),
        business=book.business,
        name=provider.name,
        contact_name=provider.contact_name,
        email=f"{mailbox}@example.com",
        phone_number=f"{book.profile.phone_number[:5]}55501{book.dice.randint(10, 99)}",
        created_at=created_at,
        **_address(book, provider),
    )


def _address(book: Book, provider: Provider) -> dict[str, str]:
    if provider.iban:
        country = provider.iban[:2]
        city = {"FR": ("Lyon", "69002"), "DE": ("Berlin", "10967")}[country]
        return {"line1": "4 Example Street", "city": city[0], "postal_code": city[1],
                "country": country}  # fmt: skip
    city_ = CITIES[book.profile.place]
    return {
        "line1": f"{book.dice.randint(10, 990)} {book.dice.choice(city_.streets)}",
        "city": city_.name,
        "state": city_.state,
        "postal_code": city_.postal_code,
        "country": "US",
    }


def _payee(book: Book, provider: Provider, supplier: Supplier) -> Payee:
    if provider.method == PaymentMethod.CHECK:
        return _check(supplier)
    if provider.method == PaymentMethod.WIRE_INTERNATIONAL:
        return Payee(
            supplier=supplier,
            method=provider.method,
            payee_name=provider.name,
            bank_name="Example Bank International",
            iban=provider.iban,
            swift=provider.swift,
            country=provider.iban[:2],
        )
    return Payee(
        supplier=supplier,
        method=provider.method,
        payee_name=provider.name,
        bank_name="Example National Bank",
        routing_number=book.dice.choice(ROUTING_NUMBERS),
        account_number=book.dice.digits(10),
    )


def _check(supplier: Supplier, *, is_active: bool = True) -> Payee:
    return Payee(
        supplier=supplier,
        method=PaymentMethod.CHECK,
        is_active=is_active,
        payee_name=supplier.name,
        line1=supplier.line1,
        city=supplier.city,
        state=supplier.state,
        postal_code=supplier.postal_code,
        country=supplier.country,
    )
