"""Review report: arrivals, decisions and kept deadlines per week and reviewer."""

from datetime import timedelta
from functools import partial

from django.utils import timezone

from foundation.backoffice.cells import Column, Table, day, figure
from foundation.backoffice.replica_reads import read_page
from foundation.backoffice.screens import FactsAdmin
from onboarding.admin.clocks import span
from onboarding.admin.quality_report import quality_tables
from onboarding.queries import reports

WEEKS = 8
LATELY = timedelta(days=7)
WEEK_COLUMNS = [
    Column("Week from"),
    Column("Arrived", is_amount=True),
    Column("Decided", is_amount=True),
    Column("First touch in time", is_amount=True),
    Column("Median first touch (business hours)", is_amount=True),
    Column("Decision in time", is_amount=True),
    Column("Median decision (business hours)", is_amount=True),
]
REVIEWER_COLUMNS = [
    Column("Person"),
    Column("Decided", is_amount=True),
    Column("Claimed", is_amount=True),
]


DENIAL_COLUMNS = [Column("Reason"), Column("Denials", is_amount=True)]


class ReportPage(FactsAdmin):
    """Mixin for the admin of applications: the page `report/`, with reviews per week and reviewer.

    The template of the list links to it. It needs the permission to view applications.
    """

    def get_urls(self):
        may = self.has_view_permission
        page = self.list_page("report/", "report", self.report, is_allowed=may)
        return [page, *super().get_urls()]

    def report(self, request):
        """Show the tables of `report_tables`: reviews, reviewers, denials and quality."""
        return read_page(request, partial(self._report, request))

    def _report(self, request):
        tables = report_tables(request, timezone.now()).items()
        template = "onboarding/application/report"
        return self.show_page(request, template, title="Review report", tables=tables)


def report_tables(request, now):
    """Return the tables of the report by their names in URLs.

    Tables of quality checks are for users who may view such checks.
    """
    return {
        "weeks": week_table(reports.list_weeks(weeks=WEEKS, at=now)),
        "reviewers": reviewer_table(reports.list_reviewers(since=now - LATELY)),
        "denials": denial_table(reports.count_denials(since=now - WEEKS * LATELY)),
        **quality_tables(request, now),
    }


def week_table(weeks):
    """Return a table with a row per week."""
    rows = [
        [
            day(week.begins),
            figure(week.arrived),
            figure(week.decided),
            *_service_level(week.first_touch),
            *_service_level(week.decision),
        ]
        for week in weeks
    ]
    return Table("The last 8 weeks", WEEK_COLUMNS, rows)


def reviewer_table(reviewers):
    """Return a table with a row per reviewer."""
    rows = [[_name(one.user), figure(one.decided), figure(one.claimed)] for one in reviewers]
    return Table("Who worked in the last 7 days", REVIEWER_COLUMNS, rows, nothing="No one.")


def denial_table(counts):
    """Return a table with a row per reason of denial."""
    rows = [[reason.label, figure(count)] for reason, count in counts]
    return Table("Reasons of denials in the last 8 weeks", DENIAL_COLUMNS, rows, nothing="None.")


def _name(user):
    return (user.get_full_name() or user.email) if user else "The sandbox"


def _service_level(level):
    if level.median is None:
        return [figure("-"), figure("-")]
    return [figure(f"{level.in_time_percent}%"), figure(span(level.median))]
