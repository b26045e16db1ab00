"""Passes over the parties of lists, and hits of parties of the records."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("banking", "0042_frozen_accounts_and_bank_operations"),
        ("onboarding", "0080_sent_copies"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ListPass',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('comparison', models.PositiveIntegerField()),
                ('source', models.CharField(blank=True, max_length=12)),
                ('last_id', models.BigIntegerField(default=0)),
                ('party_count', models.BigIntegerField(default=0, verbose_name='compared parties')),
                ('found_count', models.BigIntegerField(default=0, verbose_name='similar parties')),
                ('created_at', models.DateTimeField(verbose_name='created')),
                ('finished_at', models.DateTimeField(blank=True, null=True, verbose_name='finished')),
            ],
            options={
                'verbose_name_plural': 'list passes',
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='RecordCursor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('last_id', models.BigIntegerField()),
            ],
        ),
        migrations.AddField(
            model_name='application',
            name='needs_screening',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='A changed list has an entry like a party, or a changed entry of its hits.'),
        ),
        migrations.AddField(
            model_name='screeninghit',
            name='business',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='banking.business'),
        ),
        migrations.AddField(
            model_name='screeninghit',
            name='party_kind',
            field=models.CharField(choices=[('LEAD', 'Party of an application'), ('BUSINESS', 'Customer'), ('OWNER', 'Owner of a customer'), ('SUPPLIER', 'Supplier'), ('PAYEE', 'Payee'), ('ACCOUNTANT', 'Accountant'), ('FIRM', 'Firm of accountants')], db_default='LEAD', default='LEAD', max_length=10, verbose_name='party'),
        ),
        migrations.AddField(
            model_name='screeninghit',
            name='party_row',
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='screeninghit',
            name='lead',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='screening_hits', to='onboarding.lead'),
        ),
        migrations.AlterField(
            model_name='screeninghit',
            name='party_id',
            field=models.UUIDField(blank=True, null=True, verbose_name="party's id"),
        ),
        migrations.AddIndex(
            model_name='application',
            index=models.Index(condition=models.Q(('needs_screening', True)), fields=['id'], name='application_to_screen'),
        ),
        migrations.AddIndex(
            model_name='screeninghit',
            index=models.Index(fields=['list_code', 'entry_number'], name='screeninghit_entry'),
        ),
        migrations.AddIndex(
            model_name='screeninghit',
            index=models.Index(condition=models.Q(('is_current', True), models.Q(('status', 'FALSE_POSITIVE'), _negated=True), models.Q(('list_code', 'PEP'), ('status', 'CONFIRMED'), _negated=True)), fields=['-score', 'id'], name='screeninghit_queue'),
        ),
        migrations.AddIndex(
            model_name='screeninghit',
            index=models.Index(fields=['-found_at', '-id'], name='screeninghit_newest'),
        ),
        migrations.AddConstraint(
            model_name='screeninghit',
            constraint=models.UniqueConstraint(condition=models.Q(('party_row__isnull', False)), fields=('party_kind', 'party_row', 'list_code', 'entry_number'), name='screeninghit_record_pair_unique'),
        ),
        migrations.AddConstraint(
            model_name='screeninghit',
            constraint=models.CheckConstraint(condition=models.Q(('party_kind__in', ['LEAD', 'BUSINESS', 'OWNER', 'SUPPLIER', 'PAYEE', 'ACCOUNTANT', 'FIRM'])), name='screeninghit_party_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='screeninghit',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lead__isnull', False), ('party_id__isnull', False), ('party_kind', 'LEAD'), ('party_row', None)), models.Q(('lead', None), ('party_row__isnull', False), models.Q(('party_kind', 'LEAD'), _negated=True)), _connector='OR'), name='screeninghit_party_of_a_lead_or_of_records'),
        ),
        migrations.AddField(
            model_name='listpass',
            name='sanctions_list',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='onboarding.sanctionslist'),
        ),
        migrations.AddConstraint(
            model_name='recordcursor',
            constraint=models.CheckConstraint(condition=models.Q(('pk', 1)), name='recordcursor_is_one_row'),
        ),
        migrations.AddIndex(
            model_name='listpass',
            index=models.Index(condition=models.Q(('finished_at', None)), fields=['id'], name='listpass_open'),
        ),
    ]
