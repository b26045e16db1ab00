"""Make the access log append-only."""

from django.db import migrations

from foundation.database import append_only

TABLE = "mcp_server_accesslogentry"


def protect(_apps, schema_editor):
    append_only.protect(schema_editor.connection, TABLE)


def unprotect(_apps, schema_editor):
    append_only.unprotect(schema_editor.connection, TABLE)


class Migration(migrations.Migration):
    dependencies = [("mcp_server", "0001_initial")]
    operations = [migrations.RunPython(protect, unprotect)]
