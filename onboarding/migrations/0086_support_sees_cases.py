"""Let the role of support see what the other roles that see cases have come to see meanwhile."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
SEEN = [
    *("absence", "customer", "customercase", "decisionrule", "messagetemplate", "notification"),
    *("partnerverification", "policyversion", "routingrule", "screeninghit", "team"),
    *("verificationprovider", "verificationrequest"),
]


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, and give them."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "onboarding", database)  # noqa: SLF001 - shared by migrations
    found = [
        ROLES._find(apps, database, f"onboarding.view_{model}")  # noqa: SLF001 - as above
        for model in SEEN
    ]
    groups = apps.get_model("auth", "Group").objects.using(database)
    for group in groups.filter(name="Support"):
        group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0085_known_types")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
