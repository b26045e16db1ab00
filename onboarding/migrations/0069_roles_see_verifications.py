"""Let the roles that see cases see verifications and the state of their providers."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
NAMES = ["Viewer", "Reviewer", "Approver", "Auditor", "Administrator"]
SEEN = ["partnerverification", "verificationprovider", "verificationrequest"]


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, and give them."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "onboarding", database)  # noqa: SLF001 - shared by migrations
    groups = apps.get_model("auth", "Group").objects.using(database)
    found = [
        ROLES._find(apps, database, f"onboarding.view_{model}")  # noqa: SLF001 - as above
        for model in SEEN
    ]
    for group in groups.filter(name__in=NAMES):
        group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0068_verifications")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
