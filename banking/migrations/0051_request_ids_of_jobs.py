"""Keep the request id of who requested a job."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0050_known_types'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='request_id',
            field=models.CharField(editable=False, max_length=128, null=True),
        ),
    ]
