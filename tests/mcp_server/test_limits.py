"""The limits that a user sets to an assistant, held against every tool."""

from datetime import timedelta

import pytest
from django.test import Client

from banking.choices import AccountType, ReferralStatus
from banking.models import InvoiceDiscount, InvoiceLine
from banking.reach import Reach
from mcp_server import prompts, ui_resources
from mcp_server.limits import Limit, Limits, limits_of
from mcp_server.models import AccessLogEntry
from mcp_server.registry import TOOLS
from mcp_server.scopes import Scope
from mcp_server.services import connections
from tests import factories
from tests.mcp_server import tenants
from tests.mcp_server.conftest import connect
from tests.mcp_server.tenants import NOON, TODAY, settle_in
from tests.mcp_server.test_isolation import (
    EVERYBODYS,
    OF_ACCOUNTANTS,
    content_of,
    question,
    refusal,
    whose,
)

BEFORE = TODAY - timedelta(hours=1)
DAY_OF_ALL = NOON.date()
DAY_AFTER = DAY_OF_ALL.replace(day=3)
DAY_BEFORE = DAY_OF_ALL.replace(day=1)
NAMES = [  # of those that pay or are paid
    *("kestrel mill", "kestrel supplies", "kestrel cafe", "kestrel bank", "kestrel lane"),
    *("kestrel box", "kestrel road", "kestrel flour", "kestrel sale", "kestrel note"),
    *("cafe@kestrel", "mill@kestrel", "flour for kestrel", "bread for kestrel", "kestrel.txt"),
]
OWN_OF_ACCOUNTANT = {"svc_get_accountant_profile", "svc_search_accountant_referrals"}
OWN_OF_ACCOUNTANT |= {"svc_get_referral_invite_url", "svc_list_transaction_categories"}


@pytest.fixture(scope="module")
def tenant(django_db_setup, django_db_blocker):
    """A business with a row of everything, made once: each test undoes what it does to it."""
    with tenants.settling(django_db_blocker):
        yield settle_in("Kestrel", cents=1_234)


@pytest.fixture
def kestrel(tenant, db):
    return tenant


def ask(tenant, who, tool, limits, *, scopes=Scope.values):
    """Return what a new assistant under some limits is answered, and its connection."""
    user = tenant.owner if who == "owner" else tenant.accountant.user
    assistant = connect(user, scopes=scopes)
    connections.set_limits(assistant.connection, limits, at=BEFORE)
    named = {whose(tool): tenant.external_id} if whose(tool) else {}
    params = {"name": tool, "arguments": {**named, **question(tenant, tool)}}
    return assistant.ask("tools/call", params), assistant


def place_of(tool):
    """Return a tool with the path of its module, for messages."""
    return f"{tool} in {TOOLS[tool].function.__module__.replace('.', '/')}.py"


def told(answer):
    """Return everything that an answer tells, in lower case, its files read."""
    if "error" in answer:
        return str(answer["error"]).lower()
    return content_of(answer["result"]).replace("kestrel miller", "a contact")


def ids(rows):
    return [str(row.external_id) for row in rows]


def dated(tenant):
    """Return the marks of everything that has a day; all of it is of DAY_OF_ALL."""
    business = tenant.business
    return [
        *ids(business.transactions.all()),
        *ids(business.invoices.all()),
        *ids(business.bills.all()),
        *ids(business.statements.all()),
        *ids(business.tax_statements.all()),
        *("kestrel mill", "kestrel-1", "kestrel sale", "kestrel.txt", "of kestrel"),
    ]


def of_checking(tenant):
    """Return the marks of the checking account and of all that belongs to no account."""
    business = tenant.business
    checking = business.accounts.get(is_primary=True)
    return [
        str(checking.external_id),
        checking.account_number,
        checking.masked_number,
        *ids(checking.transactions.all()),
        *ids(business.statements.filter(account=checking)),
        *ids(checking.cards.all()),
        *ids(business.invoices.all()),
        *ids(business.bills.all()),
        *ids(business.tax_statements.all()),
        *("kestrel mill", "kestrel-1", "kestrel sale", "kestrel.txt", "of kestrel"),
    ]


