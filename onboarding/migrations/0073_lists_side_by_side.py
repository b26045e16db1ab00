"""Lists of several sources side by side; entries with parsed facts."""

from django.db import migrations, models
from django.db.models import F


def confirm(apps, _schema_editor):
    """Take the day of the load for the day on which a list was last confirmed."""
    apps.get_model("onboarding", "SanctionsList").objects.update(confirmed_at=F("loaded_at"))


class Migration(migrations.Migration):

    dependencies = [
        ("onboarding", "0072_roles_see_the_policy"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='check',
            name='check_code_known',
        ),
        migrations.RemoveConstraint(
            model_name='sanctionslist',
            name='sanctionslist_one_current',
        ),
        migrations.RemoveIndex(
            model_name='screeninghit',
            name='screeninghit_open',
        ),
        migrations.AddField(
            model_name='sanctionsentry',
            name='digest',
            field=models.CharField(blank=True, editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name='sanctionsentry',
            name='facts',
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name='sanctionslist',
            name='added_count',
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name='added'),
        ),
        migrations.AddField(
            model_name='sanctionslist',
            name='changed_count',
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name='changed'),
        ),
        migrations.AddField(
            model_name='sanctionslist',
            name='code',
            field=models.CharField(choices=[('SDN', 'OFAC SDN'), ('CONS', 'OFAC consolidated'), ('UN', 'United Nations'), ('EU', 'European Union'), ('UK', 'United Kingdom'), ('PEP', 'Politically exposed persons')], default='SDN', max_length=4, verbose_name='list'),
        ),
        migrations.AddField(
            model_name='sanctionslist',
            name='confirmed_at',
            field=models.DateTimeField(null=True, verbose_name='last loaded or confirmed'),
        ),
        migrations.AddField(
            model_name='sanctionslist',
            name='published_on',
            field=models.DateField(blank=True, null=True, verbose_name='published'),
        ),
        migrations.AddField(
            model_name='sanctionslist',
            name='removed_count',
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name='removed'),
        ),
        migrations.AddField(
            model_name='screeninghit',
            name='reasons',
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.AlterField(
            model_name='check',
            name='code',
            field=models.CharField(choices=[('COMPLETENESS', 'Required answers'), ('AGES', 'Ages'), ('OWNERSHIP', 'Sum of the shares'), ('CONTROL_PERSON', 'Control person'), ('NAICS', 'Industry'), ('DOCUMENTS', 'Required documents'), ('DUPLICATE_SSN', 'SSN compared with other leads'), ('DUPLICATE_EIN', 'EIN compared with other leads'), ('DUPLICATE_DOCUMENT', 'Files compared with other leads'), ('SANCTIONS', 'Names compared with the sanctions lists'), ('PEP', 'Names compared with politically exposed persons'), ('IDENTITY_CONFIRMED', 'The people are who they say they are'), ('BUSINESS_REGISTERED', 'The business is registered and in good standing'), ('ADDRESS_CONFIRMED', 'The business works at its address'), ('ACTIVITY_PLAUSIBLE', 'What the business does is plausible'), ('SSN_SERIAL', 'Serial of the SSN')], max_length=24, verbose_name='check'),
        ),
        migrations.AlterField(
            model_name='sanctionslist',
            name='loaded_at',
            field=models.DateTimeField(verbose_name='loaded'),
        ),
        migrations.AlterField(
            model_name='screeninghit',
            name='list_code',
            field=models.CharField(choices=[('SDN', 'OFAC SDN'), ('CONS', 'OFAC consolidated'), ('UN', 'United Nations'), ('EU', 'European Union'), ('UK', 'United Kingdom'), ('PEP', 'Politically exposed persons')], default='SDN', max_length=32, verbose_name='list'),
        ),
        migrations.AddIndex(
            model_name='screeninghit',
            index=models.Index(condition=models.Q(('is_current', True), models.Q(('status', 'FALSE_POSITIVE'), _negated=True), models.Q(('list_code', 'PEP'), ('status', 'CONFIRMED'), _negated=True)), fields=['lead'], name='screeninghit_open'),
        ),
        migrations.AddConstraint(
            model_name='check',
            constraint=models.CheckConstraint(condition=models.Q(('code__in', ['COMPLETENESS', 'AGES', 'OWNERSHIP', 'CONTROL_PERSON', 'NAICS', 'DOCUMENTS', 'DUPLICATE_SSN', 'DUPLICATE_EIN', 'DUPLICATE_DOCUMENT', 'SANCTIONS', 'PEP', 'IDENTITY_CONFIRMED', 'BUSINESS_REGISTERED', 'ADDRESS_CONFIRMED', 'ACTIVITY_PLAUSIBLE', 'SSN_SERIAL'])), name='check_code_known'),
        ),
        migrations.AddConstraint(
            model_name='sanctionslist',
            constraint=models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('code',), name='sanctionslist_one_current'),
        ),
        migrations.AddConstraint(
            model_name='sanctionslist',
            constraint=models.CheckConstraint(condition=models.Q(('code__in', ['SDN', 'CONS', 'UN', 'EU', 'UK', 'PEP'])), name='sanctionslist_code_known'),
        ),
        migrations.RunPython(confirm, migrations.RunPython.noop),
    ]
