import io
import logging
import re
import zipfile

import pytest
from django.utils import timezone

from banking.models import User
from banking.models.stored_files import store
from foundation.files import PDF, Download
from tests import factories
from tests.banking.admin.conftest import make_statement
from tests.staff import sign_in

LOG = "foundation.backoffice.downloads"
RIGHTS = ("view_accountant", "view_business", "view_statement")


@pytest.fixture
def accountant(make_account):
    """An accountant with a client that has two statements, and one who left."""
    access = factories.make_access()
    account = make_account(access.business)
    january = store(Download(PDF, "january.pdf", b"%PDF-1.7 January"))
    make_statement(account, month=1, **january)
    make_statement(account)
    gone = factories.make_access(access.accountant, status="REVOKED", revoked_at=factories.NOON)
    make_statement(make_account(gone.business))
    return access.accountant


@pytest.fixture
def page(accountant):
    return f"/admin/banking/accountant/{accountant.pk}/statements/"


def test_the_latest_statements_of_the_clients_are_streamed(accountant, page, chief):
    answer = chief.get(page)

    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    client = accountant.accesses.connected(at=timezone.now()).get().business
    [name] = archive.namelist()
    assert archive.testzip() is None
    assert str(client.external_id) in name
    assert archive.read(name) == b"%PDF-1.7 a statement"


def test_the_archive_takes_few_statements(page, chief, django_assert_max_num_queries):
    with django_assert_max_num_queries(9):
        b"".join(chief.get(page).streaming_content)


def test_the_archive_is_only_ever_saved(page, chief):
    answer = chief.get(page)

    assert answer.streaming
    assert answer["Content-Type"] == "application/zip"
    assert re.fullmatch(
        r'attachment; filename="statements-\d{4}-\d\d-\d\d\.zip"', answer["Content-Disposition"]
    )
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]


def test_the_archive_is_logged_with_who_took_it(accountant, page, chief, caplog):
    caplog.set_level(logging.INFO, LOG)
    staff = User.objects.get(email="chief@example.com")

    chief.get(page)

    [line] = [record.getMessage() for record in caplog.records if record.name == LOG]
    assert line.startswith(
        f"user {staff.external_id} took the file of "
        f"accountant {accountant.user.external_id}, statements-"
    )


@pytest.mark.parametrize("missing", RIGHTS)
def test_the_archive_is_for_those_who_may_view_all_that_is_in_it(missing, page, make_staff):
    rights = [right for right in RIGHTS if right != missing]

    assert make_staff(*rights).get(page).status_code == 403
    assert make_staff(*RIGHTS).get(page).status_code == 200


def test_the_archive_is_for_staff_alone(accountant, page, client):
    for visitor in (client, sign_in(accountant.user)):
        assert visitor.get(page)["Location"].startswith("/admin/login/")


def test_the_archive_is_not_sent_to_a_post(page, chief):
    assert chief.post(page).status_code == 405


def test_the_page_links_to_the_archive_for_those_who_may_have_it(page, chief, make_staff):
    shown = page.replace("statements", "change")

    assert f'href="{page}"' in chief.get(shown).content.decode()
    assert page not in make_staff("view_accountant").get(shown).content.decode()


def test_an_accountant_without_clients_gets_an_empty_archive(chief, make_accountant):
    answer = chief.get(f"/admin/banking/accountant/{make_accountant().pk}/statements/")

    assert zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))).namelist() == []
