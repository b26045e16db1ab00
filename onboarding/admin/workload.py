"""Workload page: cases per member of staff and partner, and missed deadlines, each as CSV, too."""

from datetime import timedelta
from functools import partial

from django.http import Http404
from django.utils import timezone
from django.views.decorators.http import require_POST

from banking.models import User
from foundation.backoffice.cells import Column, Table, figure, minute, table_of
from foundation.backoffice.list_exports import export_table
from foundation.backoffice.lists import link_to_list, may_view
from foundation.backoffice.replica_reads import read_figures, read_page
from foundation.backoffice.screens import FactsAdmin, link_to
from onboarding.admin.clocks import case_clock_badge, clock_badge, span
from onboarding.admin.people import lead_name
from onboarding.admin.report import report_tables
from onboarding.admin.staff_names import name_of
from onboarding.models import Application, CustomerCase, Partner
from onboarding.queries import customer_workload, workload
from onboarding.queries.customer_workload import CaseLoad
from onboarding.queries.customers import CaseQueue

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
OF_CUSTOMERS = ["Open", "Overdue", "Closed", "Closed in time"]
WORKLOAD = {  # tables by their names in addresses
    *("people", "partners", "overdue", "late"),
    *("customer-people", "customer-partners", "customer-overdue", "customer-late"),
}
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
        tables = workload_tables(request, timezone.now()).items()
        return self.show_page(request, template, title="Workload and deadlines", tables=tables)

    def export_report(self, request, table):
        """Return a table of the workload or of the review report as CSV. Raises: Http404."""
        now = timezone.now()
        find = workload_tables if table in WORKLOAD else report_tables
        tables = read_figures(request, partial(find, request, now))
        if table not in tables:
            raise Http404
        return export_table(request, tables[table], name=table)


def workload_tables(request, now):
    """Return the tables of the workload by their names in URLs.

    Tables of customer cases are for users who may view such cases.
    """
    since = now - SINCE
    of_customers: tuple[list[CaseLoad], list[CaseLoad]] = ([], [])
    if has_customers := may_view(request, CustomerCase):
        of_customers = customer_workload.count_cases(since=since, at=now)
    measured = workload.measure_decided(since=since)
    people, partners = workload.count_cases(measured, since=since, at=now)
    late = [one for one in measured if one.is_late][: workload.MAX_BREACHES]
    names = (
        _names(User, [*people, *of_customers[0]], name_of),
        _names(Partner, [*partners, *of_customers[1]], lambda row: row.name),
    )
    tables = {
        "people": _table("By assignee", people, names[0], PERSON, "Nobody"),
        "partners": _table("By partner", partners, names[1], PARTNER, ""),
        "overdue": _overdue_table(workload.list_overdue(at=now), now),
        "late": _late_table(late),
    }
    return tables | (_customer_tables(of_customers, names, since, now) if has_customers else {})


def _customer_tables(loads, names, since, now):
    overdue = customer_workload.list_overdue(at=now)
    late = customer_workload.list_late(since=since)
    clocks = {"Late": lambda case: case_clock_badge(case, now)}
    title = "Customer cases"
    return {
        "customer-people": _case_table(
            f"{title} by assignee", loads[0], names[0], PERSON, "Nobody"
        ),
        "customer-partners": _case_table(
            f"{title} by partner", loads[1], names[1], f"customer__{PARTNER}", ""
        ),
        "customer-overdue": _breach_table(f"{title} overdue now", overdue, clocks),
        "customer-late": _breach_table(
            f"{title} closed late", late, {"Closed": lambda case: minute(case.closed_at)}
        ),
    }


def _case_table(title, loads, names, parameter, nobody):
    rows = [
        [
            link_to_list(
                CustomerCase,
                names.get(one.key, nobody),
                **{parameter: one.key or "nobody", "queue": CaseQueue.OPEN.value},
            ),
            figure(one.open),
            figure(one.overdue),
            figure(one.closed),
            _percent(one.in_time_percent),
        ]
        for one in loads
    ]
    columns = [Column(title.rpartition(" by ")[2].capitalize())]
    columns += [Column(label, is_amount=True) for label in OF_CUSTOMERS]
    return Table(title, columns, rows, nothing="No cases.")


def _breach_table(title, cases, more):
    cells = {
        "Business": lambda case: link_to(case, case.customer.business.legal_name),
        "Kind": lambda case: case.get_kind_display(),
        "Partner": lambda case: case.customer.lead.partner.name,
        "Assigned to": lambda case: name_of(case.assignee) if case.assignee else "Nobody",
        **more,
        "Was due": lambda case: minute(case.due_at),
    }
    return table_of(title, cases, cells, nothing="None.")


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
    """Return a link to the cases of a person or a partner; `key` is None for unassigned cases."""
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
