"""A change of one's own password or second factor is a staff event."""

from django.db import migrations, models

from foundation.database.migration_operations import AddConstraintNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0056_keyed_digests_of_payees'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='staffevent',
            name='staffevent_type_known',
        ),
        migrations.AlterField(
            model_name='staffevent',
            name='type',
            field=models.CharField(choices=[('FIRST_CREATED', 'First administrator created'), ('SUPERUSER_CREATED', 'Superuser created'), ('FACTOR_RESET', 'Two-step verification reset'), ('CREDENTIALS_CHANGED', 'Own password or second factor changed'), ('ACCOUNT_CONFIRMED', 'Account confirmed'), ('ACCESS_REMOVED', 'Access removed'), ('RENAMED', 'Name changed'), ('INVITED_AGAIN', 'Invitation sent again'), ('AUDIT_EXPORTED', 'Audit of a person exported'), ('BANK_KEY', 'Bank key changed by a command'), ('PARTNER_KEY', "Partner's key changed by a command"), ('ROUTING_CHANGED', 'Routing of cases changed'), ('LIST_EXPORTED', 'List exported'), ('NUMBER_SEARCHED', 'Personal number searched'), ('PROPOSED', 'Change proposed'), ('CONFIRMED', 'Change confirmed'), ('REFUSED', 'Change rejected'), ('WITHDRAWN', 'Change withdrawn'), ('VOIDED', 'Change voided'), ('HIT_JUDGED', 'Screening hit judged')], max_length=20),
        ),
        AddConstraintNotValid(
            model_name='staffevent',
            constraint=models.CheckConstraint(condition=models.Q(('type__in', ['FIRST_CREATED', 'SUPERUSER_CREATED', 'FACTOR_RESET', 'CREDENTIALS_CHANGED', 'ACCOUNT_CONFIRMED', 'ACCESS_REMOVED', 'RENAMED', 'INVITED_AGAIN', 'AUDIT_EXPORTED', 'BANK_KEY', 'PARTNER_KEY', 'ROUTING_CHANGED', 'LIST_EXPORTED', 'NUMBER_SEARCHED', 'PROPOSED', 'CONFIRMED', 'REFUSED', 'WITHDRAWN', 'VOIDED', 'HIT_JUDGED'])), name='staffevent_type_known'),
        ),
    ]
