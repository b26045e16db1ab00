"""manage.py close_month: make the statements and tax statements of past months."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, date, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.days import DAY, month_end
from banking.services import statements, taxes


class Command(BaseCommand):
    help = (
        "Make the statements of every month that is over and open, up to the given one, and the "
        "tax statements of the quarters and years that ended, each once its transactions have "
        "settled or 14 days have passed. Run again, it makes nothing twice."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "month", nargs="?", type=month, metavar="YYYY-MM", help="The last one (last month)."
        )

    def handle(self, *, month: date | None, **options: Any) -> None:
        now = timezone.now()
        last_day = month_end(month) if month else now.date().replace(day=1) - DAY
        try:
            closed = sum(1 for _ in statements.close_months(through=last_day, at=now))
        except statements.MonthNotOver as exc:
            raise CommandError(f"{exc}.") from None
        outcomes = list(taxes.make_tax_statements(through=last_day, at=now))
        faults = [outcome for outcome in outcomes if outcome.fault]
        for outcome in faults:
            self.stderr.write(f"{outcome.business}: {outcome.fault}")
        self.stdout.write(
            f"closed {last_day:%Y-%m}: {closed} statements, {len(outcomes) - len(faults)} tax "
            "statements were made"
        )
        if faults:
            raise CommandError(f"{len(faults)} tax statements could not be made")


def month(text: str) -> date:
    """Return the first day of a month written as YYYY-MM. Raises: ArgumentTypeError."""
    try:
        return datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC).date()
    except ValueError:
        raise ArgumentTypeError("write a month as YYYY-MM") from None