def bucket_of(tenant):
    return tenant.business.accounts.get(account_type=AccountType.TAX_BUCKET)


LIMITS = {
    Limit.ACCOUNTS: (lambda tenant: Limits(accounts=[bucket_of(tenant).pk]), of_checking),
    Limit.FROM: (lambda _tenant: Limits(first_day=DAY_AFTER), dated),
    Limit.UNTIL: (lambda _tenant: Limits(last_day=DAY_BEFORE), dated),
    Limit.NAMES: (lambda _tenant: Limits(hides_names=True), lambda _tenant: NAMES),
    Limit.NUMBERS: (
        lambda _tenant: Limits(),
        lambda tenant: [account.account_number for account in tenant.business.accounts.all()],
    ),
}
TELLS_UNLIMITED = {  # how many tools at least tell one of the marks without the limit
    Limit.ACCOUNTS: 15,
    Limit.FROM: 15,
    Limit.UNTIL: 15,
    Limit.NAMES: 12,
    Limit.NUMBERS: 3,
}


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(("who", "tool"), EVERYBODYS)
def test_no_tool_tells_what_a_limit_leaves_out(kestrel, who, tool, limit):
    limits_for, marks_of = LIMITS[limit]
    marks = [mark.lower() for mark in marks_of(kestrel)]
    asked = str(question(kestrel, tool)).lower()

    answer, assistant = ask(kestrel, who, tool, limits_for(kestrel))

    text = told(answer)
    assert not [mark for mark in marks if mark in text and mark not in asked], (
        f"Pass `caller.reach` to the query of {place_of(tool)}, or leave {limit.name} out of its "
        f"`within`: {text}"
    )
    entry = AccessLogEntry.objects.filter(connection=assistant.connection).first()
    assert limit.value in entry.limits.split()


def test_the_marks_are_told_without_the_limit(kestrel):
    answers = {
        tool: told(ask(kestrel, who, tool, Limits(shows_numbers=True))[0])
        for who, tool in EVERYBODYS
        if who == "accountant"
    }

    for limit, (_, marks_of) in LIMITS.items():
        marks = [mark.lower() for mark in marks_of(kestrel)]
        telling = {tool for tool, text in answers.items() if any(mark in text for mark in marks)}
        assert len(telling) >= TELLS_UNLIMITED[limit], (limit, telling)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_client_that_is_not_chosen_is_not_there(kestrel, tool):
    other = factories.make_business()
    factories.make_access(kestrel.accountant, other)

    answer, _assistant = ask(kestrel, "accountant", tool, Limits(businesses=[other.pk]))

    text = told(answer)
    if tool in OWN_OF_ACCOUNTANT and not whose(tool):
        assert "error" not in text
    else:
        assert kestrel.external_id not in text
        assert not [name for name in NAMES if name in text]
        assert "kestrel llc" not in text


@pytest.mark.parametrize(
    ("who", "tool"),
    [one for one in EVERYBODYS if "svc_review_clients" not in one],  # refused under any first day
)
def test_limits_that_leave_nothing_out_change_no_answer(kestrel, who, tool):
    everything = Limits(
        businesses=[kestrel.business.pk],
        accounts=None,
        first_day=DAY_OF_ALL.replace(year=2000),
        last_day=TODAY.date(),
        shows_numbers=True,
    )

    limited = ask(kestrel, who, tool, everything)[0]["result"]
    free = ask(kestrel, who, tool, Limits(shows_numbers=True))[0]["result"]

    assert limited["isError"] is free["isError"], f"See `within` of {place_of(tool)}."
    if tool not in {"svc_download_bank_account_letter", "svc_list_accountant_clients"}:
        assert content_of(limited) == content_of(free)


