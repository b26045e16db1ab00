"""The tool of the financial summary."""

from datetime import UTC, datetime

import pytest

from banking.models import Merchant

NO_PARTS = dict.fromkeys(["byCategory", "byMerchant", "byMonth", "byAccount", "cashFlow"])


@pytest.fixture
def own(business):
    """What every tool here is told of the business."""
    return {"customerExternalId": str(business.external_id)}


def test_a_month_is_summed_up_by_day(assistant, own, business, make_account, make_transaction):
    account = make_account(business)
    make_transaction(account, 100_000, category_id="SALES")
    make_transaction(account, -30_050, category_id="RENT", at=datetime(2026, 3, 31, tzinfo=UTC))

    summary = assistant.call(
        "svc_get_financial_summary", **own, chartType="PROFIT", startDate="2026-03-17"
    )

    days = {f"2026-03-{day:02d}": (0, "0.00") for day in range(1, 32)}
    days |= {"2026-03-02": (100_000, "1000.00"), "2026-03-31": (-30_050, "-300.50")}
    assert summary == {
        "chartType": "PROFIT",
        "granularity": "MONTH",
        "totalAmountUsd": "699.50",
        "totalAmountCents": 69_950,
        "series": [
            {"period": day, "amountCents": cents, "amountUsd": usd}
            for day, (cents, usd) in days.items()
        ],
        **NO_PARTS,
        "startDate": "2026-03-01",
        "endDate": "2026-03-31",
    }


@pytest.mark.parametrize(
    ("granularity", "periods"),
    [
        ("QUARTER", ["2026-01", "2026-02", "2026-03"]),
        ("YEAR", [f"2026-{month:02d}" for month in range(1, 13)]),
    ],
)
def test_a_longer_period_without_money_is_told_by_month(assistant, own, granularity, periods):
    summary = assistant.call(
        "svc_get_financial_summary",
        **own,
        chartType="INCOME",
        startDate="2026-03-02",
        granularity=granularity,
    )

    assert summary == {
        "chartType": "INCOME",
        "granularity": granularity,
        "totalAmountUsd": "0.00",
        "totalAmountCents": 0,
        "series": [{"period": period, "amountCents": 0, "amountUsd": "0.00"} for period in periods],
        **NO_PARTS,
        "startDate": "2026-01-01",
        "endDate": "2026-03-31" if granularity == "QUARTER" else "2026-12-31",
    }


@pytest.mark.parametrize(("part", "total"), [(None, 35_000), (True, 30_000), (False, 5_000)])
def test_private_expenses_are_told_apart(
    assistant, own, business, make_account, make_transaction, part, total
):
    account = make_account(business)
    make_transaction(account, -30_000, category_id="RENT")
    make_transaction(account, -5_000, category_id="MEALS", is_business=False)
    asked = {"chartType": "EXPENSE", "startDate": "2026-03-02", "isBusiness": part}

    summary = assistant.call("svc_get_financial_summary", **own, **asked)

    assert summary["totalAmountCents"] == total


@pytest.fixture
def spending(business, make_account, make_transaction):
    """Rent, two meals at a merchant, one of them private, and a sale; in two months."""
    account = make_account(business, name="Checking", account_number="200000000006")
    merchant = Merchant.objects.create(name="Corner Bakery", mcc="5462")
    make_transaction(account, -30_000, category_id="RENT", merchant_raw_name="LANDLORD")
    meals = {"category_id": "MEALS", "merchant": merchant}
    make_transaction(account, -1_500, at=datetime(2026, 1, 5, tzinfo=UTC), **meals)
    make_transaction(account, -500, is_business=False, **meals)
    make_transaction(account, 90_000, category_id="SALES")
    return account


