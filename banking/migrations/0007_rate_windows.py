"""Rate windows, out of PostgreSQL's write-ahead log: a crash may forget them."""

from django.db import migrations, models


def unlog(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE banking_ratewindow SET UNLOGGED")


class Migration(migrations.Migration):
    dependencies = [("banking", "0006_vacuum_often")]

    operations = [
        migrations.CreateModel(
            name="RateWindow",
            fields=[
                ("subject", models.CharField(max_length=120, primary_key=True, serialize=False)),
                ("count", models.PositiveIntegerField()),
                ("expires_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.RunPython(unlog, migrations.RunPython.noop),
    ]
