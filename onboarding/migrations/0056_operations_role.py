"""Make the group of the clerks who propose and confirm bank operations."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
READING = ["banking.view_bankoperation"]
FIRMS = ["banking.view_firm", "banking.view_firmdeparture"]
GIVEN = {
    "Auditor": READING,
    "Administrator": READING,
    "Operations": [
        *ROLES.RECORDS,
        *FIRMS,
        *READING,
        "banking.add_bankoperation",
        "banking.change_bankoperation",
    ],
}


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, and give them."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "banking", database)  # noqa: SLF001 - shared by migrations
    groups = apps.get_model("auth", "Group").objects.using(database)
    for name, permissions in GIVEN.items():
        found = [ROLES._find(apps, database, one) for one in permissions]  # noqa: SLF001 - as above
        group, _ = groups.get_or_create(name=name)
        group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [
        ("onboarding", "0055_document_rotation"),
        ("banking", "0042_frozen_accounts_and_bank_operations"),
    ]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
