"""Let the roles that see cases see the list of screening hits."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
NAMES = ["Viewer", "Reviewer", "Approver", "Auditor", "Administrator"]


def add(apps, schema_editor):
    """Make the permission, which Django would make after the last migration, and give it."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "onboarding", database)  # noqa: SLF001 - shared by migrations
    found = ROLES._find(apps, database, "onboarding.view_screeninghit")  # noqa: SLF001 - as above
    for group in apps.get_model("auth", "Group").objects.using(database).filter(name__in=NAMES):
        group.permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0081_parties_of_records")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
