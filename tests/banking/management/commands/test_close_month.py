from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from banking.models import Statement, TaxStatement


@pytest.fixture
def account(make_account, make_business):
    opened = datetime(2026, 1, 15, tzinfo=UTC)
    return make_account(make_business(created_at=opened), opened_at=opened)


def test_months_up_to_the_given_one_are_closed_once(account, capsys):
    call_command("close_month", "2026-03")
    call_command("close_month", "2026-03")

    assert capsys.readouterr().out == (
        "closed 2026-03: 3 statements, 1 tax statements were made\n"
        "closed 2026-03: 0 statements, 0 tax statements were made\n"
    )
    assert (Statement.objects.count(), TaxStatement.objects.count()) == (3, 1)


def test_the_month_before_this_one_is_the_default(account):
    call_command("close_month")

    latest = Statement.objects.order_by("-year", "-month").first()
    today = timezone.now().date()
    assert (today.year * 12 + today.month) - (latest.year * 12 + latest.month) == 1


def test_a_month_that_is_not_over_is_refused(account):
    with pytest.raises(CommandError, match="is not over"):
        call_command("close_month", f"{timezone.now():%Y-%m}")


@pytest.mark.parametrize("text", ["2026", "2026-13", "March"])
def test_a_month_is_written_with_its_year(db, text):
    with pytest.raises(CommandError, match="write a month as YYYY-MM"):
        call_command("close_month", text)
