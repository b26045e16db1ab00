import io
import logging
import re
import zipfile

import pytest
from django.contrib.auth.models import Permission
from django.core import mail
from django.utils import timezone

from banking.models import StaffChange, User
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
    client = accountant.firm.accesses.connected(at=timezone.now()).get().business
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


ADD = "/admin/banking/accountant/add/"
NEW = {
    "email": "Rosa@example.com",
    "first_name": "Rosa",
    "last_name": "Diaz",
    "firm_name": "Diaz Books",
}


def test_a_new_accountant_is_proposed_confirmed_and_mailed(chief):
    second = sign_in(User.objects.create_superuser("second@example.com"))

    page = chief.get(ADD).content.decode()
    said = chief.post(ADD, NEW, follow=True).content.decode()
    change = StaffChange.objects.get(status="OPEN")
    done = second.post(f"/admin/banking/staffchange/{change.pk}/confirm/", follow=True)

    assert "password" not in page
    assert "Proposed. It takes effect when" in said
    assert "An invitation was mailed to rosa@example.com." in done.content.decode()
    assert mail.outbox[-1].to == ["rosa@example.com"]
    user = User.objects.get(email="rosa@example.com")
    assert user.accountant.firm_name == "Diaz Books"


def test_an_address_in_use_is_not_proposed(chief):
    factories.make_user(email="rosa@example.com")

    assert "There is an account with this address." in chief.post(ADD, NEW).content.decode()
    assert not StaffChange.objects.exists()


@pytest.mark.parametrize("rights", [RIGHTS, (*RIGHTS, "add_accountant")])
def test_a_new_accountant_needs_the_right_to_add_users(db, rights):
    user = User.objects.create_user("clerk@example.com", user_type="STAFF")
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = sign_in(user)

    assert client.get(ADD).status_code == 403
    assert client.post(ADD, NEW).status_code == 403
    assert not StaffChange.objects.exists()
