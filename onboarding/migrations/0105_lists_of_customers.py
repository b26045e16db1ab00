"""Index customers and customer cases in the order of their lists."""

from django.db import migrations, models

from foundation.database.migration_operations import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('onboarding', '0104_routing_of_customer_cases'),
    ]

    operations = [
        AddIndexConcurrently(
            'customer',
            models.Index(fields=['-since', '-id'], name='customer_newest'),
        ),
        AddIndexConcurrently(
            'customercase',
            models.Index(fields=['-status', 'due_at', 'id'], name='customercase_queue'),
        ),
    ]