@pytest.mark.parametrize(
    ("by", "asked", "parts"),
    [
        ("CATEGORY", {}, [("RENT", "Rent and lease", "300.00", 1), ("MEALS", None, "20.00", 2)]),
        (
            "MERCHANT",
            {},
            [("LANDLORD", "LANDLORD", "300.00", 1), ("Corner Bakery", None, "20.00", 2)],
        ),
        ("MONTH", {}, [("2026-01", "January 2026", "15.00", 1), ("2026-03", None, "305.00", 2)]),
        ("MONTH", {"isBusiness": False}, [("2026-03", None, "5.00", 1)]),
        (
            "MONTH",
            {"chartType": "PROFIT"},
            [("2026-01", None, "-15.00", 1), ("2026-03", None, "600.00", 2)],
        ),
        ("MERCHANT", {"chartType": "INCOME"}, [("NO_MERCHANT", None, "900.00", 1)]),
    ],
)
@pytest.mark.usefixtures("spending")
def test_the_parts_of_a_summary_add_up_to_it(assistant, own, by, asked, parts):
    wanted = {"chartType": "EXPENSE", "startDate": "2026-03-02", "granularity": "YEAR", **asked}

    summary = assistant.call("svc_get_financial_summary", **own, **wanted, groupBy=by)

    told = summary[f"by{by.title()}"]
    assert [(row["key"], row["amountUsd"], row["count"]) for row in told] == [
        (key, amount, count) for key, _, amount, count in parts
    ]
    assert sum(row["amountCents"] for row in told) == summary["totalAmountCents"]
    assert [name for name in NO_PARTS if summary[name] is not None] == [f"by{by.title()}"]


def test_the_part_of_an_account_has_its_id(assistant, own, spending):
    wanted = {"chartType": "EXPENSE", "startDate": "2026-03-02", "groupBy": "ACCOUNT"}

    [part] = assistant.call("svc_get_financial_summary", **own, **wanted)["byAccount"]

    assert (part["key"], part["name"]) == (str(spending.external_id), "Checking ••••0006")
    assert part["amountUsd"] == "305.00"


def test_profit_has_no_private_part(assistant, own):
    asked = {"chartType": "PROFIT", "startDate": "2026-03-02", "isBusiness": True}

    refusal = assistant.refusal("svc_get_financial_summary", **own, **asked)

    assert refusal == ("INVALID_PARAMETER", "isBusiness: does not apply to PROFIT; leave it out")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"chartType": "LOSS"}, "chartType: must be one of INCOME, EXPENSE, PROFIT"),
        ({"granularity": "DAY"}, "granularity: must be one of MONTH, QUARTER, YEAR"),
        ({"startDate": "2026-02-30"}, "startDate: must be a date"),
        ({"isBusiness": "yes"}, "isBusiness: must be true or false"),
    ],
)
def test_what_a_summary_does_not_know_is_refused(assistant, own, wrong, message):
    asked = {**own, "chartType": "INCOME", "startDate": "2026-03-02", **wrong}

    code, result = assistant.refusal("svc_get_financial_summary", **asked)

    assert code == "INVALID_PARAMETER"
    assert result.startswith(message)


def test_a_summary_is_one_statement(assistant, own, django_assert_num_queries):
    with django_assert_num_queries(2 + 1):  # the sums
        assistant.call(
            "svc_get_financial_summary", **own, chartType="INCOME", startDate="2026-03-02"
        )


def test_a_summary_has_the_cash_flow_of_its_period_when_asked(
    assistant, own, business, make_account, make_transaction
):
    account = make_account(business)
    for cents, category in ((9_000, "SALES"), (-700, "OWNER_DRAW"), (-300, "TRANSFERS_OUT")):
        make_transaction(account, cents, category_id=category)
    asked = {**own, "chartType": "PROFIT", "startDate": "2026-03-02"}

    plain = assistant.call("svc_get_financial_summary", **asked)
    told = assistant.call("svc_get_financial_summary", **asked, withCashFlow=True)

    assert plain["cashFlow"] is None
    assert told["totalAmountCents"] == 9_000
    assert told["cashFlow"] == {
        "inCents": 9_000,
        "inUsd": "90.00",
        "outCents": 700,
        "outUsd": "7.00",
        "netCents": 8_300,
        "netUsd": "83.00",
    }
