"""Let auditors and administrators read batches of the record feed, waiting lines and bank keys."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
READING = [
    "banking.view_feedbatch",
    "banking.view_feedinboxline",
    "onboarding.view_bankkey",
]


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, and give them."""
    database = schema_editor.connection.alias
    for label in ("banking", "onboarding"):
        ROLES._make_permissions(apps, label, database)  # noqa: SLF001 - shared by migrations
    groups = apps.get_model("auth", "Group").objects.using(database)
    for group in groups.filter(name__in=["Auditor", "Administrator"]):
        found = [ROLES._find(apps, database, one) for one in READING]  # noqa: SLF001 - as above
        group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0031_bank_keys"), ("banking", "0021_record_feed")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
