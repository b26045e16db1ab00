"""Bank operations in a real browser: one clerk proposes, another one confirms."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import Group

from banking.choices import AccountStatus
from banking.models import Account, Posting, Transaction, User
from banking.queries.ledger import find_differences
from tests import factories
from tests.e2e import axe, browsing

PASSWORD = "copper-otter-9-lamp"
REASON = "Letter 2026-114 of the customer."
PICTURES = os.environ.get("PICTURES")  # a folder for whoever wants to look

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


class Clerk:
    """A clerk at a browser."""

    def __init__(self, chromium, script, live_server, name):
        self.script = script
        self.user = User.objects.create_user(
            f"{name}@example.com", PASSWORD, user_type="STAFF", first_name=name.capitalize()
        )
        self.user.groups.add(Group.objects.get(name="Operations"))
        self.home = f"{live_server.url}/admin/"
        self.page = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
        self.page.goto(self.home)
        self.page.fill("[name=username]", self.user.email)
        self.page.fill("[name=password]", PASSWORD)
        self.page.click("form [type=submit]")

    def look(self, name):
        """Require a page without faults of accessibility and without sideways scrolling."""
        self.take_picture(name)
        assert axe.findings(self.page, self.script) == []
        assert browsing.overflow(self.page) <= 0

    def take_picture(self, name):
        if PICTURES:
            self.page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)

    def propose(self, row, step, **values):
        kind = row._meta.model_name
        self.page.goto(f"{self.home}banking/{kind}/{row.pk}/change/")
        self.look(f"{kind}-{step}")
        self.page.click(f".case-aside a:has-text('{step}')")
        for name, value in {**values, "reason": REASON}.items():
            field = self.page.locator(f"[name={name}]")
            is_select = field.evaluate("one => one.tagName") == "SELECT"
            field.select_option(value) if is_select else field.fill(value)
        self.look(f"{kind}-{step}-form")
        self.page.click("button:has-text('Propose')")
        self.page.wait_for_url("**/bankoperation/*/change/")

    def confirm(self, name):
        """Confirm the one open operation, from the home page."""
        self.page.goto(self.home)
        self.look(f"home-{name}")
        self.page.click("a:has-text('Operations that wait for a second person')")
        self.take_picture(f"list-{name}")  # a list of Django's own, with its small filters
        self.page.click("#result_list tbody th a")
        self.look(f"proposal-{name}")
        with self.page.expect_navigation():
            self.page.click("button:has-text('Confirm')")
        assert "in force" in self.page.inner_text("main")


@pytest.fixture
def clerks(chromium, script, live_server, settings):
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    made = [Clerk(chromium, script, live_server, name) for name in ("olga", "otto")]
    yield made
    for clerk in made:
        clerk.page.context.close()


@pytest.fixture
def account():
    return factories.make_transaction(amount_cents=50_000).account


def test_an_account_is_frozen_and_unfrozen(clerks, account):
    olga, otto = clerks
    olga.propose(account, "Freeze")
    own = olga.page.inner_text("main")
    otto.confirm("freeze")
    is_frozen = Account.objects.get(pk=account.pk).is_frozen

    otto.propose(account, "Unfreeze")
    olga.confirm("unfreeze")

    assert "Someone else must confirm it." in own
    assert is_frozen
    assert not Account.objects.get(pk=account.pk).is_frozen


def test_a_transaction_is_reversed(clerks, account):
    row = Transaction.objects.get()
    clerks[0].propose(row, "Reverse", statement_text="Booked twice")
    clerks[1].confirm("reverse")

    assert Posting.objects.get(reverses=row.posting).posted_by == clerks[1].user
    assert Account.objects.get(pk=account.pk).current_cents == 0
    assert not list(find_differences())


def test_an_account_is_closed_with_a_payout(clerks, account):
    payout = {"destination": "OUTSIDE", "payee": "Cashier's check to Bakery LLC"}
    clerks[0].propose(account, "Close with payout", **payout)
    clerks[1].confirm("close")

    assert Account.objects.get(pk=account.pk).status == AccountStatus.CLOSED
    assert Transaction.objects.filter(amount_cents=-50_000).exists()
    assert not list(find_differences())
