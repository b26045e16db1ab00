"""Remove the index of due days: the index `application_urgency` has its column first."""

from django.db import migrations

from foundation.database.migration_operations import RemoveIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('onboarding', '0102_lists_by_urgency'),
    ]

    operations = [
        RemoveIndexConcurrently('application', 'application_due'),
    ]
