"""The search for everything: kinds, reasons, permissions, indexes and numbers of statements."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from banking.models import (
    Account,
    Accountant,
    Business,
    BusinessOwner,
    Card,
    Firm,
    Supplier,
    User,
)
from onboarding.models import Application, Document, Lead, Owner, Partner
from onboarding.queries.everything import Asked, Kind, search_everything
from tests.factories import make_card, make_supplier

ALL = [Application, Document, Lead, Owner, Partner, Account, Accountant, Business, BusinessOwner]
ALL += [Card, Firm, Supplier, User]


def ask(text, *, numbers=True, viewable=ALL):
    """Return the results as kinds, each with rows and reasons."""
    groups = search_everything(Asked(text, may_search_numbers=numbers, viewable=viewable))
    return {group.kind: [(one.row, one.reason) for one in group.found] for group in groups}


@pytest.fixture
def case(make_lead, make_application):
    lead = make_lead(
        business_name="Benson Bakery LLC",
        first_name="Ada",
        last_name="Stone",
        email="ada@example.com",
        phone_number="+12025550132",
        unique_id="crm-7",
        ssn="123-45-6789",
        ein="12-3456788",
    )
    return make_application(lead)


@pytest.fixture
def owner(case, make_owner):
    values = {"first_name": "Pat", "last_name": "Winters", "phone_number": "+12025550133"}
    return make_owner(case.lead, email="pat@example.com", ssn="900-70-4321", **values)


@pytest.fixture
def others(make_lead, make_application):
    for name in ("Harbor Coffee", "Blue Benches", "Stonework"):
        make_application(make_lead(business_name=name, first_name="Kim", last_name="Lopez"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Benson Bakery", "Business name"),
        ("bakery benson", "Business name"),
        ("Bensn Bakery", "Business name"),
        ("Bakrey", "Business name"),
        ("ada stone", "Applicant's name"),
        ("Stne Ada", "Applicant's name"),
        ("ADA@example.com", "Email"),
        ("ada@exam", "Email"),
        ("crm-7", "Partner's own id"),
        ("+12025550132", "Phone +1 202-555-0132"),
        ("2025550132", "Phone +1 202-555-0132"),
        ("(202) 555-0132", "Phone +1 202-555-0132"),
        ("1 202.555.0132", "Phone +1 202-555-0132"),
        ("123-45-6789", "SSN ends in 6789"),
        ("6789", "SSN ends in 6789"),
        ("6788", "EIN ends in 6788"),
        ("Pat Winters", "Name or email of an owner"),
        ("pat winter", "Name or email of an owner"),
        ("4321", "SSN ends in 4321 of an owner"),
        ("202-555-0133", "Phone +1 202-555-0133 of an owner"),
    ],
)
def test_a_case_is_found_with_the_reason(text, reason, case, owner, others):
    assert ask(text)[Kind.CASES] == [(case, reason)]


@pytest.mark.parametrize("text", ["zzzz", "5550132", "9999", "%", "_", "\\", "' OR 1=1", "ß"])
def test_other_texts_find_nothing(text, case, owner, others):
    assert ask(text) == {}


def test_ids_find_their_rows(case, owner):
    assert ask(case.reference)[Kind.CASES] == [(case, "Reference")]
    assert ask(str(case.external_id))[Kind.CASES] == [(case, "Application id")]
    assert ask(str(case.lead.external_id))[Kind.CASES] == [(case, "Customer id")]
    assert ask(str(owner.external_id))[Kind.PEOPLE] == [(owner, "Id")]


def test_without_the_permission_no_personal_number_is_looked_up(case, owner):
    assert ask("6789", numbers=False) == ask("123456789", numbers=False) == {}


def test_an_erased_or_changed_number_is_not_found_any_more(case):
    case.lead.ssn = "900-70-1111"
    case.lead.save(update_fields=["ssn"])

    assert ask("6789") == {}
    assert ask("1111")[Kind.CASES]


def test_the_bank_s_customers_accounts_and_partners_are_found(make_account, make_accountant):
    account, accountant = make_account(), make_accountant()
    business = account.business
    Business.objects.filter(pk=business.pk).update(
        legal_name="Corner Deli", phone_number="+12025550199"
    )
    User.objects.filter(pk=accountant.user_id).update(first_name="Noor", last_name="Haddad")
    Firm.objects.filter(pk=accountant.firm_id).update(name="Ledger Lane")
    partner = Partner.objects.create(name="Acme Pay")

    assert ask(account.account_number[-4:])[Kind.ACCOUNTS][0][0] == account
    assert ask(account.account_number)[Kind.ACCOUNTS] == [(account, "Number")]
    assert ask("Cornr Deli")[Kind.BUSINESSES] == [(business, "Name")]
    assert ask("202 555 0199")[Kind.BUSINESSES] == [(business, "Phone +1 202-555-0199")]
    assert ask("noor hadad")[Kind.PEOPLE] == [(accountant.user, "Name")]
    assert ask("ledger lane")[Kind.BUSINESSES] == [(accountant.firm, "Name")]
    assert ask("acme")[Kind.PARTNERS] == [(partner, "Name")]


def test_only_what_may_be_viewed_is_searched(case, owner, make_accountant):
    accountant = make_accountant()
    colleague = User.objects.create_user("iris@example.com", user_type="STAFF")

    assert ask("ada", viewable=[]) == {}
    assert list(ask("pat", viewable=[Owner])) == [Kind.PEOPLE]
    assert ask("pat", viewable=[Application, Lead]) == {}
    assert ask("iris@example.com", viewable=[Accountant]) == {}
    assert ask(accountant.user.email, viewable=[Accountant])[Kind.PEOPLE]
    assert ask("iris@example.com")[Kind.PEOPLE] == [(colleague, "Email")]


@pytest.mark.parametrize("text", ["bensn bakery", "ada@example.com", "2025550132", "6789", "zzz q"])
def test_the_number_of_statements_is_bounded(text, case, owner, others):
    with CaptureQueriesContext(connection) as statements:
        ask(text)

    assert len(statements) <= 30


@pytest.mark.skipif("connection.vendor != 'postgresql'")
@pytest.mark.parametrize(
    "text", ["bensn bakery", "benson", "al", "ada@example.com", "2025550132", "6789", "123456789"]
)
def test_no_table_is_read_from_end_to_end(text, case, owner):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    with CaptureQueriesContext(connection) as statements:
        ask(text)

    for statement in (one["sql"] for one in statements if one["sql"].startswith("SELECT ")):
        if "onboarding_partner" in statement or "set_config" in statement:
            continue  # few rows
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {statement}".replace("%", "%%"), [])
            plan = "\n".join(line for (line,) in cursor.fetchall())
        assert "Seq Scan" not in plan, f"{statement}\n{plan}"


def test_a_card_is_found_by_its_last_four_digits_and_its_id(db):
    card = make_card(last4="4242")
    make_card(last4="1111")

    assert ask("4242")[Kind.CARDS] == [(card, "Number ends in 4242")]
    assert ask(str(card.external_id))[Kind.CARDS] == [(card, "Id")]
    assert Kind.CARDS not in ask("4242", viewable=[Account])


@pytest.mark.parametrize("text", ["Quillon Trading", "quilon"])
def test_a_supplier_is_found_by_name(text, db):
    supplier = make_supplier(name="Quillon Trading")
    make_supplier(name="Blue Cafe")

    assert ask(text)[Kind.SUPPLIERS] == [(supplier, "Name")]
    assert Kind.SUPPLIERS not in ask(text, viewable=[Account])


def test_the_cases_that_share_a_value_follow_a_single_case(
    case, others, make_lead, make_application
):
    other = make_application(make_lead(business_name="Zed Metals", ssn="123-45-6789"))

    found = ask("Benson Bakery")

    assert [row for row, _ in found[Kind.CASES]] == [case]
    assert found[Kind.RELATED] == [(other, "Same SSN")]
    assert Kind.RELATED not in ask("Kim Lopez")
    assert Kind.RELATED not in ask("Benson Bakery", viewable=[Application, Lead])
