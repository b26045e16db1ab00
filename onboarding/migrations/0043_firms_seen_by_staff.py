"""Let every role see the firms of accountants."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
NAMES = ["Viewer", "Reviewer", "Approver", "Auditor", "Administrator"]
GIVEN = ["banking.view_firm", "banking.view_firmdeparture"]


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, and give them."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "banking", database)  # noqa: SLF001 - shared by migrations
    found = [ROLES._find(apps, database, one) for one in GIVEN]  # noqa: SLF001 - as above
    for group in apps.get_model("auth", "Group").objects.using(database).filter(name__in=NAMES):
        group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0042_referrals"), ("banking", "0033_accesses_of_firms")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
