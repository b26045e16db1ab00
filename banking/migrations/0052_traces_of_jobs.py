"""Keep the trace context of who requested a job."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0051_request_ids_of_jobs'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='traceparent',
            field=models.CharField(editable=False, max_length=55, null=True),
        ),
    ]
