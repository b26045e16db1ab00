"""Let administrators confirm proposed changes, and auditors read them."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
READING = ["banking.view_staffchange", "banking.view_staffevent"]
ADDED = {"Auditor": READING, "Administrator": [*READING, "banking.change_staffchange"]}


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, and give them."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "banking", database)  # noqa: SLF001 - shared by migrations
    groups = apps.get_model("auth", "Group").objects.using(database)
    for group in groups.filter(name__in=ADDED):
        found = [ROLES._find(apps, database, one) for one in ADDED[group.name]]  # noqa: SLF001 - as above
        group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [
        ("onboarding", "0026_code_waiver_contract"),
        ("banking", "0018_staff_changes"),
    ]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
