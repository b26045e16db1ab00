"""Let auditors and administrators read reconciliations with the core system."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
READING = "banking.view_reconciliation"


def add(apps, schema_editor):
    """Make the permission, which Django would make after the last migration, and give it."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "banking", database)  # noqa: SLF001 - shared by migrations
    groups = apps.get_model("auth", "Group").objects.using(database)
    for group in groups.filter(name__in=["Auditor", "Administrator"]):
        found = ROLES._find(apps, database, READING)  # noqa: SLF001 - as above
        group.permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [
        ("onboarding", "0032_roles_see_feeds"),
        ("banking", "0023_reconciliations"),
    ]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
