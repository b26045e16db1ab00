"""An empty bank is filled by a partner's lead, its approval, invitations and one feed file.

Nothing is made by the demo, a factory or a service: every step is a request of a partner, of the
sandbox, of an invited person or of the bank's core.
"""

import json
import re
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from unittest.mock import patch

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from banking.models import Business, User
from banking.services import statements, taxes
from mcp_server.registry import TOOLS
from onboarding.services.events import publications
from onboarding.services.partners import api_keys
from tests.banking.feed.test_kinds import RECORDS
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
LINK = re.compile(r"http://testserver(/(?:welcome|password-reset)/\S+)")


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


def accept_invitation(address):
    """Follow the newest link that was mailed to an address, and choose a password."""
    body = next(one.body for one in reversed(mail.outbox) if address in one.to)
    link = LINK.search(body)[1]
    browser = Client()
    form = browser.get(link, follow=True).redirect_chain[-1][0]
    answer = browser.post(form, {"new_password1": PASSWORD, "new_password2": PASSWORD})
    assert answer.status_code == 302, answer.content
    return browser


def lines_for(core):
    """Return the feed file: its first lines bind ids to what the approval opened."""
    changes = core.get("changes?after=0").json()["changes"]
    found = {}
    for change in changes:
        found.setdefault(change["kind"], []).append(change["externalId"])
    ours = {
        "B-1": ("businesses", found["businesses"][0]),
        "O-1": ("owners", found["owners"][0]),
        "U-1": ("users", found["users"][0]),
        "A-1": ("accounts", found["accounts"][0]),
        "A-2": ("accounts", found["accounts"][1]),
    }
    for name, (kind, uuid) in ours.items():
        text = json.dumps(core.get(f"{kind}/{uuid}").json()["data"])
        for other, (_, its_uuid) in ours.items():
            text = text.replace(its_uuid, other)
        data = json.loads(text)
        data.pop("accountNumber", None)
        yield {"kind": kind, "externalId": name, "version": 1, "bindTo": uuid, "data": data}
    for kind, name, data in RECORDS:
        if name in ours:
            continue
        data = data | ({"expiresAt": "2999-01-01T00:00:00Z"} if kind == "referrals" else {})
        data.pop("acceptedBy", None)
        yield {"kind": kind, "externalId": name, "version": 1, "data": data}


@pytest.fixture
def bank(approved, core, client):
    """The bank after the feed file, the invitations and the closing of the first months."""
    with at(APPROVED + timedelta(minutes=10)):
        publications.publish(at=timezone.now())
        deliver_mails(at=timezone.now())
        accept_invitation("ada@example.com")
    outcomes = outcomes_of(core.send("records:batch", *lines_for(core)))
    refused = [one for one in outcomes if one["result"] not in {"created", "updated"}]
    assert refused == []
    books = next(
        data["email"] for kind, _, data in RECORDS if kind == "users" and "owner" not in data
    )
    client.post(reverse("password_reset"), {"email": books})
    send_queued()
    accept_invitation(books)
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
