"""Prepare changes that owners ask for, and the mails about them.

The checks of outcomes and of mails go; the next migration adds them with the new values.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0090_limits_per_partner'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='mail',
            name='kind',
            field=models.CharField(choices=[('LINK', 'The way into the application'), ('CODE', 'Code to open the application'), ('SIGNING_CODE', 'Code to sign'), ('NUDGE', 'Unfinished application'), ('ENDING', 'Application ends soon'), ('EXPIRED', 'Application has ended'), ('WITHDRAWN', 'Application withdrawn'), ('SUBMITTED', 'Application received'), ('REMINDER', 'Reminder'), ('WANTED', 'Documents or proof of identity asked for'), ('APPROVED', 'Approved'), ('APPROVED_TEMPORARY', 'Approved for the time being'), ('TEMPORARY_ENDING', 'Temporary approval ends soon'), ('DENIED', 'Denied'), ('REOPENED', 'Reopened'), ('MESSAGE', 'Message from the bank'), ('INVITATION', 'Invitation to sign in'), ('OWNER_INVITATION', 'Invitation of another owner to sign in'), ('OWNER_ASKED', 'Owner asked for their own part'), ('OWNER_REMINDER', 'Reminder of an owner'), ('OWNER_LINK', "An owner's link"), ('OWNER_CODE', "Code to open an owner's part"), ('OWNER_SIGNED', "Owner's signature received"), ('OWNER_COMPLETED', 'Owner has completed their part'), ('CHANGE_MADE', 'Requested change made, to the owner who asked'), ('CHANGE_DENIED', 'Requested change denied, to the owner who asked'), ('SCREENING_HITS', 'New screening hits, to staff'), ('PROPOSAL_VOIDED', 'Proposal voided, to its proposer'), ('STAFF_NOTICE', 'Notice about a case, to staff'), ('KEY_EXPIRY', 'Access key expires'), ('WEBHOOK_FAILING', 'Webhook fails'), ('WEBHOOK_DISABLED', 'Webhook disabled')], max_length=20),
        ),
        migrations.AlterField(
            model_name='mail',
            name='user',
            field=models.ForeignKey(blank=True, help_text='The invited owner, who is not the applicant, the owner who asked for a change, or the member of staff.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='customercase',
            name='outcome',
            field=models.CharField(blank=True, choices=[('NO_CHANGE', 'No change'), ('RISK_CHANGED', 'Another risk'), ('RESTRICTED', 'Restrict the customer'), ('RESTRICTION_LIFTED', 'Lift the restriction'), ('EXIT', 'End the relationship'), ('CHANGE_APPROVED', 'Approve the change'), ('CHANGE_DENIED', 'Deny the change'), ('CUSTOMER_CLOSED', "The customer's accounts were closed"), ('WITHDRAWN', 'Withdrawn by the owner who asked')], max_length=18),
        ),
        migrations.AddField(
            model_name='customercase',
            name='language',
            field=models.CharField(blank=True, db_default='', default='', max_length=10),
        ),
        migrations.RemoveConstraint(
            model_name='customercase',
            name='customercase_outcome_known',
        ),
        migrations.RemoveConstraint(
            model_name='mail',
            name='mail_kind_known',
        ),
        migrations.RemoveConstraint(
            model_name='mail',
            name='mail_user_iff_to_a_user',
        ),
    ]
