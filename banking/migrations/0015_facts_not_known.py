"""Facts of a business that nobody gave may stay empty; a DUNS number may be a reported one."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0014_deployment'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='business',
            name='business_filing_status_known',
        ),
        migrations.RemoveConstraint(
            model_name='businessowner',
            name='businessowner_ownership_percent_0_to_100',
        ),
        migrations.RemoveConstraint(
            model_name='dunsregistration',
            name='dunsregistration_number_iff_registered',
        ),
        migrations.RemoveConstraint(
            model_name='dunsregistration',
            name='dunsregistration_number_unique',
        ),
        migrations.AddField(
            model_name='business',
            name='tax_state',
            field=models.CharField(blank=True, help_text='Where it is not the state of incorporation.', max_length=2),
        ),
        migrations.AlterField(
            model_name='business',
            name='filing_status',
            field=models.CharField(blank=True, choices=[('SINGLE', 'Single'), ('JOINT', 'Married, filing jointly'), ('HEAD_OF_HOUSEHOLD', 'Head of household')], max_length=20),
        ),
        migrations.AlterField(
            model_name='business',
            name='incorporation_date',
            field=models.DateField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='business',
            name='incorporation_state',
            field=models.CharField(blank=True, max_length=2),
        ),
        migrations.AlterField(
            model_name='businessowner',
            name='ownership_percent',
            field=models.DecimalField(blank=True, decimal_places=2, max_digits=5, null=True),
        ),
        migrations.AlterField(
            model_name='dunsregistration',
            name='registered_name',
            field=models.CharField(blank=True, max_length=255),
        ),
        migrations.AlterField(
            model_name='dunsregistration',
            name='status',
            field=models.CharField(choices=[('PENDING', 'Applied for'), ('REPORTED', 'Reported, not confirmed'), ('REGISTERED', 'Registered')], max_length=12),
        ),
        migrations.AddConstraint(
            model_name='business',
            constraint=models.CheckConstraint(condition=models.Q(('filing_status__in', ['', 'SINGLE', 'JOINT', 'HEAD_OF_HOUSEHOLD'])), name='business_filing_status_known'),
        ),
        migrations.AddConstraint(
            model_name='businessowner',
            constraint=models.CheckConstraint(condition=models.Q(('ownership_percent', None), models.Q(('ownership_percent__gte', 0), ('ownership_percent__lte', 100)), _connector='OR'), name='businessowner_ownership_percent_0_to_100'),
        ),
        migrations.AddConstraint(
            model_name='dunsregistration',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('number__regex', '^[0-9]{9}$'), ('registered_date__isnull', False), ('status', 'REGISTERED')), models.Q(('number', ''), ('registered_date', None), ('status', 'PENDING')), models.Q(('number__regex', '^[0-9]{9}$'), ('registered_date', None), ('registered_name', ''), ('status', 'REPORTED')), _connector='OR'), name='dunsregistration_facts_match_status'),
        ),
        migrations.AddConstraint(
            model_name='dunsregistration',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'REGISTERED')), fields=('number',), name='dunsregistration_number_unique'),
        ),
    ]
