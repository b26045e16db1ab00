"""An empty bank is filled by a partner's lead, its approval, invitations and one feed file.

Nothing is made by the demo, a factory or a service: every step is a request of a partner, of the
sandbox, of an invited person or of the bank's core. The feed file is that of the documentation.
"""

import json
import re
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from banking.feed.registry import KINDS
from banking.models import Business, User
from banking.services import statements, taxes
from mcp_server.registry import TOOLS
from onboarding.services.events import publications
from onboarding.services.partners import api_keys
from tests.mailing import deliver_mails, send_queued
from tests.mcp_server.conftest import connect
from tests.mcp_server.test_fed_bank import CLOSING, asked
from tests.mcp_server.test_isolation import whose
from tests.onboarding.api.bank.conftest import core, outcomes_of

__all__ = ["core"]
APPROVED = datetime(2026, 1, 2, 9, tzinfo=UTC)
PASSWORD = "harbor lantern violet 27"
ADDRESS = {"line1": "1 Main Street", "city": "Austin", "state": "TX", "postalCode": "78701"}
LEAD = {
    "email": "ada@example.com",
    "firstName": "Ada",
    "lastName": "Reyes",
    "businessName": "Harbor Bakery LLC",
    "businessType": "LLC",
    "businessAddress": ADDRESS,
    "duns": "123456789",
}
ACTIVITIES = ["docv_upload", "llc_doc_upload", "kyb_provider_upload", "compliance_approve"]
LINK = re.compile(r"http://testserver(/(?:welcome|clients/join)/\S+)")
TERMS = re.compile(r'name="terms" value="([^"]+)"')
BEGIN_HERE = {
    "businesses", "owners", "users", "accounts", "accountants", "client-accesses", "statements"
}  # fmt: skip
BOOKS = "books@example.com"
NAMES = {"first_name": "Rosa", "last_name": "Diaz", "firm_name": "Diaz Books"}
RECORDS = Path(__file__).parents[2] / "docs" / "first-records.ndjson"


@contextmanager
def at(moment):
    with patch("django.utils.timezone.now", lambda: moment):
        yield


@pytest.fixture
def approved(client, db, settings):
    """Register a lead as a partner, and play its way to the account."""
    settings.BASE_URL = "http://testserver"
    play_to_the_account(client, LEAD)


def play_to_the_account(client, lead):
    with at(APPROVED):
        partner = api_keys.create_partner(name="Example Partner")
        issued = api_keys.issue_api_key(partner, at=APPROVED)
        key = {"Authorization": f"Vestibule {issued.key.access_key}:{issued.secret}"}
        created = client.put(
            "/service/api/v1/lead", json.dumps(lead), content_type="application/json", headers=key
        )
        assert created.status_code == 201, created.content
        sandbox = f"/service/api/v1/sandbox/{created.json()['customerId']}"
        for number, activity in enumerate(ACTIVITIES):
            with at(APPROVED + timedelta(minutes=number)):
                played = client.post(f"{sandbox}/{activity}", headers=key)
            assert played.status_code == 200, played.content


def accept_invitation(address, **names):
    """Follow the newest link that was mailed to an address, and choose a password."""
    body = next(one.body for one in reversed(mail.outbox) if address in one.to)
    link = LINK.search(body)[1]
    browser = Client()
    form = browser.get(link, follow=True).redirect_chain[-1][0]
    answer = browser.post(form, {"new_password1": PASSWORD, "new_password2": PASSWORD, **names})
    assert answer.status_code == 302, answer.content
    return browser


def invite_accountant(owner):
    """Invite an accountant as the owner, sign up by the mailed link, and accept the terms."""
    invited = {"email": BOOKS, "level": "FULL", "last_day": ""}
    assert owner.post("/account/accountants", invited).status_code == 302
    send_queued()
    accountant = accept_invitation(BOOKS, **NAMES)
    path = f"/clients/{Business.objects.get().external_id}/accept"
    shown = TERMS.findall(accountant.get(path).content.decode())
    assert accountant.post(path, {"terms": shown}).status_code == 302


def fill_in(core):
    """Return the lines of the documented file with the UUIDs that `changes` tells."""
    found = {}
    for change in core.get("changes?after=0").json()["changes"]:
        found.setdefault(change["kind"], []).append(change["externalId"])
    values = {
        "@BUSINESS@": found["businesses"][0],
        "@CHECKING@": found["accounts"][0],
        "@BUCKET@": found["accounts"][1],
        "@ACCOUNTANT@": found["accountants"][0],
        "@NOW@": f"{APPROVED + timedelta(minutes=20):%Y-%m-%dT%H:%M:%SZ}",
        "@TODAY@": f"{APPROVED:%Y-%m-%d}",
    }
    text = RECORDS.read_text()
    for name, value in values.items():
        text = text.replace(name, value)
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def bank(approved, core, client):
    """The bank after the feed file, the invitations and the closing of the first months."""
    with at(APPROVED + timedelta(minutes=10)):
        publications.publish(at=timezone.now())
        deliver_mails(at=timezone.now())
        invite_accountant(accept_invitation("ada@example.com"))
    outcomes = outcomes_of(core.send("records:batch", *fill_in(core)))
    refused = [one for one in outcomes if one["result"] not in {"created", "updated"}]
    assert refused == []
    list(statements.close_months(through=date(2026, 3, 31), at=CLOSING))
    business = Business.objects.get()
    taxes.make_tax_statement(business, period=taxes.Period(2026, 1), at=CLOSING)
    return business


@pytest.mark.parametrize("user_type", ["BUSINESS", "ACCOUNTANT"])
def test_every_tool_answers_in_a_bank_that_began_empty(bank, user_type):
    user = User.objects.get(user_type=user_type)
    assert user.check_password(PASSWORD)
    assistant = connect(user)
    refused = {}
    for tool, arguments in asked(bank).items():
        if "endDate" in arguments:
            arguments |= {"startDate": "2026-01-01", "endDate": "2026-12-31"}
        named = {whose(tool): str(bank.external_id)} if whose(tool) else {}
        answer = assistant.call(tool, **{**named, **arguments})
        if "error" in answer:
            refused[tool] = answer["error"]["code"]

    only_for_accountants = {name for name, tool in TOOLS.items() if tool.is_for_accountants}
    expected = only_for_accountants if user_type == "BUSINESS" else {"svc_get_current_user"}
    assert set(refused) - expected == set()


def test_the_documented_file_has_each_kind_that_does_not_begin_here():
    kinds = {json.loads(line)["kind"] for line in RECORDS.read_text().splitlines()}

    assert set(KINDS) - kinds == BEGIN_HERE
