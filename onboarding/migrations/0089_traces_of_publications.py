"""Keep the trace context with publications."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0088_request_ids_of_publications'),
    ]

    operations = [
        migrations.AddField(
            model_name='publication',
            name='traceparent',
            field=models.CharField(editable=False, max_length=55, null=True),
        ),
    ]
