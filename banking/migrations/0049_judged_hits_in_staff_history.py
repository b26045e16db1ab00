"""The judgement of a screening hit of the records is a staff event."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("banking", "0048_routing"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='staffevent',
            name='staffevent_type_known',
        ),
        migrations.AlterField(
            model_name='staffevent',
            name='type',
            field=models.CharField(choices=[('FIRST_CREATED', 'First administrator created'), ('SUPERUSER_CREATED', 'Superuser created'), ('FACTOR_RESET', 'Two-step verification reset'), ('ACCOUNT_CONFIRMED', 'Account confirmed'), ('ACCESS_REMOVED', 'Access removed'), ('RENAMED', 'Name changed'), ('BANK_KEY', 'Bank key changed by a command'), ('PARTNER_KEY', "Partner's key changed by a command"), ('PROPOSED', 'Change proposed'), ('CONFIRMED', 'Change confirmed'), ('REFUSED', 'Change rejected'), ('WITHDRAWN', 'Change withdrawn'), ('VOIDED', 'Change voided'), ('HIT_JUDGED', 'Screening hit judged')], max_length=20),
        ),
        migrations.AddConstraint(
            model_name='staffevent',
            constraint=models.CheckConstraint(condition=models.Q(('type__in', ['FIRST_CREATED', 'SUPERUSER_CREATED', 'FACTOR_RESET', 'ACCOUNT_CONFIRMED', 'ACCESS_REMOVED', 'RENAMED', 'BANK_KEY', 'PARTNER_KEY', 'PROPOSED', 'CONFIRMED', 'REFUSED', 'WITHDRAWN', 'VOIDED', 'HIT_JUDGED'])), name='staffevent_type_known'),
        ),
    ]
