"""Check the customer cases and mails that were there."""

from django.db import migrations

from foundation.database.migration_operations import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0092_changes_by_owners_known'),
    ]

    operations = [
        ValidateConstraint('customercase', 'customercase_outcome_known'),
        ValidateConstraint('mail', 'mail_kind_known'),
        ValidateConstraint('mail', 'mail_user_iff_to_a_user'),
    ]
