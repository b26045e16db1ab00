"""Firms of accountants, yet without the people and the accesses that there are."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0029_staff_events_of_names_and_bank_keys'),
    ]

    operations = [
        migrations.CreateModel(
            name='Firm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=255)),
                ('core_id', models.CharField(blank=True, help_text='The id by which the record feed names it.', max_length=100)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('core_id', ''), _negated=True), fields=('core_id',), name='firm_core_id_unique')],
            },
        ),
        migrations.AddField(
            model_name='accountant',
            name='firm',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='people', to='banking.firm'),
        ),
        migrations.AddField(
            model_name='accountant',
            name='is_manager',
            field=models.BooleanField(default=False, help_text='Invites and removes people of the firm.', verbose_name='manager'),
        ),
        migrations.AddField(
            model_name='accountant',
            name='invitation',
            field=models.ForeignKey(blank=True, help_text="The firm's, by which the person joined.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='banking.accountantinvitation'),
        ),
        migrations.AddField(
            model_name='accountant',
            name='terms_accepted_at',
            field=models.DateTimeField(blank=True, help_text='When the person accepted the terms in force; nothing is read before.', null=True),
        ),
        migrations.AddField(
            model_name='clientaccess',
            name='firm',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='accesses', to='banking.firm'),
        ),
        migrations.AlterField(
            model_name='clientaccess',
            name='accountant',
            field=models.ForeignKey(help_text='The person whom the owner invited or the core named, who may have left.', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='banking.accountant'),
        ),
        migrations.CreateModel(
            name='FirmDeparture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('removed_at', models.DateTimeField()),
                ('accountant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='banking.accountant')),
                ('firm', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='departures', to='banking.firm')),
                ('removed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddField(
            model_name='accountantinvitation',
            name='firm',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to='banking.firm'),
        ),
        migrations.AlterField(
            model_name='accountantinvitation',
            name='business',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='accountant_invitations', to='banking.business'),
        ),
        migrations.AlterField(
            model_name='accountantinvitation',
            name='level',
            field=models.CharField(blank=True, choices=[('FULL', 'Everything'), ('READ_ONLY', 'Everything, nothing to be changed'), ('STATEMENTS_ONLY', 'Statements only')], max_length=16),
        ),
        migrations.RemoveConstraint(
            model_name='accountantinvitation',
            name='accountantinvitation_level_known',
        ),
        migrations.AddConstraint(
            model_name='accountantinvitation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('business__isnull', False), ('firm', None), ('level__in', ['FULL', 'READ_ONLY', 'STATEMENTS_ONLY'])), models.Q(('business', None), ('ends_at', None), ('firm__isnull', False), ('level', '')), _connector='OR'), name='accountantinvitation_of_business_or_firm'),
        ),
        migrations.AddConstraint(
            model_name='accountantinvitation',
            constraint=models.UniqueConstraint(condition=models.Q(('accepted_at', None), ('withdrawn_at', None)), fields=('firm', 'email'), name='accountantinvitation_one_of_firm'),
        ),
    ]
