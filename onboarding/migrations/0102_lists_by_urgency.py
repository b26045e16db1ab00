"""Index applications in the order of the lists of staff, and customer cases by their closing."""

from django.db import migrations, models

from foundation.database.migration_operations import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('onboarding', '0101_routing_by_any_language'),
    ]

    operations = [
        AddIndexConcurrently(
            'application',
            models.Index(fields=['due_at', 'id'], include=('is_current', 'status', 'assignee', 'claimed_by', 'claimed_until', 'lead', 'risk'), name='application_urgency'),
        ),
        AddIndexConcurrently(
            'customercase',
            models.Index(condition=models.Q(('closed_at', None), _negated=True), fields=['closed_at'], name='customercase_closed'),
        ),
    ]
