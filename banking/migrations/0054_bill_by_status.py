"""Index the bills of a status by due date, as they are listed and counted."""

from django.db import migrations, models

from foundation.database.migration_operations import AddIndexConcurrently


class Migration(migrations.Migration):

    atomic = False
    dependencies = [
        ('banking', '0053_time_zones_of_staff'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='bill',
            index=models.Index(
                fields=['business', 'status', 'due_date', 'id'], name='bill_by_status'
            ),
        ),
    ]
