"""Keep the time zone in which the back office shows times to a member of staff."""

from django.db import migrations, models

import foundation.times


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0052_traces_of_jobs'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='time_zone',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='Of staff: in which the back office shows times. Empty: STAFF_TIME_ZONE.', max_length=50, validators=[foundation.times.validate_zone]),
        ),
    ]
