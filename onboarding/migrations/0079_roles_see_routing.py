"""Let the roles that see cases see the routing, and administrators change it."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
MODELS = ["absence", "routingrule", "team"]
VIEWING = ["Viewer", "Reviewer", "Approver", "Auditor", "Administrator"]
GIVEN = {name: [f"onboarding.view_{model}" for model in MODELS] for name in VIEWING}
GIVEN["Administrator"] += [
    f"onboarding.{action}_{model}" for action in ("add", "change", "delete") for model in MODELS
]


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, and give them."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "onboarding", database)  # noqa: SLF001 - shared by migrations
    groups = apps.get_model("auth", "Group").objects.using(database)
    for name, permissions in GIVEN.items():
        found = [ROLES._find(apps, database, one) for one in permissions]  # noqa: SLF001 - as above
        group, _ = groups.get_or_create(name=name)
        group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0078_routing")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
