"""Queue indexes: filters of the list, and what staff did lately."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0012_roles'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='event',
            index=models.Index(condition=models.Q(('role', 'REVIEWER')), fields=['occurred_at'], name='event_of_staff'),
        ),
        migrations.AddIndex(
            model_name='lead',
            index=models.Index(fields=['partner', 'business_type', 'id'], name='lead_filtered'),
        ),
    ]
