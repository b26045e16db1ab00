"""Quality report: approvals that a second person would not have made, by person and partner."""

from datetime import timedelta

from foundation.backoffice.cells import Column, Table, figure, minute
from foundation.backoffice.lists import may_view
from foundation.backoffice.screens import link_to
from onboarding.admin.people import lead_name
from onboarding.admin.staff_names import name_of
from onboarding.models import QualityCheck
from onboarding.queries import quality_checks

PERIOD = timedelta(days=90)
MOST = 50  # overturned approvals
LATELY = "in the last 90 days"
COUNTS = ["Judged again", "Would have denied", "Would have asked", "Overturned"]
OVERTURNED = ["Business", "Approved by", "Judged by", "Judgement", "Reason", "When"]
NOTHING = "No approval was judged a second time."


def quality_tables(request, now):
    """Return the tables by their names in URLs; none for users who may not view quality checks."""
    if not may_view(request, QualityCheck):
        return {}
    since = now - PERIOD
    overturned = quality_checks.list_overturned(since=since)[:MOST]
    people = quality_checks.list_rates_of_people(since=since)
    partners = quality_checks.list_rates_of_partners(since=since)
    return {
        "quality-people": _rates(f"Quality checks by person, {LATELY}", "Approved by", people),
        "quality-partners": _rates(f"Quality checks by partner, {LATELY}", "Partner", partners),
        "overturned": Table(
            f"Overturned approvals, {LATELY}",
            [Column(label) for label in OVERTURNED],
            [_overturned(row) for row in overturned],
            nothing="None.",
        ),
    }


def _rates(title, of, rates):
    columns = [Column(of), *(Column(label, is_amount=True) for label in COUNTS)]
    rows = [
        [
            one.name,
            figure(one.judged),
            figure(one.would_deny),
            figure(one.would_ask),
            figure(f"{one.overturned_percent}%"),
        ]
        for one in rates
    ]
    return Table(title, columns, rows, nothing=NOTHING)


def _overturned(row):
    return [
        link_to(row, lead_name(row.application.lead)),
        name_of(row.decided_by),
        name_of(row.judged_by),
        row.get_verdict_display(),
        row.reason,
        minute(row.judged_at),
    ]
