"""Index the denials, whose reasons the report counts."""

from django.db import migrations, models

from foundation.database.migration_operations import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('onboarding', '0105_lists_of_customers'),
    ]

    operations = [
        AddIndexConcurrently(
            'event',
            models.Index(
                condition=models.Q(('type', 'application.denied')),
                fields=['occurred_at'],
                name='event_denied',
            ),
        ),
    ]
