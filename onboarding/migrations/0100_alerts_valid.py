"""Check the notifications and mails that were there."""

from django.db import migrations

from foundation.database.migration_operations import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0099_alerts_known'),
    ]

    operations = [
        ValidateConstraint('mail', 'mail_about_an_application_a_key_or_a_webhook'),
        ValidateConstraint('notification', 'notification_about_an_application_or_a_hit'),
    ]
