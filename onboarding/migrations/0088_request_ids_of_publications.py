"""Keep the request id with publications."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0087_traces_of_events'),
    ]

    operations = [
        migrations.AddField(
            model_name='publication',
            name='request_id',
            field=models.CharField(editable=False, max_length=128, null=True),
        ),
    ]
