"""Request ids of events as long as the ones that callers may send."""

from django.db import migrations, models

from foundation.database import append_only

REBUILT = "onboarding_event"  # by SQLite, whose triggers go with the old table


def bare(_apps, schema_editor):
    append_only.unprotect(schema_editor.connection, REBUILT)


def protect(_apps, schema_editor):
    append_only.protect(schema_editor.connection, REBUILT)


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0013_queue_indexes'),
    ]

    operations = [
        migrations.RunPython(bare, protect),
        migrations.AlterField(
            model_name='event',
            name='request_id',
            field=models.CharField(
                blank=True, help_text='Of the request that caused it.', max_length=128
            ),
        ),
        migrations.RunPython(protect, bare),
    ]
