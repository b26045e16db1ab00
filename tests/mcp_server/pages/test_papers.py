"""Statements that users open themselves: which, whose, and what is logged."""

from datetime import UTC, date, datetime

import pytest

from banking.choices import AccessLevel
from banking.models import ClientAccess, Receipt, ReceiptFile, TaxStatement
from banking.models.stored_files import store
from banking.services import statements
from foundation.files import PDF, Download
from mcp_server.models import AccessLogEntry
from tests import factories
from tests.mcp_server.pages.test_account import APRIL, OPENED, browse

UNKNOWN = "01900000-0000-7000-8000-000000000000"


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


@pytest.mark.parametrize(
    "ended",
    [{"status": "REVOKED", "revoked_at": APRIL}, {"ends_at": APRIL}],
    ids=["revoked", "last day over"],
)
@pytest.mark.parametrize("method", ["get", "head"])
def test_an_accountant_opens_nothing_after_the_access_has_ended(
    accountant, business, paper, tax_paper, ended, method
):
    factories.make_access(accountant, business)
    client = browse(accountant.user)
    ask = getattr(client, method)
    before = [ask(path).status_code for path in (paper, tax_paper)]

    ClientAccess.objects.update(**ended)

    headers = {"Range": "bytes=0-99"}
    after = [ask(path, headers=headers).status_code for path in (paper, tax_paper)]
    assert (before, after) == ([200, 200], [404, 404])


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

    assert browse(owner).get(f"{kind}/{UNKNOWN}").status_code == 404


@pytest.fixture
def receipt(business):
    account = factories.make_account(business, opened_at=OPENED)
    row = factories.make_transaction(account, -900, description="Lunch")
    return Receipt.objects.create(transaction=row, number="R-1", issued_at=APRIL)


def path_of(receipt):
    return f"/account/transactions/{receipt.transaction.external_id}/receipt"


def test_an_owner_opens_the_receipt_that_the_bank_writes(owner, business, receipt):
    answer = browse(owner).get(path_of(receipt))

    assert answer.getvalue().startswith(b"%PDF")
    assert answer["Content-Disposition"] == 'inline; filename="receipt-R-1.pdf"'
    entry = AccessLogEntry.objects.get()
    assert (entry.tool, entry.business) == ("open_receipt", business)


def test_an_owner_opens_the_file_that_came_with_a_receipt(owner, receipt):
    file = factories.make_receipt_file(receipt, file_name="lunch.png")
    client = browse(owner)

    answer = client.get(path_of(receipt))

    assert answer.getvalue() == factories.PNG
    assert answer["Content-Type"] == "image/png"
    assert answer["Content-Disposition"] == 'inline; filename="lunch.png"'
    ReceiptFile.objects.filter(pk=file.pk).update(malware="Eicar")
    assert client.get(path_of(receipt)).status_code == 404


def test_nobody_else_opens_a_receipt(make_user, accountant, business, receipt):
    stranger, partner = make_user(), make_user()
    factories.make_business_owner(user=stranger)
    factories.make_business_owner(business, user=partner, role="UBO", sign_in_role="PARTNER")
    factories.make_access(accountant, business)

    for user in (stranger, partner, accountant.user, make_user()):
        assert browse(user).get(path_of(receipt)).status_code == 404
    assert not AccessLogEntry.objects.exists()


def test_a_transaction_without_a_receipt_is_not_found(owner, receipt):
    other = factories.make_transaction(receipt.transaction.account, -100)
    path = path_of(receipt)

    for one in (other.external_id, UNKNOWN):
        answer = browse(owner).get(path.replace(str(receipt.transaction.external_id), str(one)))
        assert answer.status_code == 404
