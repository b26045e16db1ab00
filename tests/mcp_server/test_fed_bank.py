"""A bank whose records all came over the record feed: every tool answers from them.

Nothing is made by the demo or a factory: a key of the bank sends a line of each kind over HTTP, and
the bank closes its months as its daily job does.
"""

from datetime import UTC, date, datetime

import pytest

from banking.models import Account, Business, Transaction, User
from banking.services import statements, taxes
from mcp_server.registry import TOOLS
from tests.banking.feed.conftest import BUSINESS
from tests.banking.feed.test_kinds import RECORDS
from tests.mcp_server.conftest import connect
from tests.mcp_server.tenants import questions
from tests.mcp_server.test_isolation import whose
from tests.onboarding.api.bank.conftest import core, outcomes_of

__all__ = ["core"]
LAST_DAY, CLOSING = date(2026, 3, 31), datetime(2026, 4, 2, 12, tzinfo=UTC)


@pytest.fixture
def fed_bank(core):
    """The business of a bank that was filled over the feed alone."""
    lines = [
        {"kind": kind, "externalId": name, "version": 1, "data": {**data}}
        for kind, name, data in RECORDS
    ]
    data = {line["kind"]: line["data"] for line in lines}
    data["businesses"] |= {"incorporationState": "TX"}  # for the tax estimate
    data["referrals"] |= {"expiresAt": "2999-01-01T00:00:00Z"}
    outcomes = outcomes_of(core.send("records:batch", *lines))
    assert {one["result"] for one in outcomes} <= {"created", "updated"}
    list(statements.close_months(through=LAST_DAY, at=CLOSING))
    outcomes = taxes.make_tax_statements(through=LAST_DAY, at=CLOSING)
    assert [(one.period, one.fault) for one in outcomes] == [(taxes.Period(2026, 1), "")]
    return Business.objects.get()


def asked(business):
    """Return what each tool is asked about the business."""
    bill = business.bills.get()
    main = Account.objects.get(business=business, account_type="MAIN_ACCOUNT")
    purchase = Transaction.objects.get(transaction_type="PURCHASE")
    return questions(
        account=main.account_number,
        purchase=str(purchase.external_id),
        place=purchase.location.key,
        invoice=str(business.invoices.get().external_id),
        bill=str(bill.external_id),
        document=str(bill.attachments.get().external_id),
        supplier=str(bill.supplier.external_id),
        statement=str(main.statements.first().external_id),
        tax_statement=str(business.tax_statements.get().external_id),
        referral=str(business.accesses.get().accountant.referrals.get().external_id),
    )


@pytest.mark.parametrize("user_type", ["BUSINESS", "ACCOUNTANT"])
def test_every_tool_answers_from_records_of_the_feed(fed_bank, user_type):
    assistant = connect(User.objects.get(user_type=user_type))
    refused = {}
    for tool, arguments in asked(fed_bank).items():
        if "endDate" in arguments:
            arguments |= {"startDate": "2026-01-01", "endDate": "2026-12-31"}
        named = {whose(tool): str(fed_bank.external_id)} if whose(tool) else {}
        answer = assistant.call(tool, **{**named, **arguments})
        if "error" in answer:
            refused[tool] = answer["error"]["code"]

    only_for_accountants = {name for name, tool in TOOLS.items() if tool.is_for_accountants}
    expected = only_for_accountants if user_type == "BUSINESS" else {"svc_get_current_user"}
    assert set(refused) - expected == set()


def test_a_history_that_was_sent_gets_the_tax_statements_of_its_years(feed, line):
    since = {"createdAt": "2024-06-01T09:00:00Z", "incorporationState": "TX"}
    sold = {
        "account": "A-1",
        "transactionType": "FUND_TRANSFER",
        "status": "POSTED",
        "amountCents": 500_00,
    }
    feed(
        line("businesses", "B-1", **BUSINESS | since),
        line(
            "accounts",
            "A-1",
            business="B-1",
            accountType="MAIN_ACCOUNT",
            name="Checking",
            openedAt="2024-06-01T10:00:00Z",
        ),
        line("transactions", "T-1", **sold, occurredAt="2025-02-10T15:00:00Z"),
    )

    outcomes = list(taxes.make_tax_statements(through=LAST_DAY, at=CLOSING))

    periods = [taxes.Period(2025, quarter) for quarter in range(1, 6)] + [taxes.Period(2026, 1)]
    assert [(one.period, one.fault) for one in outcomes] == [(period, "") for period in periods]
    assert taxes.compose(Business.objects.get(), periods[0], CLOSING).income_cents == 500_00


def test_each_tool_is_asked(fed_bank):
    assert set(asked(fed_bank)) == set(TOOLS)
