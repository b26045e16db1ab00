"""Reviews: claims, checks, proposals, notes, the sanctions list and the table of risks."""

import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from foundation.database import append_only

REBUILT = "onboarding_event"  # by SQLite, whose triggers go with the old table
TABLES = [REBUILT, "onboarding_checkrun", "onboarding_check"]


def bare(_apps, schema_editor):
    append_only.unprotect(schema_editor.connection, REBUILT)


def protect_again(_apps, schema_editor):
    append_only.protect(schema_editor.connection, REBUILT)


def protect(_apps, schema_editor):
    for table in TABLES:
        append_only.protect(schema_editor.connection, table)


def unprotect(_apps, schema_editor):
    for table in TABLES:
        append_only.unprotect(schema_editor.connection, table)


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0010_account_end_date'),
        ('onboarding', '0009_webhooks_and_mails'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(bare, protect_again),
        migrations.CreateModel(
            name='Check',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, unique=True)),
                ('code', models.CharField(choices=[('COMPLETENESS', 'Everything required was answered'), ('AGES', 'Everybody is of age'), ('OWNERSHIP', 'Shares add up to no more than 100%'), ('CONTROL_PERSON', 'Somebody controls the business'), ('NAICS', 'The bank serves the industry'), ('DOCUMENTS', 'Every required document is there'), ('DUPLICATE_SSN', 'Nobody else has the SSN'), ('DUPLICATE_EIN', 'No other business has the EIN'), ('DUPLICATE_DOCUMENT', 'No other lead sent the same file'), ('SANCTIONS', 'Nobody is on the sanctions list'), ('IDENTITY_CONFIRMED', 'The people are who they say they are'), ('BUSINESS_REGISTERED', 'The business is registered and in good standing'), ('ADDRESS_CONFIRMED', 'The business works at its address'), ('ACTIVITY_PLAUSIBLE', 'What the business does is plausible'), ('SSN_SERIAL', "What the SSN's serial asks for")], max_length=24, verbose_name='check')),
                ('source', models.CharField(choices=[('BUILT_IN', 'Built-in rules'), ('MANUAL', 'Staff'), ('SANDBOX', 'Sandbox')], max_length=8)),
                ('result', models.CharField(choices=[('PASS', 'Passed'), ('WARN', 'Warned'), ('FAIL', 'Failed')], max_length=4)),
                ('ubo_id', models.UUIDField(blank=True, null=True, verbose_name='UBO id')),
                ('note', models.CharField(blank=True, max_length=500)),
                ('details', models.JSONField(blank=True, default=dict)),
                ('at', models.DateTimeField()),
            ],
            options={
                'ordering': ['run', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='CheckRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('cause', models.CharField(choices=[('SUBMITTED', 'The application was submitted'), ('ANSWERED', 'What was asked for came in'), ('LIST_LOADED', 'A new sanctions list was loaded'), ('STAFF', 'Staff asked for it')], max_length=12)),
                ('sanctions_list', models.CharField(blank=True, help_text='SHA-256 of the list that names were held against.', max_length=64)),
                ('at', models.DateTimeField()),
            ],
            options={
                'ordering': ['application', '-number'],
            },
        ),
        migrations.CreateModel(
            name='Note',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, unique=True)),
                ('is_for_applicant', models.BooleanField(default=False)),
                ('text', models.TextField()),
                ('at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='Proposal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, unique=True)),
                ('kind', models.CharField(choices=[('APPROVE', 'Approve'), ('APPROVE_TEMPORARILY', 'Approve for the time being'), ('DENY', 'Deny'), ('REOPEN', 'Reopen')], max_length=19)),
                ('status', models.CharField(choices=[('OPEN', 'Waits for a second person'), ('CONFIRMED', 'Confirmed'), ('REFUSED', 'Refused'), ('WITHDRAWN', 'Withdrawn'), ('VOIDED', 'Voided by a change')], default='OPEN', max_length=9)),
                ('reason_codes', models.JSONField(blank=True, default=list)),
                ('internal_text', models.TextField(help_text='For staff and auditors only.', verbose_name='reason')),
                ('applicant_text', models.TextField(blank=True, verbose_name='what the applicant is told')),
                ('expiration_date', models.DateField(blank=True, null=True)),
                ('evidence_digest', models.CharField(max_length=64)),
                ('proposed_at', models.DateTimeField()),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('settled_note', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='RiskRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('factor', models.CharField(choices=[('BUSINESS_TYPE', 'Business type'), ('NAICS', 'NAICS code that begins with'), ('COUNTRY', 'Country of an address, an ID or an owner'), ('OWNER_ABROAD', 'An owner lives outside the US'), ('CHECK', 'A check that warned or failed')], max_length=13)),
                ('value', models.CharField(help_text='What it applies to; * for any.', max_length=24)),
                ('points', models.PositiveSmallIntegerField(default=0)),
                ('is_prohibited', models.BooleanField(default=False, help_text='Businesses with this NAICS code are denied.')),
                ('reason', models.CharField(help_text='What staff read beside the rating.', max_length=200)),
            ],
            options={
                'ordering': ['factor', 'value'],
            },
        ),
        migrations.CreateModel(
            name='SanctionsEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('name', models.CharField(max_length=350)),
                ('kind', models.CharField(blank=True, help_text='individual, vessel, aircraft.', max_length=12)),
                ('programs', models.CharField(blank=True, max_length=200)),
                ('title', models.CharField(blank=True, max_length=200)),
                ('remarks', models.TextField(blank=True)),
                ('addresses', models.JSONField(blank=True, default=list)),
            ],
            options={
                'verbose_name_plural': 'sanctions entries',
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='SanctionsList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(help_text='Of the files, in their order.', max_length=64, verbose_name='SHA-256')),
                ('is_current', models.BooleanField(default=True)),
                ('entry_count', models.PositiveIntegerField()),
                ('name_count', models.PositiveIntegerField()),
                ('loaded_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='SanctionsName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=350)),
                ('normal', models.CharField(max_length=350)),
                ('is_alias', models.BooleanField(default=False)),
                ('is_weak', models.BooleanField(default=False, help_text='An alias that says little by itself.')),
            ],
        ),
        migrations.CreateModel(
            name='SavedQueue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('query', models.CharField(max_length=1000)),
            ],
            options={
                'ordering': ['name', 'pk'],
            },
        ),
        migrations.AlterModelOptions(
            name='application',
            options={'permissions': [('review_application', 'Can claim cases, ask for what is missing and write notes'), ('decide_application', 'Can propose decisions, and make those that need no second'), ('confirm_application', 'Can be the second person of a decision'), ('reassign_application', 'Can hand cases of others on'), ('reveal_number', 'Can reveal personal numbers'), ('export_audit', 'Can export the audit of a lead')]},
        ),
        migrations.RemoveConstraint(
            model_name='event',
            name='event_type_known',
        ),
        migrations.RemoveConstraint(
            model_name='mail',
            name='mail_kind_known',
        ),
        migrations.AddField(
            model_name='application',
            name='applicant_text',
            field=models.TextField(blank=True, editable=False, help_text='What the applicant is told of a denial.'),
        ),
        migrations.AddField(
            model_name='application',
            name='claimed_by',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='claims', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='application',
            name='claimed_until',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='application',
            name='decided_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='application',
            name='due_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='promised until'),
        ),
        migrations.AddField(
            model_name='application',
            name='review_began_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='application',
            name='risk',
            field=models.CharField(blank=True, choices=[('LOW', 'Low'), ('MEDIUM', 'Medium'), ('HIGH', 'High')], editable=False, max_length=6),
        ),
        migrations.AddField(
            model_name='application',
            name='risk_points',
            field=models.PositiveSmallIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name='application',
            name='risk_reasons',
            field=models.JSONField(blank=True, default=list, editable=False),
        ),
        migrations.AddField(
            model_name='application',
            name='touched_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='first touched'),
        ),
        migrations.AddField(
            model_name='application',
            name='worst_result',
            field=models.CharField(blank=True, choices=[('PASS', 'Passed'), ('WARN', 'Warned'), ('FAIL', 'Failed')], editable=False, max_length=4),
        ),
        migrations.AddField(
            model_name='event',
            name='request_id',
            field=models.CharField(blank=True, help_text='Of the request that caused it.', max_length=64),
        ),
        migrations.AddField(
            model_name='lead',
            name='erased_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='Since then the personal data are gone.', null=True),
        ),
        migrations.AlterField(
            model_name='event',
            name='type',
            field=models.CharField(choices=[('application.created', 'Application created'), ('application.started', 'Applicant began'), ('application.submitted', 'Application submitted'), ('identity_verification.requested', 'Proof of identity asked for'), ('identity_verification.completed', 'Identity answered'), ('application.documents_required', 'Documents asked for'), ('document.received', 'Document received'), ('document.accepted', 'Document accepted'), ('document.rejected', 'Document rejected'), ('application.in_review', 'Review began'), ('application.approved', 'Approved'), ('application.approved_temporary', 'Approved for the time being'), ('account.opened', 'Account opened'), ('application.denied', 'Denied'), ('application.expired', 'Expired'), ('application.withdrawn', 'Withdrawn'), ('application.reopened', 'Reopened'), ('lead.changed', 'Data changed'), ('document.replaced', 'Document replaced'), ('link.replaced', 'Link replaced'), ('flow.entered', 'Applicant came in'), ('consent.given', 'Consent given'), ('application.reminded', 'Applicant reminded'), ('applicant.invited', 'Applicant invited to sign in'), ('lead.erased', 'Personal data erased'), ('checks.completed', 'Checks run'), ('check.ticked', 'Check ticked'), ('case.claimed', 'Case claimed'), ('case.released', 'Case released'), ('case.reassigned', 'Case handed to somebody else'), ('note.added', 'Note added'), ('decision.proposed', 'Decision proposed'), ('decision.withdrawn', 'Proposal withdrawn'), ('decision.refused', 'Proposal refused'), ('decision.voided', 'Proposal voided by a change'), ('document.opened', 'Document opened'), ('document.kind_changed', 'Kind of document changed'), ('number.revealed', 'Personal number revealed'), ('audit.exported', 'Audit exported')], max_length=40),
        ),
        migrations.AlterField(
            model_name='mail',
            name='kind',
            field=models.CharField(choices=[('LINK', 'The way into the application'), ('CODE', 'Code to come in'), ('REMINDER', 'Reminder'), ('WANTED', 'Documents or proof of identity asked for'), ('APPROVED', 'Approved'), ('APPROVED_TEMPORARY', 'Approved for the time being'), ('DENIED', 'Denied'), ('REOPENED', 'Reopened'), ('MESSAGE', 'Message from the bank'), ('INVITATION', 'Invitation to sign in'), ('KEY_EXPIRY', 'Access key expires')], max_length=20),
        ),
        migrations.AddIndex(
            model_name='application',
            index=models.Index(condition=models.Q(('due_at', None), _negated=True), fields=['due_at'], name='application_due'),
        ),
        migrations.AddIndex(
            model_name='application',
            index=models.Index(condition=models.Q(('claimed_by', None), _negated=True), fields=['claimed_by'], name='application_claimed'),
        ),
        migrations.AddIndex(
            model_name='application',
            index=models.Index(condition=models.Q(('decided_at', None), _negated=True), fields=['decided_at'], name='application_decided'),
        ),
        migrations.AddIndex(
            model_name='application',
            index=models.Index(fields=['created_at'], name='application_created'),
        ),
        migrations.AddIndex(
            model_name='application',
            index=models.Index(condition=models.Q(('submitted_at', None), _negated=True), fields=['submitted_at'], name='application_submitted'),
        ),
        migrations.AddConstraint(
            model_name='application',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('claimed_by', None), ('claimed_until', None)), models.Q(('claimed_by__isnull', False), ('claimed_until__isnull', False)), _connector='OR'), name='application_claimed_by_iff_until'),
        ),
        migrations.AddConstraint(
            model_name='application',
            constraint=models.CheckConstraint(condition=models.Q(('risk__in', ['', 'LOW', 'MEDIUM', 'HIGH'])), name='application_risk_known'),
        ),
        migrations.AddConstraint(
            model_name='application',
            constraint=models.CheckConstraint(condition=models.Q(('worst_result__in', ['', 'PASS', 'WARN', 'FAIL'])), name='application_worst_result_known'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.CheckConstraint(condition=models.Q(('type__in', ['application.created', 'application.started', 'application.submitted', 'identity_verification.requested', 'identity_verification.completed', 'application.documents_required', 'document.received', 'document.accepted', 'document.rejected', 'application.in_review', 'application.approved', 'application.approved_temporary', 'account.opened', 'application.denied', 'application.expired', 'application.withdrawn', 'application.reopened', 'lead.changed', 'document.replaced', 'link.replaced', 'flow.entered', 'consent.given', 'application.reminded', 'applicant.invited', 'lead.erased', 'checks.completed', 'check.ticked', 'case.claimed', 'case.released', 'case.reassigned', 'note.added', 'decision.proposed', 'decision.withdrawn', 'decision.refused', 'decision.voided', 'document.opened', 'document.kind_changed', 'number.revealed', 'audit.exported'])), name='event_type_known'),
        ),
        migrations.AddConstraint(
            model_name='mail',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['LINK', 'CODE', 'REMINDER', 'WANTED', 'APPROVED', 'APPROVED_TEMPORARY', 'DENIED', 'REOPENED', 'MESSAGE', 'INVITATION', 'KEY_EXPIRY'])), name='mail_kind_known'),
        ),
        migrations.AddField(
            model_name='check',
            name='by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='checkrun',
            name='application',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='check_runs', to='onboarding.application'),
        ),
        migrations.AddField(
            model_name='check',
            name='run',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='checks', to='onboarding.checkrun'),
        ),
        migrations.AddField(
            model_name='note',
            name='application',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='notes', to='onboarding.application'),
        ),
        migrations.AddField(
            model_name='note',
            name='by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='proposal',
            name='application',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='onboarding.application'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='proposed_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='proposal',
            name='settled_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='riskrule',
            constraint=models.UniqueConstraint(fields=('factor', 'value'), name='riskrule_value_unique'),
        ),
        migrations.AddConstraint(
            model_name='riskrule',
            constraint=models.CheckConstraint(condition=models.Q(('factor__in', ['BUSINESS_TYPE', 'NAICS', 'COUNTRY', 'OWNER_ABROAD', 'CHECK'])), name='riskrule_factor_known'),
        ),
        migrations.AddConstraint(
            model_name='riskrule',
            constraint=models.CheckConstraint(condition=models.Q(('is_prohibited', False), ('factor', 'NAICS'), _connector='OR'), name='riskrule_prohibits_naics_codes_only'),
        ),
        migrations.AddConstraint(
            model_name='sanctionslist',
            constraint=models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('is_current',), name='sanctionslist_one_current'),
        ),
        migrations.AddField(
            model_name='sanctionsentry',
            name='sanctions_list',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='onboarding.sanctionslist'),
        ),
        migrations.AddField(
            model_name='sanctionsname',
            name='entry',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='names', to='onboarding.sanctionsentry'),
        ),
        migrations.AddField(
            model_name='savedqueue',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='saved_queues', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='checkrun',
            constraint=models.UniqueConstraint(fields=('application', 'number'), name='checkrun_number_unique'),
        ),
        migrations.AddConstraint(
            model_name='checkrun',
            constraint=models.CheckConstraint(condition=models.Q(('cause__in', ['SUBMITTED', 'ANSWERED', 'LIST_LOADED', 'STAFF'])), name='checkrun_cause_known'),
        ),
        migrations.AddConstraint(
            model_name='check',
            constraint=models.CheckConstraint(condition=models.Q(('code__in', ['COMPLETENESS', 'AGES', 'OWNERSHIP', 'CONTROL_PERSON', 'NAICS', 'DOCUMENTS', 'DUPLICATE_SSN', 'DUPLICATE_EIN', 'DUPLICATE_DOCUMENT', 'SANCTIONS', 'IDENTITY_CONFIRMED', 'BUSINESS_REGISTERED', 'ADDRESS_CONFIRMED', 'ACTIVITY_PLAUSIBLE', 'SSN_SERIAL'])), name='check_code_known'),
        ),
        migrations.AddConstraint(
            model_name='check',
            constraint=models.CheckConstraint(condition=models.Q(('source__in', ['BUILT_IN', 'MANUAL', 'SANDBOX'])), name='check_source_known'),
        ),
        migrations.AddConstraint(
            model_name='check',
            constraint=models.CheckConstraint(condition=models.Q(('result__in', ['PASS', 'WARN', 'FAIL'])), name='check_result_known'),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'OPEN')), fields=('application',), name='proposal_one_open'),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['APPROVE', 'APPROVE_TEMPORARILY', 'DENY', 'REOPEN'])), name='proposal_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['OPEN', 'CONFIRMED', 'REFUSED', 'WITHDRAWN', 'VOIDED'])), name='proposal_status_known'),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.CheckConstraint(condition=models.Q(('status', 'OPEN'), ('settled_at__isnull', False), _connector='XOR'), name='proposal_settled_at_iff_not_open'),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.CheckConstraint(condition=models.Q(('settled_by', models.F('proposed_by')), ('status', 'CONFIRMED'), _negated=True), name='proposal_never_confirmed_by_its_proposer'),
        ),
        migrations.AddConstraint(
            model_name='sanctionsentry',
            constraint=models.UniqueConstraint(fields=('sanctions_list', 'number'), name='sanctionsentry_number_unique'),
        ),
        migrations.AddConstraint(
            model_name='savedqueue',
            constraint=models.UniqueConstraint(fields=('user', 'name'), name='savedqueue_name_unique'),
        ),
        migrations.RunPython(protect, unprotect),
    ]
