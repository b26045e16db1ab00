"""Add alerts of hits of the records, assignees of customer cases, and shared searches."""

import django.db.models.deletion
import onboarding.validators
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    lint_exceptions = {
        "ban-drop-not-null": "CHANGELOG.md names what the release before does with such a row",
        "constraint-missing-not-valid": "notifications are kept for a while and are few",
        "adding-foreign-key-constraint": "notifications are kept for a while and are few",
    }

    dependencies = [
        ('onboarding', '0097_longer_language_codes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='mail',
            name='mail_about_an_application_a_key_or_a_webhook',
        ),
        migrations.AddField(
            model_name='customercase',
            name='assignee',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='assigned_customer_cases', to=settings.AUTH_USER_MODEL, verbose_name='assigned to'),
        ),
        migrations.AddField(
            model_name='messagetemplate',
            name='is_for_notes',
            field=models.BooleanField(db_default=False, default=False, help_text='Offered for notes and for reasons of decisions, and never sent.', verbose_name='for notes of staff'),
        ),
        migrations.AddField(
            model_name='notification',
            name='customer_case',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='notifications', to='onboarding.customercase'),
        ),
        migrations.AddField(
            model_name='notification',
            name='hit',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='notifications', to='onboarding.screeninghit'),
        ),
        migrations.AddField(
            model_name='savedqueue',
            name='is_shared',
            field=models.BooleanField(db_default=False, default=False, verbose_name='shared'),
        ),
        migrations.AddField(
            model_name='screeninghit',
            name='due_at',
            field=models.DateTimeField(blank=True, help_text="Of a hit of the bank's records, until it is judged; a case has its own.", null=True, verbose_name='due'),
        ),
        migrations.AlterField(
            model_name='messagetemplate',
            name='text_es',
            field=models.TextField(blank=True, max_length=2000, validators=[onboarding.validators.validate_placeholders], verbose_name='Spanish text'),
        ),
        migrations.AlterField(
            model_name='mutedmail',
            name='kind',
            field=models.CharField(choices=[('ASSIGNED', 'A case was assigned to you'), ('HANDED_OVER', 'A case was handed over to you'), ('ESCALATED', 'You were asked a question about a case'), ('ANSWERED', 'Your question about a case was answered'), ('MENTIONED', 'A note mentions you'), ('RETURNED', 'The applicant of your case has answered'), ('NEW_HIT', 'There are new screening hits'), ('PROPOSAL_VOIDED', 'Your proposal is void'), ('PROPOSAL_REFUSED', 'Your proposal was rejected'), ('PROPOSAL_CONFIRMED', 'Your proposal was confirmed'), ('DUE_SOON', 'Your case is due within two hours'), ('OVERDUE', 'Your case is overdue')], max_length=18),
        ),
        migrations.AlterField(
            model_name='notification',
            name='application',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='notifications', to='onboarding.application'),
        ),
        migrations.AlterField(
            model_name='notification',
            name='kind',
            field=models.CharField(choices=[('ASSIGNED', 'A case was assigned to you'), ('HANDED_OVER', 'A case was handed over to you'), ('ESCALATED', 'You were asked a question about a case'), ('ANSWERED', 'Your question about a case was answered'), ('MENTIONED', 'A note mentions you'), ('RETURNED', 'The applicant of your case has answered'), ('NEW_HIT', 'There are new screening hits'), ('PROPOSAL_VOIDED', 'Your proposal is void'), ('PROPOSAL_REFUSED', 'Your proposal was rejected'), ('PROPOSAL_CONFIRMED', 'Your proposal was confirmed'), ('DUE_SOON', 'Your case is due within two hours'), ('OVERDUE', 'Your case is overdue')], max_length=18),
        ),
    ]
