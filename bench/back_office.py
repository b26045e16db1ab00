"""What the pages of the back office ask of the database: a part of `bench.growth`."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.test import Client

from bench.reports import Headline, Report

if TYPE_CHECKING:
    from banking.models import User

FOREWORD = """\
The back office with {applications:,} applications, {events:,} events, {customers:,} customers
and {mails:,} mails: {made:,} applications are made up, the others are copies with keys and
addresses of their own. Each page is read twice by somebody who may see everything, and the second
time counts. Lists stay below 20 statements and 300 ms; the page of a case is no list.
"""
CHIEF = "chief@example.com"
MAX_STATEMENTS, MAX_MILLISECONDS = 20, 300
MAX_STATEMENTS_OF_CASE = 30  # statements: it is no list
ONBOARDING = "/admin/onboarding/"
LIST = f"{ONBOARDING}application/"
PAGES = {
    "home": "/admin/",
    "report": f"{LIST}report/",
    "workload": f"{LIST}workload/",
    "customers": f"{ONBOARDING}customer/",
    "customers, search": f"{ONBOARDING}customer/?q=harbor",
    "customer cases": f"{ONBOARDING}customercase/",
    "screening hits": f"{ONBOARDING}screeninghit/",
    "quality checks": f"{ONBOARDING}qualitycheck/",
    "notifications": f"{ONBOARDING}notification/",
    "all": LIST,
    "all, page 150": f"{LIST}?p=150",
    "queue overdue": f"{LIST}?queue=overdue",
    "queue unassigned": f"{LIST}?queue=unassigned",
    "queue mine": f"{LIST}?queue=mine",
    "queue escalated": f"{LIST}?queue=escalated",
    "queue hits": f"{LIST}?queue=hits",
    "queue answered": f"{LIST}?queue=answered",
    "queue second approval": f"{LIST}?queue=second-approval",
    "queue awaiting applicant": f"{LIST}?queue=awaiting-applicant",
    "status approved": f"{LIST}?status=APPROVED",
    "risk high": f"{LIST}?risk__exact=HIGH",
    "in review for 3 days": f"{LIST}?waiting=3",
    "partner": f"{LIST}?lead__partner__id__exact=1",
    "business type": f"{LIST}?lead__business_type__exact=LLP",
    "unassigned LLCs": f"{LIST}?queue=unassigned&lead__business_type__exact=LLC",
    "by business": f"{LIST}?o=1",
    "search of a name": f"{LIST}?q=harbor+coffee",
    "search of nothing": f"{LIST}?q=zzzz",
    "search of an email": f"{LIST}?q={{email}}",
    "search of an id": f"{LIST}?q={{unique_id}}",
    "search of a customer": f"{LIST}?q={{external_id}}",
    "leads": f"{ONBOARDING}lead/",
    "leads, search": f"{ONBOARDING}lead/?q=harbor",
    "owners": f"{ONBOARDING}owner/",
    "owners, search": f"{ONBOARDING}owner/?q=ada",
    "documents": f"{ONBOARDING}document/",
    "mails": f"{ONBOARDING}mail/",
    "mails, search": f"{ONBOARDING}mail/?q={{email}}",
    "events": f"{ONBOARDING}event/",
    "events of a kind": f"{ONBOARDING}event/?type__exact=application.approved",
    "case": f"{LIST}{{case}}/change/",
}


@dataclass(frozen=True)
class Page:
    """What a page took of the database."""

    name: str
    statements: int
    milliseconds: float

    @property
    def is_good(self) -> bool:
        """Say whether it keeps within bounds."""
        most = MAX_STATEMENTS_OF_CASE if self.name == "case" else MAX_STATEMENTS
        return self.statements < most and self.milliseconds < MAX_MILLISECONDS


def report() -> Report:
    """Add customers, hits and mails to the applications of the database, and read the pages."""
    from bench import customer_rows
    from bench.applications import MADE_UP
    from bench.scale.tables import execute
    from onboarding.models import Application, Customer, Event, Mail

    client, user = chief()
    customer_rows.fill(user)
    execute("VACUUM ANALYZE")
    models = (Application, Event, Customer, Mail)
    there = {f"{model._meta.model_name}s": model.objects.count() for model in models}
    pages = measure(client)
    text = f"{FOREWORD.format(**there, made=MADE_UP)}\n{table(pages)}"
    return Report([headline(pages, there["applications"])], text)


def chief() -> tuple[Client, "User"]:
    """Return a browser of somebody who may see everything, and that user."""
    from banking.models import User

    client = Client()
    user = User.objects.filter(email=CHIEF).first() or User.objects.create_superuser(CHIEF)
    client.force_login(user)
    return client, user


def measure(client: Client) -> list[Page]:
    """Read each page twice; return what the second reading took."""
    from bench.explained import explain
    from onboarding.models import Application

    case = Application.objects.filter(due_at__isnull=False).select_related("lead")[100]
    lead = case.lead
    known = {"email": lead.email, "unique_id": lead.unique_id, "external_id": lead.external_id}
    pages = []
    for name, pattern in PAGES.items():
        path = pattern.format(case=case.pk, **known)
        client.get(path)
        asked = explain(lambda path=path: client.get(path))
        took = sum(statement.milliseconds for statement in asked)
        pages.append(Page(name, len(asked), took))
        sys.stderr.write(f"{name:26} {len(asked):3} statements {took:7.1f} ms\n")
    return pages


def headline(pages: Sequence[Page], applications: int) -> Headline:
    """Return the range of the lists, the page of a case left out."""
    lists = [page for page in pages if page.name != "case"]
    statements = [page.statements for page in lists]
    times = [page.milliseconds for page in lists]
    measured = f"{max(statements)} statements, {max(times):.0f} ms at most"
    goal = f"< {MAX_STATEMENTS} statements, < {MAX_MILLISECONDS} ms"
    is_met = all(page.is_good for page in lists)
    return Headline(f"back office, lists of {applications:,}", measured, goal, is_met)


def table(pages: Sequence[Page]) -> str:
    """Return the pages as a table; one that takes too much is marked."""
    lines = ["| page | statements | ms |", "|---|--:|--:|"]
    for page in pages:
        mark = "" if page.is_good else ", too much"
        lines.append(f"| {page.name} | {page.statements} | {page.milliseconds:.1f}{mark} |")
    return "\n".join([*lines, ""])
