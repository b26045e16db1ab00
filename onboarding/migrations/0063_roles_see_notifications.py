"""Let the roles that see cases see their own notifications."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
NAMES = ["Viewer", "Reviewer", "Approver", "Auditor", "Administrator"]


def add(apps, schema_editor):
    """Make the permission, which Django would make after the last migration, and give it."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "onboarding", database)  # noqa: SLF001 - shared by migrations
    groups = apps.get_model("auth", "Group").objects.using(database)
    view = ROLES._find(apps, database, "onboarding.view_notification")  # noqa: SLF001 - as above
    for name in NAMES:
        group, _ = groups.get_or_create(name=name)
        group.permissions.add(view)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0062_notifications")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
