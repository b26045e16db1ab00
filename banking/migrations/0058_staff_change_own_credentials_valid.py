"""Check the staff events that were there."""

from django.db import migrations

from foundation.database.migration_operations import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0057_staff_change_own_credentials'),
    ]

    operations = [
        ValidateConstraint('staffevent', 'staffevent_type_known'),
    ]
