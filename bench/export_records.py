"""What is exported: a year of transactions, and statements of an accountant's clients."""

from datetime import UTC, datetime

from django.conf import settings
from django.test import Client

from banking.models import Accountant, Business, Statement, User
from banking.models.stored_files import store
from banking.pdf.statements import render_statement
from bench import papers
from bench.scale import transactions as scale
from foundation.files import PDF, Download
from tests import factories

UNTIL = datetime(2026, 7, 1, tzinfo=UTC)


def make_businesses(count: int) -> tuple[Business, Business]:
    """Make a business with so many transactions in three years, and one with few."""
    large = scale.make_transactions(
        scale.Scale(count=count, businesses=2, share=0.9999), until=UNTIL
    )
    scale.vacuum()
    return large, Business.objects.exclude(pk=large.pk).latest("pk")


def make_accountant(clients: int, *, different: int) -> Accountant:
    """Make an accountant whose clients have a statement each, of so many different ones."""
    accountant = factories.make_accountant()
    stored = [
        store(
            Download(PDF, "statement.pdf", render_statement(papers.make_statement(number))),
        )
        for number in range(different)
    ]
    statements = []
    for number in range(clients):
        access = factories.make_access(accountant)
        account = factories.make_account(access.business)
        values = {"year": 2026, "month": 5, "opening_cents": 0, "closing_cents": 0}
        sums = {"in_cents": 0, "out_cents": 0, "transaction_count": 100, "created_at": UNTIL}
        file = stored[number % different]
        statements.append(
            Statement(business=account.business, account=account, **values, **sums, **file)
        )
    Statement.objects.bulk_create(statements)
    return accountant


def sign_in() -> str:
    """Return the cookie of a session of somebody who may see everything."""
    client = Client()
    client.force_login(User.objects.create_superuser("chief@example.com"))
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}"
