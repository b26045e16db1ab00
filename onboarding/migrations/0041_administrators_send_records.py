"""Let administrators issue bank keys and upload records; auditors see the uploads."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
GIVEN = {
    "Auditor": ["banking.view_feedupload"],
    "Administrator": [
        "banking.view_feedupload",
        "banking.add_feedupload",
        "banking.change_feedupload",
        "onboarding.add_bankkey",
        "onboarding.change_bankkey",
    ],
}


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, and give them."""
    database = schema_editor.connection.alias
    for label in ("banking", "onboarding"):
        ROLES._make_permissions(apps, label, database)  # noqa: SLF001 - shared by migrations
    groups = apps.get_model("auth", "Group").objects.using(database)
    for name, permissions in GIVEN.items():
        found = [ROLES._find(apps, database, one) for one in permissions]  # noqa: SLF001 - as above
        for group in groups.filter(name=name):
            group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0040_payment_events"), ("banking", "0027_feed_uploads")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
