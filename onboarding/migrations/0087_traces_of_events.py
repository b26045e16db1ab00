"""Keep the request id and the trace context with mails, and the trace context with events."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0086_support_sees_cases'),
    ]

    operations = [
        migrations.AddField(
            model_name='mail',
            name='request_id',
            field=models.CharField(editable=False, max_length=128, null=True),
        ),
        migrations.AddField(
            model_name='mail',
            name='traceparent',
            field=models.CharField(editable=False, max_length=55, null=True),
        ),
        migrations.AddField(
            model_name='event',
            name='traceparent',
            field=models.CharField(editable=False, max_length=55, null=True),
        ),
    ]
