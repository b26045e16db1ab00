"""What the role of an owner in an application means once the account is open.

The application comes by the partner API, the owners sign in by the links of their mails.
"""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from banking.models import Account, BusinessOwner, Statement, User
from banking.services import statements, taxes
from mcp_server.registry import TOOLS
from mcp_server.scopes import Scope
from onboarding.services.events import publications
from tests import factories
from tests.mailing import deliver_mails
from tests.mcp_server.conftest import connect
from tests.mcp_server.oauth.conftest import Flow, make_client
from tests.mcp_server.test_bank_from_nothing import (
    APPROVED,
    LEAD,
    PASSWORD,
    accept_invitation,
    at,
    play_to_the_account,
)
from tests.mcp_server.test_isolation import UNKNOWN, whose

CLOSING = datetime(2026, 4, 2, 12, tzinfo=UTC)
ROLES = {"full": "PARTNER_FULL_ACCESS", "partner": "PARTNER", "silent": ""}
OWNERS = [
    {
        "email": f"{name}@example.com",
        "firstName": name.title(),
        "lastName": "Owner",
        "ssn": f"22{number}-45-6789",
        "birthDate": "1980-01-01",
        "ownershipPercent": 25,
        **({"role": role} if role else {}),
    }
    for number, (name, role) in enumerate(ROLES.items(), start=3)
]
OPEN_TO_PARTNERS = {Scope.PROFILE, Scope.STATEMENTS}
DATES = {"startDate": "2026-01-01", "endDate": "2026-03-31"}
INVITED = ["ada", "full", "partner"]
OF_OWNERS = [name for name, tool in TOOLS.items() if not tool.is_for_accountants]


@pytest.fixture
def browsers(client, db, settings):
    """Return the signed-in browser of each invited owner, by name."""
    settings.BASE_URL = "http://testserver"
    play_to_the_account(client, LEAD | {"ownershipPercent": 25, "uboList": OWNERS})
    with at(APPROVED + timedelta(minutes=10)):
        publications.publish(at=timezone.now())
        deliver_mails(at=timezone.now())
        for name in INVITED:
            accept_invitation(f"{name}@example.com")
    account = Account.objects.get(account_type="MAIN_ACCOUNT", business__isnull=False)
    factories.make_transaction(account, 123_456, description="Invoice 7", occurred_at=CLOSING)
    list(statements.close_months(through=date(2026, 3, 31), at=CLOSING))
    taxes.make_tax_statement(account.business, period=taxes.Period(2026, 1), at=CLOSING)
    return {name: signed_in(name) for name in INVITED}


def signed_in(name):
    browser = Client(headers={"accept-language": "en"})
    answer = browser.post("/sign-in", {"username": f"{name}@example.com", "password": PASSWORD})
    assert answer.status_code == 302, answer.content
    return browser


def user_of(name):
    return User.objects.get(email=f"{name}@example.com")


def test_owners_with_a_role_are_invited_and_others_are_not(browsers):
    owners = BusinessOwner.objects.values_list("first_name", "sign_in_role", "user__email")

    assert set(owners) == {
        ("Ada", "", "ada@example.com"),
        ("Full", "PARTNER_FULL_ACCESS", "full@example.com"),
        ("Partner", "PARTNER", "partner@example.com"),
        ("Silent", "", None),
    }
    assert not [one for one in mail.outbox if "silent@example.com" in one.to]


@pytest.mark.parametrize(
    ("name", "promise"),
    [
        ("full", "You see the same as the person who applied"),
        ("partner", "You see the profile and the statements of the business."),
    ],
)
def test_the_mail_says_what_the_owner_will_see(browsers, name, promise):
    [mailed] = [one for one in mail.outbox if f"{name}@example.com" in one.to]

    assert promise in mailed.body


def test_full_access_sees_what_the_applicant_sees(browsers):
    pages = [browsers[name].get("/account").content.decode() for name in ("ada", "full")]

    assert all("$1,234.56" in page and "Invoice 7" in page for page in pages)
    for path in ("/books", "/account/accountants"):
        assert [browsers[name].get(path).status_code for name in ("ada", "full")] == [200, 200]


def test_a_partner_sees_profile_and_statements_on_the_pages(browsers):
    page = browsers["partner"].get("/account").content.decode()
    statement = Statement.objects.first()

    assert all(text in page for text in ("Harbor Bakery LLC", "Silent Owner", "March 2026"))
    assert not any(text in page for text in ("$1,234.56", "Invoice 7", "My accountant", "/books"))
    opened = browsers["partner"].get(f"/account/statements/{statement.external_id}")
    assert opened.status_code == 200


@pytest.mark.parametrize("path", ["/books", "/books/{statement}/OFX", "/account/accountants"])
def test_other_pages_refuse_a_partner(browsers, path):
    statement = Statement.objects.first()

    answer = browsers["partner"].get(path.format(statement=statement.external_id))

    assert answer.status_code == 403


def test_a_partner_sees_no_reads_of_other_people(browsers):
    connect(user_of("ada")).call("svc_get_business_profile")

    log = [
        browsers[name].get("/connected-assistants").content.decode() for name in ("full", "partner")
    ]

    row = '<span lang="en">Get business profile</span>'
    assert [row in page for page in log] == [True, False]


@pytest.mark.parametrize("name", ["ada", "full", "partner"])
def test_each_tool_answers_or_refuses_by_the_role(browsers, name):
    assistant = connect(user_of(name))

    refused = {
        tool
        for tool in OF_OWNERS
        if "Your role as a partner" in str(assistant.result(tool, **_arguments(tool)))
    }

    closed = {tool for tool in OF_OWNERS if TOOLS[tool].scope not in OPEN_TO_PARTNERS}
    assert refused == (closed if name == "partner" else set())


def test_the_consent_page_offers_a_partner_what_a_partner_sees(browsers):
    flow = Flow(user_of("partner"), make_client())

    page = flow.ask(scope=None)

    offered = [value for value, _ in page.context["form"].fields["scopes"].choices]
    assert offered == ["statements:read", "profile:read", "account-numbers:read"]
    assert "As a partner, you see the profile and statements" in page.content.decode()
    code = flow.code("statements:read", scope="accounts:read statements:read")
    assert flow.exchange(code).json()["scope"] == "statements:read"


def test_a_token_from_before_a_role_was_taken_reads_less_at_once(browsers):
    assistant = connect(user_of("full"))
    assert "error" not in assistant.call("svc_get_account_summary")

    BusinessOwner.objects.filter(first_name="Full").update(sign_in_role="PARTNER")

    assert assistant.refusal("svc_get_account_summary") == (
        "ACCESS_DENIED",
        "Your role as a partner lets you see the profile and statements only.",
    )


def _arguments(tool):
    """Return a value for each required parameter; whose record it names does not matter."""
    schema = TOOLS[tool].input_schema
    found = {
        name: schema["properties"][name].get("enum", [UNKNOWN])[0]
        for name in schema.get("required", [])
    }
    dates = {name: day for name, day in DATES.items() if name in found}
    business = str(BusinessOwner.objects.first().business.external_id)
    return found | dates | ({name: business} if (name := whose(tool)) else {})
