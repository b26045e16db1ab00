import re

from django.utils import timezone

from tests import factories

LIST = "/admin/banking/business/"


def test_the_page_has_everything_that_is_known(business, chief):
    page = chief.get(f"{LIST}{business.pk}/change/").content.decode()

    for fact in (
        business.legal_name,
        "1 Example Street",
        "Springfield, IL 62701",
        "Active</span>",
        "$29.00",
        "Benefit 1",
        business.duns_registration.number,
        business.owners.get().email,
        "Example Savings",
        "Visa ••••4242",
        business.accesses.get().accountant.firm_name,
        "Terms of service",
        str(business.external_id),
    ):
        assert fact in page


def test_a_business_without_anything_has_a_page_too(make_business, chief):
    business = make_business()

    page = chief.get(f"{LIST}{business.pk}/change/").content.decode()

    assert "No accounts yet." in page
    assert "No owners on file." in page
    assert "Nothing was posted in these months." in page
    assert "<svg role" not in page


def test_deposits_leave_out_what_is_owed(make_business, make_transaction, chief):
    business = make_business()
    secured = factories.make_secured_card(business)
    make_transaction(factories.make_account(business), 70_000)
    make_transaction(secured.card_account, -20_000)

    page = chief.get(f"{LIST}{business.pk}/change/").content.decode()

    figures = dict(re.findall(r'<dt>([^<]+)</dt><dd><span class="money">([^<]+)<', page))
    assert (figures["Deposits"], figures["Owed on credit"]) == ("$700.00", "$200.00")
    assert "$700.00" in chief.get(LIST).content.decode()


def test_the_chart_can_be_seen_read_and_listened_to(make_account, make_transaction, chief):
    account = make_account()
    make_transaction(account, 1_234_00, at=timezone.now())

    page = chief.get(f"{LIST}{account.business_id}/change/").content.decode()

    assert re.search(r'<svg role="img"[^>]*aria-labelledby="flow-title flow-desc"', page)
    assert page.count('class="bar-in"') == page.count('class="bar-out"') == 12
    assert f"<title>{timezone.now():%B %Y}, in: $1,234.00</title>" in page
    assert '<div class="visually-hidden">' in page
    assert page.count('<th scope="row">') == 12


def test_the_page_takes_as_many_statements_for_many_rows(business, count_queries):
    page = f"{LIST}{business.pk}/change/"
    few = count_queries(page)

    for _ in range(10):
        factories.make_card(factories.make_account(business))
        factories.make_access(business=business)
        factories.make_business_owner(business, role="UBO")

    assert count_queries(page) == few
