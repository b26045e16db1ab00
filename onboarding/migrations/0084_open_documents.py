"""Give the permission to open documents to the roles that may; administrators may no longer."""

import importlib

from django.db import migrations

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
NAMES = ["Viewer", "Reviewer", "Approver", "Auditor"]


def add(apps, schema_editor):
    """Make the permission, which Django would make after the last migration, and give it."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "onboarding", database)  # noqa: SLF001 - shared by migrations
    found = ROLES._find(apps, database, "onboarding.open_document")  # noqa: SLF001 - as above
    for group in apps.get_model("auth", "Group").objects.using(database).filter(name__in=NAMES):
        group.permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0083_messages")]
    operations = [
        migrations.AlterModelOptions(
            name="document",
            options={
                "permissions": [
                    ("open_document", "Can open documents, with a reason outside of cases")
                ]
            },
        ),
        migrations.RunPython(add, migrations.RunPython.noop),
    ]
