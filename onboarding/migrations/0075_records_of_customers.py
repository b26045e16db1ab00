"""Make the records of customers who were approved before, and let roles see customers."""

import importlib
from calendar import monthrange
from itertools import islice

from django.db import migrations
from django.db.models import Max, Q
from django.utils import timezone

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
READING = ["onboarding.view_customer", "onboarding.view_customercase"]
GIVEN = {
    **dict.fromkeys(["Viewer", "Reviewer", "Approver", "Auditor", "Administrator"], READING),
    "Operations": READING[:1],
}
MONTHS = {"HIGH": 12, "MEDIUM": 24, "LOW": 36}
BATCH_SIZE = 500


def make_records(apps, schema_editor):
    """Make a record for each application with an account, closed if none of its accounts is open.

    The first review is due as long after the opening as the risk says.
    """
    database = schema_editor.connection.alias
    accounts = apps.get_model("banking", "Account").objects.using(database)
    customer = apps.get_model("onboarding", "Customer")
    applications = apps.get_model("onboarding", "Application").objects.using(database)
    opened = applications.filter(account__isnull=False, customer=None).select_related("account")
    rest = opened.order_by("pk").iterator()
    while rows := list(islice(rest, BATCH_SIZE)):
        businesses = [row.account.business_id for row in rows]
        of_them = accounts.filter(business__in=businesses)
        active = set(of_them.filter(~Q(status="CLOSED")).values_list("business", flat=True))
        ended = dict(of_them.values_list("business").annotate(Max("closed_at")))
        customer.objects.using(database).bulk_create(
            _record(customer, row, None if row.account.business_id in active else ended)
            for row in rows
        )


def _record(customer, application, ended):
    account = application.account
    risk, since = application.risk or "MEDIUM", account.opened_at
    made = customer(
        lead_id=application.lead_id,
        application=application,
        business_id=account.business_id,
        risk=risk,
        since=since,
        review_due_on=_after(since.date(), MONTHS[risk]),
    )
    if ended is not None:
        made.status, made.review_due_on = "CLOSED", None
        made.closed_at = ended.get(account.business_id) or timezone.now()
    return made


def _after(day, months):
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return day.replace(
        year=year, month=month + 1, day=min(day.day, monthrange(year, month + 1)[1])
    )


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, and give them."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "onboarding", database)  # noqa: SLF001 - shared by migrations
    groups = apps.get_model("auth", "Group").objects.using(database)
    for name, permissions in GIVEN.items():
        found = [ROLES._find(apps, database, one) for one in permissions]  # noqa: SLF001 - as above
        for group in groups.filter(name=name):
            group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [
        ("onboarding", "0074_customers"),
        ("banking", "0042_frozen_accounts_and_bank_operations"),
    ]
    operations = [
        migrations.RunPython(make_records, migrations.RunPython.noop),
        migrations.RunPython(add, migrations.RunPython.noop),
    ]
