"""Statements that users open themselves: which, whose, and what is logged."""

from datetime import UTC, date, datetime

import pytest

from banking.choices import AccessLevel
from banking.models import TaxStatement
from banking.models.stored_files import store
from banking.services import statements
from foundation.files import PDF, Download
from mcp_server.models import AccessLogEntry
from tests import factories
from tests.mcp_server.pages.test_account import APRIL, OPENED, browse


@pytest.fixture
def paper(business):
    """A statement of the business."""
    factories.make_account(business, opened_at=OPENED)
    (statement,) = statements.close_months(through=date(2026, 1, 31), at=APRIL)
    return f"/account/statements/{statement.external_id}"


@pytest.fixture
def tax_paper(business):
    statement = TaxStatement.objects.create(
        business=business,
        tax_year=2026,
        quarter=1,
        created_at=datetime(2026, 4, 1, tzinfo=UTC),
        **store(Download(PDF, "taxes.pdf", b"%PDF-1.7")),
    )
    return f"/account/tax-statements/{statement.external_id}"


def test_an_owner_opens_both_kinds(owner, business, paper, tax_paper):
    client = browse(owner)

    answers = [client.get(paper), client.get(tax_paper)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert all(answer.getvalue().startswith(b"%PDF") for answer in answers)
    assert all("no-store" in answer["Cache-Control"] for answer in answers)
    logged = AccessLogEntry.objects.order_by("pk").values_list("tool", "business")
    assert list(logged) == [
        ("open_statement", business.pk),
        ("open_tax_statement", business.pk),
    ]


@pytest.mark.parametrize("level", AccessLevel.values)
def test_an_accountant_of_any_level_opens_them(accountant, business, paper, tax_paper, level):
    factories.make_access(accountant, business, level=level)
    client = browse(accountant.user)

    assert client.get(paper).status_code == client.get(tax_paper).status_code == 200


def test_strangers_find_nothing_and_leave_no_entry(make_user, accountant, paper, tax_paper):
    other = make_user()
    factories.make_business_owner(factories.make_business(), user=other)

    unrecorded = make_user(user_type="ACCOUNTANT")
    for user in (other, accountant.user, unrecorded, make_user()):
        assert browse(user).get(paper).status_code == 404
        assert browse(user).get(tax_paper).status_code == 404

    assert not AccessLogEntry.objects.exists()


def test_an_unknown_paper_is_not_found(owner, paper):
    kind = paper.rpartition("/")[0]

    assert browse(owner).get(f"{kind}/01900000-0000-7000-8000-000000000000").status_code == 404
