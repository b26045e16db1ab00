"""Records for tests of the feed."""

import pytest

BUSINESS = {
    "legalName": "Harbor Bakery LLC",
    "businessType": "LLC",
    "email": "owner@example.com",
    "createdAt": "2026-01-02T09:00:00Z",
}
BILL = {
    "supplier": "S-1",
    "number": "1001",
    "status": "PENDING",
    "amountCents": 5000,
    "invoiceDate": "2026-02-01",
    "dueDate": "2026-02-20",
    "createdAt": "2026-02-01T10:00:00Z",
}


@pytest.fixture
def business(line):
    return line("businesses", "B-1", **BUSINESS)


@pytest.fixture
def books(feed, line, business):
    """A business with a checking account, a tax bucket and a card; another with an account."""
    opened = {"openedAt": "2026-01-02T10:00:00Z"}
    outcomes = feed(
        business,
        line("businesses", "B-2", **business["data"]),
        line("accounts", "A-1", business="B-1", accountType="MAIN_ACCOUNT", name="Main", **opened),
        line("accounts", "A-2", business="B-1", accountType="TAX_BUCKET", name="Tax", **opened),
        line("accounts", "A-9", business="B-2", accountType="MAIN_ACCOUNT", name="Main", **opened),
        *[
            line(
                "cards",
                name,
                account=account,
                productType="DEBIT_PHYSICAL",
                cardholderName="Ada Reyes",
                last4="1234",
                network="VISA",
                status="ACTIVE",
                createdAt="2026-01-03T10:00:00Z",
            )
            for name, account in [("C-1", "A-1"), ("C-9", "A-9")]
        ],
    )
    assert [outcome["result"] for outcome in outcomes] == ["created"] * 7


@pytest.fixture
def refusals(feed):
    """Return a function that takes one line and returns codes and places of its faults."""

    def take(line):
        (outcome,) = feed(line)
        assert outcome["result"] == "refused", outcome
        return [(error["codeName"], error["field"]) for error in outcome["errors"]]

    return take


@pytest.fixture
def supplies(feed, line, books):
    """A supplier and a bill of the first business, beside its accounts."""
    outcomes = feed(
        line("suppliers", "S-1", business="B-1", name="Mill Co", createdAt="2026-01-05T10:00:00Z"),
        line("bills", "L-1", **BILL),
    )
    assert [outcome["result"] for outcome in outcomes] == ["created"] * 2


@pytest.fixture
def spent(feed, line, books):
    """A posted purchase of the first business, T-1."""
    data = {
        "account": "A-1",
        "transactionType": "PURCHASE",
        "status": "POSTED",
        "amountCents": -1250,
        "occurredAt": "2026-02-10T15:00:00Z",
    }
    assert feed(line("transactions", "T-1", **data))[0]["result"] == "created"
