"""Index the deliveries that were given up, for the figure of the last 24 hours in `/status`."""

from django.db import migrations, models

from foundation.database.migration_operations import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('onboarding', '0093_changes_by_owners_valid'),
    ]

    operations = [
        AddIndexConcurrently(
            'delivery',
            models.Index(condition=models.Q(('status', 'FAILED')), fields=['finished_at'], name='delivery_given_up'),
        ),
    ]
