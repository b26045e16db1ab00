"""Check what notifications and mails are about, for new rows."""

from django.db import migrations, models

from foundation.database.migration_operations import AddConstraintNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0098_alerts_assignees_and_shared_searches'),
    ]

    operations = [
        AddConstraintNotValid(
            model_name='mail',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('api_key', None), ('application', None), ('notification__isnull', False), ('webhook', None)), models.Q(('api_key', None), ('application__isnull', False), ('webhook', None)), models.Q(('api_key__isnull', False), ('application', None), ('webhook', None)), models.Q(('api_key', None), ('application', None), ('webhook__isnull', False)), _connector='OR'), name='mail_about_an_application_a_key_or_a_webhook'),
        ),
        AddConstraintNotValid(
            model_name='notification',
            constraint=models.CheckConstraint(condition=models.Q(('application__isnull', False), ('hit__isnull', False), _connector='XOR'), name='notification_about_an_application_or_a_hit'),
        ),
    ]
