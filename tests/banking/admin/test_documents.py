import csv
import logging
from datetime import UTC, datetime

import pytest

from banking.choices import LetterVariant
from banking.models import User
from tests import factories
from tests.staff import sign_in

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
LOG = "foundation.backoffice.downloads"
EXPENSES = [
    ("expenses/?period=BEGINNING_OF_YEAR", "expenses-2026-01-01-2026-06-30.pdf"),
    ("expenses/?period=LAST_YEAR", "expenses-2025-01-01-2025-12-31.pdf"),
    ("detailed_expenses/?period=BEGINNING_OF_YEAR", "detailed-expenses-2026-01-01-2026-06-30.pdf"),
    ("detailed_expenses/?period=LAST_YEAR", "detailed-expenses-2025-01-01-2025-12-31.pdf"),
]
EXPORTS = [
    ("transactions/?period=BEGINNING_OF_YEAR", "transactions-2026-01-01-2026-06-30.csv"),
    ("transactions/?period=LAST_YEAR", "transactions-2025-01-01-2025-12-31.csv"),
]
LETTERS = [
    ("letter/?variant=GENERAL", "letter-general-2026-06-30.pdf"),
    ("letter/?variant=ACH", "letter-ach-2026-06-30.pdf"),
    ("letter/?variant=WIRE_DOMESTIC", "letter-wire-domestic-2026-06-30.pdf"),
    ("letter/?variant=WIRE_INTERNATIONAL", "letter-wire-international-2026-06-30.pdf"),
]
ALL = [page for page, _ in [*EXPENSES, *EXPORTS, *LETTERS]]


@pytest.fixture(scope="session")
def key_file(tmp_path_factory):
    return tmp_path_factory.mktemp("secret") / "letter.pem"


@pytest.fixture(autouse=True)
def house(settings, key_file, monkeypatch):
    """Let the bank sign with a key of the tests, on a day that is known."""
    settings.LETTER_SIGNING_FILE = key_file
    monkeypatch.setattr("banking.admin.documents.timezone.now", lambda: NOW)


@pytest.fixture
def business(business):
    """The business with a row of everything, and a primary account."""
    factories.make_account(business, is_primary=True)
    return business


@pytest.fixture
def root(business):
    return f"/admin/banking/business/{business.pk}/"


@pytest.mark.parametrize(("page", "name"), [*EXPENSES, *LETTERS])
def test_a_paper_is_made_when_it_is_asked_for(page, name, root, chief):
    answer = chief.get(f"{root}{page}")

    assert b"".join(answer.streaming_content).startswith(b"%PDF-")
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"] == f'inline; filename="{name}"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize(("page", "name"), EXPORTS)
def test_transactions_are_streamed_and_only_ever_saved(page, name, root, chief):
    answer = chief.get(f"{root}{page}")

    assert answer.streaming
    assert b"".join(answer.streaming_content).startswith(b"Transaction ID,")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]


def test_an_export_takes_few_statements(root, chief, django_assert_max_num_queries):
    with django_assert_max_num_queries(11):  # on PostgreSQL three more than on SQLite
        b"".join(chief.get(f"{root}{EXPORTS[0][0]}").streaming_content)


def test_an_export_has_the_transactions_of_its_period_and_business(business, root, chief):
    account = business.accounts.get(is_primary=True)
    old = factories.make_transaction(account, 700, at=datetime(2025, 12, 31, 23, 59, tzinfo=UTC))
    factories.make_transaction(account, 700, at=datetime(2026, 1, 1, tzinfo=UTC))
    factories.make_transaction(amount_cents=700, at=datetime(2025, 12, 31, tzinfo=UTC))

    answer = chief.get(f"{root}{EXPORTS[1][0]}")

    text = b"".join(answer.streaming_content).decode()
    assert [row[0] for row in csv.reader(text.splitlines())][1:] == [str(old.external_id)]
    assert account.account_number not in text


@pytest.mark.parametrize(("page", "name"), [*EXPENSES, *EXPORTS, *LETTERS])
def test_each_paper_is_logged_with_who_took_what(page, name, business, root, chief, caplog):
    caplog.set_level(logging.INFO, LOG)
    staff = User.objects.get(email="chief@example.com")

    chief.get(f"{root}{page}")

    [line] = [record.getMessage() for record in caplog.records if record.name == LOG]
    assert line == (
        f"user {staff.external_id} took the file of business {business.external_id}, {name}"
    )


@pytest.mark.parametrize("page", [page for page, _ in [*EXPENSES, *EXPORTS]])
def test_what_a_business_spends_is_for_those_who_may_view_it(page, root, make_staff):
    assert make_staff("view_business", "view_account").get(f"{root}{page}").status_code == 403
    assert make_staff("view_transaction").get(f"{root}{page}").status_code == 403
    assert make_staff("view_business", "view_transaction").get(f"{root}{page}").status_code == 200


@pytest.mark.parametrize("page", [page for page, _ in LETTERS])
def test_a_letter_is_for_those_who_may_view_accounts(page, root, make_staff):
    assert make_staff("view_business", "view_transaction").get(f"{root}{page}").status_code == 403
    assert make_staff("view_account").get(f"{root}{page}").status_code == 403
    assert make_staff("view_business", "view_account").get(f"{root}{page}").status_code == 200


@pytest.mark.parametrize("page", ALL)
def test_a_paper_is_for_staff_alone(page, business, root, client):
    owner = sign_in(User.objects.create_user("owner@example.com", user_type="BUSINESS"))

    for visitor in (client, owner):
        assert visitor.get(f"{root}{page}")["Location"].startswith("/admin/login/")


@pytest.mark.parametrize(
    "page",
    [
        "letter/",
        "letter/?variant=LOAN",
        "expenses/",
        "expenses/?period=ALL_TIME",
        "transactions/?period=CUSTOM",
    ],
)
def test_a_paper_that_is_not_on_offer_is_not_found(page, root, chief):
    assert chief.get(f"{root}{page}").status_code == 404


def test_a_business_without_a_primary_account_has_no_letter(make_business, chief):
    root = f"/admin/banking/business/{make_business().pk}/"

    assert chief.get(f"{root}letter/?variant=ACH").status_code == 404
    assert "letter/?" not in chief.get(f"{root}change/").content.decode()


@pytest.mark.parametrize("page", ALL)
def test_a_paper_is_not_sent_to_a_post(page, root, chief):
    assert chief.post(f"{root}{page}").status_code == 405


def test_the_page_links_to_the_papers_that_one_may_have(root, chief, make_staff):
    def links(client):
        text = client.get(f"{root}change/").content.decode()
        return [page for page in ALL if f'href="{root}{page}"' in text]

    assert links(chief) == ALL
    assert links(make_staff("view_business")) == []
    assert links(make_staff("view_business", "view_account")) == [page for page, _ in LETTERS]


def test_each_letter_is_on_offer():
    assert [page.split("=")[1] for page, _ in LETTERS] == list(LetterVariant)
