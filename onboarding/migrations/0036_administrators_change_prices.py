"""Let administrators propose other prices of plans, and other fees and limits of payments."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
CHANGES = ["banking.change_paymentrule", "banking.change_plan"]


def add(apps, schema_editor):
    """Give the permissions."""
    database = schema_editor.connection.alias
    groups = apps.get_model("auth", "Group").objects.using(database)
    for group in groups.filter(name="Administrator"):
        found = [ROLES._find(apps, database, one) for one in CHANGES]  # noqa: SLF001 - shared by migrations
        group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0035_code_purposes"), ("banking", "0024_default_plan")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
