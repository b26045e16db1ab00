"""Partition the access log by month on PostgreSQL; the present table becomes the first partition.

The decision record 0107 (docs/decisions) says how long which lock is held.
"""

from datetime import UTC, datetime, timedelta

from django.db import migrations

from foundation.database.partitioning import Partitioning

TABLE, COLUMN = "mcp_server_accesslogentry", "at"
AHEAD = timedelta(days=365)


def partition(_apps, schema_editor):
    now = datetime.now(UTC)
    Partitioning(schema_editor.connection, TABLE, COLUMN).run(at=now, through=now + AHEAD)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("mcp_server", "0007_access_log_archives")]
    operations = [migrations.RunPython(partition, migrations.RunPython.noop)]