def test_sums_follow_the_limits(kestrel):
    def numbers(limits):
        def call(tool, **arguments):
            user = kestrel.owner
            assistant = connect(user)
            connections.set_limits(assistant.connection, limits, at=BEFORE)
            return assistant.call(tool, **arguments)

        me = kestrel.external_id
        quarter = {"startDate": "2026-03-02", "granularity": "QUARTER", "customerExternalId": me}
        by_merchant = {"chartType": "EXPENSE", "groupBy": "MERCHANT", **quarter}
        return (
            call("svc_search_transactions")["totalCount"],
            call("svc_get_financial_summary", chartType="INCOME", **quarter)["totalAmountCents"],
            sum(
                part["amountCents"]
                for part in call("svc_get_financial_summary", **by_merchant)["byMerchant"]
            ),
        )

    count, income, expense = numbers(Limits())
    assert (income, expense) == (123_400, 1_234)
    assert numbers(Limits(first_day=DAY_OF_ALL, last_day=DAY_OF_ALL)) == (count, income, expense)
    assert numbers(Limits(first_day=DAY_AFTER)) == (0, 0, 0)
    assert numbers(Limits(last_day=DAY_BEFORE)) == (0, 0, 0)
    bucket = numbers(Limits(accounts=[bucket_of(kestrel).pk]))
    assert bucket == (1, 0, 0)
    assert numbers(Limits(accounts=[])) == (0, 0, 0)


def test_a_balance_of_another_account_is_in_no_sum(kestrel):
    answer, _assistant = ask(
        kestrel, "owner", "svc_get_account_summary", Limits(accounts=[bucket_of(kestrel).pk])
    )

    summary = answer["result"]["structuredContent"]
    assert summary["totalCashCents"] == 1_234
    assert summary["isPrimaryUboChecking"] is False
    assert len(summary["accounts"]) == 1


def test_a_masked_number_works_when_it_is_sent_back(kestrel):
    assistant = connect(kestrel.owner, scopes=["transactions:read"])
    found = assistant.call("svc_search_transactions", transactionType="PURCHASE")
    [row] = found["transactions"]

    again = assistant.call("svc_search_transactions", accountNo=row["accountNo"])
    detail = assistant.call(
        "svc_get_transaction",
        **{name: row[name] for name in ("accountNo", "transactionType", "transactionId")},
        startDate="2026-03-02",
        endDate="2026-03-02",
    )

    assert row["accountNo"].startswith("••••")
    assert again["totalCount"] > 0
    assert detail["accountNo"] == row["accountNo"]


def test_a_masked_number_of_two_accounts_is_told_as_the_id(kestrel):
    checking = kestrel.business.accounts.get(is_primary=True)
    factories.make_account(
        kestrel.business,
        account_type=AccountType.SAVING_BUCKET,
        account_number=same_ending(checking.account_number),
    )
    assistant = connect(kestrel.owner, scopes=["transactions:read"])

    [row] = assistant.call("svc_search_transactions", transactionType="PURCHASE")["transactions"]
    again = assistant.call("svc_search_transactions", accountNo=row["accountNo"])

    assert row["accountNo"] == str(checking.external_id)
    assert again["totalCount"] > 0


def same_ending(number):
    """Return another account number with the same last four digits and a right check digit."""
    from stdnum import luhn

    return next(
        other
        for first in range(10_000_000, 99_999_999)
        if (other := f"{first}{number[-4:]}") != number and luhn.is_valid(other)
    )


def test_a_letter_needs_the_scope_for_full_numbers(kestrel):
    assistant = connect(kestrel.owner, scopes=["statements:read"])
    call = {"name": "svc_download_bank_account_letter", "arguments": {"variant": "GENERAL"}}

    response = assistant.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})

    assert response.status_code == 403
    assert "account-numbers:read" in response.headers["www-authenticate"]


@pytest.mark.parametrize(
    ("limits", "tool", "reason"),
    [
        (Limits(accounts=[]), "svc_estimate_taxes", "some accounts only"),
        (Limits(first_day=DAY_AFTER), "svc_estimate_taxes", "data from 2026-03-03 on only"),
        (Limits(last_day=DAY_BEFORE), "svc_get_account_summary", "data until 2026-03-01 only"),
        (Limits(first_day=DAY_AFTER), "svc_download_statement", "data from 2026-03-03 on only"),
        (Limits(hides_names=True), "svc_download_statement", "no names of the people"),
    ],
)
def test_a_refusal_says_which_limit(kestrel, limits, tool, reason):
    code, message = refusal(ask(kestrel, "owner", tool, limits)[0]["result"])

    assert code == "ACCESS_DENIED"
    assert reason in message


