import logging

import pytest
from django.core.files.base import ContentFile

from banking.models import BillAttachment, Receipt, ReceiptFile, Statement, TaxStatement, User
from banking.models.stored_files import file_storage
from tests.banking.admin.conftest import make_statement
from tests.factories import NOON, make_bill_attachment, make_receipt_file

SHOWN = [Statement, TaxStatement]
FILES = [*SHOWN, BillAttachment]


def path_of(row):
    return f"/admin/banking/{row._meta.model_name}/{row.pk}/file/"


@pytest.mark.parametrize("model", SHOWN)
def test_a_paper_of_the_bank_is_shown_and_never_kept_by_a_cache(model, business, chief):
    row = model.objects.get()

    answer = chief.get(path_of(row))

    assert b"".join(answer.streaming_content) == row.read().content
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"] == f'inline; filename="{row.file_name}"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]


def test_a_paper_of_a_supplier_is_only_ever_saved(business, chief):
    row = BillAttachment.objects.get()

    answer = chief.get(path_of(row))
    bill = chief.get(f"/admin/banking/bill/{row.bill_id}/change/").content.decode()

    assert answer["Content-Disposition"] == f'attachment; filename="{row.file_name}"'
    assert answer["Content-Type"] == "application/octet-stream"
    assert f'href="{path_of(row)}" download' in bill
    assert f'href="{path_of(row)}" target' not in bill


@pytest.mark.parametrize("model", FILES)
def test_each_download_is_logged_with_who_took_what(model, business, chief, caplog):
    caplog.set_level(logging.INFO, "foundation.backoffice.downloads")
    row = model.objects.get()
    staff = User.objects.get(email="chief@example.com")

    chief.get(path_of(row))

    [line] = [r.getMessage() for r in caplog.records if r.name == "foundation.backoffice.downloads"]
    assert line == f"user {staff.external_id} took the file of {row}"
    assert str(row.external_id) in line


@pytest.mark.parametrize("model", [*FILES, ReceiptFile])
def test_the_file_of_another_row_is_not_served_in_the_place_of_the_stored(
    model, business, chief, caplog
):
    if model is ReceiptFile:
        make_receipt_file(Receipt.objects.get())
    row = model.objects.get()
    other = file_storage().save("other", ContentFile(b"the file of another row"))
    model.objects.update(file=other)

    chief.raise_request_exception = False

    answer = chief.get(
        f"/admin/banking/transaction/{row.receipt.transaction_id}/receipt/"
        if model is ReceiptFile
        else path_of(row)
    )

    assert answer.status_code == 500
    assert "This file cannot be read" in answer.content.decode()
    assert f"the file of {model._meta.verbose_name} {row.pk} is not the received" in caplog.text


@pytest.mark.parametrize("model", FILES)
def test_only_who_may_view_the_record_gets_its_file(model, business, make_staff, client):
    page = path_of(model.objects.get())
    name = f"view_{model._meta.model_name}"

    assert make_staff().get(page).status_code == 403
    assert make_staff("view_business", "view_account").get(page).status_code == 403
    assert make_staff(name).get(page).status_code == 200
    assert client.get(page)["Location"].startswith("/admin/login/")


@pytest.mark.parametrize("content_type", ["text/html", "image/svg+xml", "text/csv"])
def test_what_could_do_harm_is_only_ever_saved(content_type, chief, db):
    row = make_bill_attachment(
        content=b"<script>", content_type=content_type, file_name='a"\n.html'
    )

    answer = chief.get(path_of(row))

    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment;")
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_file_that_is_gone_is_not_found(make_account, chief):
    row = make_statement(make_account(), file="no/such/file")

    assert chief.get(path_of(row)).status_code == 404


def test_a_file_is_not_sent_to_a_post(business, chief):
    assert chief.post(path_of(Statement.objects.get())).status_code == 405


def test_the_pages_link_to_the_files(business, chief):
    for model, page in [
        (Statement, f"/admin/banking/account/{Statement.objects.get().account_id}/change/"),
        (TaxStatement, "/admin/banking/taxstatement/"),
        (BillAttachment, f"/admin/banking/bill/{BillAttachment.objects.get().bill_id}/change/"),
    ]:
        assert f'href="{path_of(model.objects.get())}"' in chief.get(page).content.decode()


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({"awaits_scan_since": NOON}, "To be scanned for malware"),
        ({"malware": "Eicar"}, "Malware found"),
    ],
)
def test_a_file_that_is_not_scanned_or_has_malware_is_not_served(business, chief, state, says):
    attachment = BillAttachment.objects.get()
    receipt = make_receipt_file(Receipt.objects.get())
    for row in (attachment, receipt):
        type(row).objects.filter(pk=row.pk).update(**state)
    bought = f"/admin/banking/transaction/{receipt.receipt.transaction_id}/"
    bill = f"/admin/banking/bill/{attachment.bill_id}/change/"

    for page, path in [(bill, path_of(attachment)), (f"{bought}change/", f"{bought}receipt/")]:
        shown = chief.get(page).content.decode()

        assert chief.get(path).status_code == 404
        assert says in shown
        assert path not in shown


@pytest.mark.parametrize(
    ("content_type", "shown"), [("image/png", "inline"), ("application/pdf", "attachment")]
)
def test_the_file_of_a_receipt_is_shown_if_it_is_a_picture(business, chief, content_type, shown):
    name = f"receipt.{content_type.partition('/')[2]}"
    file = make_receipt_file(Receipt.objects.get(), content_type=content_type, file_name=name)
    bought = f"/admin/banking/transaction/{file.receipt.transaction_id}/"

    answer = chief.get(f"{bought}receipt/")
    page = chief.get(f"{bought}change/").content.decode()

    assert b"".join(answer.streaming_content) == file.read().content
    assert answer["Content-Disposition"] == f'{shown}; filename="{name}"'
    assert (f'href="{bought}receipt/" target' in page) == (shown == "inline")


@pytest.fixture
def bought(business):
    row = business.transactions.get(transaction_type="PURCHASE", status="POSTED")
    return f"/admin/banking/transaction/{row.pk}/receipt/"


def test_a_receipt_is_made_when_it_is_asked_for(bought, chief, caplog):
    caplog.set_level(logging.INFO, "foundation.backoffice.downloads")

    answer = chief.get(bought)

    assert b"".join(answer.streaming_content).startswith(b"%PDF-")
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"].startswith("inline; filename=")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]
    assert [r for r in caplog.records if " took the file of " in r.getMessage()]


def test_a_receipt_is_for_those_who_may_view_it(bought, make_staff):
    assert make_staff("view_transaction").get(bought).status_code == 403
    assert make_staff("view_transaction", "view_receipt").get(bought).status_code == 200


def test_a_transaction_without_receipt_has_no_paper(make_transaction, chief):
    page = f"/admin/banking/transaction/{make_transaction().pk}/"

    assert chief.get(f"{page}receipt/").status_code == 404
    assert "receipt/" not in chief.get(f"{page}change/").content.decode()


def test_a_receipt_is_not_sent_to_a_post(bought, chief):
    assert chief.post(bought).status_code == 405
