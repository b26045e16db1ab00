"""Workload page: cases per member of staff and partner, and missed deadlines, each as CSV, too."""

from datetime import timedelta
from functools import partial

from django.http import Http404
from django.utils import timezone
from django.views.decorators.http import require_POST

from banking.models import User
from foundation.backoffice.cells import Column, Table, figure, minute
from foundation.backoffice.list_exports import export_table
from foundation.backoffice.lists import link_to_list
from foundation.backoffice.replica_reads import read_figures, read_page
from foundation.backoffice.screens import FactsAdmin, link_to
from onboarding.admin.clocks import clock_badge, span
from onboarding.admin.people import lead_name
from onboarding.admin.report import report_tables
from onboarding.admin.staff_names import name_of
from onboarding.models import Application, Partner
from onboarding.queries import workload

SINCE = timedelta(days=28)
UNIT = "(business hours)"
NUMBERS = [
    "Open",
    "Overdue",
    "Decided",
    "First touch in time",
    f"Median first touch {UNIT}",
    "Decision in time",
    f"Median with the bank {UNIT}",
    "Returned",
]
WORKLOAD = {"people", "partners", "overdue", "late"}  # tables by their names in addresses
PERSON, PARTNER = "assignee", "lead__partner__id__exact"


class WorkloadPage(FactsAdmin):
    """Mixin of the screen of applications: the page `workload/`, and tables of reports as CSV."""

    def get_urls(self):
        may = self.has_view_permission
        tables = self.list_page(
            "workload/<slug:table>/",
            "table",
            self.export_report,
            is_allowed=may,
            guard=require_POST,
        )
        page = self.list_page("workload/", "workload", self.workload, is_allowed=may)
        return [page, tables, *super().get_urls()]

    def workload(self, request):
        """Show the workload and the missed deadlines."""
        return read_page(request, partial(self._workload, request))

    def _workload(self, request):
        template = "onboarding/application/workload"
        tables = workload_tables(timezone.now()).items()
        return self.show_page(request, template, title="Workload and deadlines", tables=tables)

    def export_report(self, request, table):
        """Return a table of a report as CSV."""
        now = timezone.now()
        find = workload_tables if table in WORKLOAD else partial(report_tables, request)
        tables = read_figures(request, partial(find, now))
        if table not in tables:
            raise Http404
        return export_table(request, tables[table], name=table)


def workload_tables(now):
    """Return the tables of the workload by their names in addresses."""
    since = now - SINCE
    measured = workload.measure_decided(since=since)
    people = workload.list_by_person(measured, since=since, at=now)
    partners = workload.list_by_partner(measured, since=since, at=now)
    late = [one for one in measured if one.is_late][: workload.MAX_BREACHES]
    names = _names(User, people, name_of), _names(Partner, partners, lambda row: row.name)
    return {
        "people": _table("By assignee", people, names[0], PERSON, "Nobody"),
        "partners": _table("By partner", partners, names[1], PARTNER, ""),
        "overdue": _overdue_table(workload.list_overdue(at=now), now),
        "late": _late_table(late),
    }


def _names(model, loads, name):
    found = model.objects.filter(pk__in=[one.key for one in loads if one.key])
    return {row.pk: name(row) for row in found}


def _table(title, loads, names, parameter, nobody):
    rows = [
        [
            _link(names.get(one.key, nobody), parameter, one.key),
            figure(one.open),
            figure(one.overdue),
            figure(one.decided),
            _percent(one.touched_in_time_percent),
            _span(one.first_touch),
            _percent(one.decided_in_time_percent),
            _span(one.with_bank),
            figure(one.returned),
        ]
        for one in loads
    ]
    columns = [Column(title.removeprefix("By ").capitalize())]
    columns += [Column(label, is_amount=True) for label in NUMBERS]
    return Table(title, columns, rows, nothing="No cases.")


def _link(name, parameter, key):
    """Return a link to the cases of a person or of a partner."""
    return link_to_list(Application, name, **{parameter: key or "nobody"})


def _overdue_table(applications, now):
    rows = [[*_about(one), clock_badge(one, now), minute(one.due_at)] for one in applications]
    columns = [*map(Column, ["Business", "Partner", "Assigned to", "Late", "Was due"])]
    return Table("Overdue now", columns, rows, nothing="Nothing is overdue.")


def _late_table(measured):
    rows = [
        [
            *_about(one.application),
            _span(one.touch),
            _span(one.decision),
            minute(one.application.decided_at),
        ]
        for one in measured
    ]
    labels = ["Business", "Partner", "Assigned to"]
    labels += [f"First touch {UNIT}", f"Decision {UNIT}", "Decided"]
    return Table("Decided late", [*map(Column, labels)], rows, nothing="None.")


def _about(application):
    assignee = application.assignee
    return [
        link_to(application, lead_name(application.lead)),
        application.lead.partner.name,
        name_of(assignee) if assignee else "Nobody",
    ]


def _percent(share):
    return figure("-" if share is None else f"{share}%")


def _span(passed):
    return figure("-" if passed is None else span(passed))