def test_what_is_hidden_is_said_to_be(kestrel):
    answer, _assistant = ask(
        kestrel, "owner", "svc_get_transaction", Limits(hides_names=True, shows_numbers=True)
    )

    row = answer["result"]["structuredContent"]
    hidden = ["merchantName", "description", "locationKey"]  # a key may spell the name of a place
    assert {row[name] for name in hidden} == {"(hidden)"}
    assert row["locationKeys"] == []
    assert row["merchant"]["mcc"] == "5411"
    assert row["amountCents"] == -1_234


@pytest.mark.parametrize("argument", [{"query": "Kestrel"}])
def test_hidden_names_cannot_be_guessed(kestrel, argument):
    assistant = connect(kestrel.owner)
    connections.set_limits(assistant.connection, Limits(hides_names=True), at=TODAY)

    code, message = assistant.refusal("svc_search_transactions", **argument)

    assert code == "ACCESS_DENIED"
    assert "no names" in message


def test_names_in_the_lines_and_discounts_of_an_invoice_are_hidden(kestrel):
    InvoiceLine.objects.update(name="Bread for the party of Ms. Okonkwo")
    invoice = kestrel.business.invoices.get()
    InvoiceDiscount.objects.create(
        invoice=invoice, name="For Ms. Okonkwo", discount_type="PERCENT", value=1, amount_cents=1
    )

    answers = [ask(kestrel, "owner", "svc_get_invoice", Limits(hides_names=True))[0]]
    answers += [ask(kestrel, "owner", "svc_list_invoices", Limits(hides_names=True))[0]]

    assert "(hidden)" in told(answers[0])
    assert not any("okonkwo" in told(one) for one in answers)


def test_referrals_that_became_clients_are_left_out_where_some_clients_are_chosen(
    kestrel, make_referral
):
    joined = make_referral(
        kestrel.accountant, status=ReferralStatus.COMPLETED, completed_at=NOON, business_name="Rye"
    )
    limits = Limits(businesses=[kestrel.business.pk], shows_numbers=True)

    some, _ = ask(kestrel, "accountant", "svc_search_accountant_referrals", limits)
    every, _ = ask(kestrel, "accountant", "svc_search_accountant_referrals", Limits())

    assert str(joined.external_id) not in told(some)
    assert str(kestrel.accountant.referrals.get(status="INVITED").external_id) in told(some)
    assert str(joined.external_id) in told(every)


def test_a_link_to_a_file_ends_when_a_limit_changes(kestrel):
    answer, assistant = ask(
        kestrel, "owner", "svc_export_transactions_csv", Limits(shows_numbers=True)
    )
    url = answer["result"]["structuredContent"]["downloadUrl"]
    path = url.partition("/files/")[2]
    before = Client().get(f"/files/{path}").status_code

    connections.set_limits(assistant.connection, Limits(first_day=DAY_AFTER), at=TODAY)

    assert [before, Client().get(f"/files/{path}").status_code] == [200, 404]


def test_prompts_and_pages_hold_no_data_of_the_bank(kestrel):
    written = [
        prompt.filled({}, is_accountant=is_accountant)
        for prompt in prompts.PROMPTS.values()
        for is_accountant in (True, False)
    ]
    written += [ui_resources.contents(uri).text for uri in ui_resources.RESOURCES]

    text = "\n".join(written).lower()

    assert not [mark for mark in kestrel.marks if mark in text]


def test_the_page_of_the_chart_gets_what_its_tool_may_tell(kestrel):
    answer, _assistant = ask(
        kestrel, "owner", "svc_get_financial_summary", Limits(first_day=DAY_AFTER)
    )

    summary = answer["result"]["structuredContent"]
    assert summary["startDate"] == "2026-03-03"
    assert {point["amountCents"] for point in summary["series"]} == {0}


def test_each_tool_says_what_it_keeps():
    bare = [place_of(name) for name, tool in TOOLS.items() if not tool.within]

    assert not bare, f"Name limits of mcp_server/limits.py in `within` of {bare}."
    assert set(OF_ACCOUNTANTS) < set(TOOLS)


def test_a_last_day_to_come_is_no_limit_yet():
    reach = Reach(last=TODAY.date())

    assert limits_of(reach, on=TODAY.date()) == []
