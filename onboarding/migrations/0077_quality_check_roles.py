"""Let approvers judge approvals a second time, and auditors and administrators see that."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
READING = ["onboarding.view_qualitycheck"]
GIVEN = {
    "Approver": [*READING, "onboarding.judge_qualitycheck"],
    "Auditor": READING,
    "Administrator": READING,
}


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, and give them."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "onboarding", database)  # noqa: SLF001 - shared by migrations
    groups = apps.get_model("auth", "Group").objects.using(database)
    for group in groups.filter(name__in=GIVEN):
        found = [ROLES._find(apps, database, one) for one in GIVEN[group.name]]  # noqa: SLF001 - as above
        group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0076_quality_checks")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
