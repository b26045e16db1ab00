"""Check outcomes of customer cases and kinds of mails anew, for new rows."""

from django.db import migrations, models

from foundation.database.migration_operations import AddConstraintNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0091_changes_by_owners'),
    ]

    operations = [
        AddConstraintNotValid(
            model_name='customercase',
            constraint=models.CheckConstraint(condition=models.Q(('outcome__in', ['', 'NO_CHANGE', 'RISK_CHANGED', 'RESTRICTED', 'RESTRICTION_LIFTED', 'EXIT', 'CHANGE_APPROVED', 'CHANGE_DENIED', 'CUSTOMER_CLOSED', 'WITHDRAWN'])), name='customercase_outcome_known'),
        ),
        AddConstraintNotValid(
            model_name='mail',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['LINK', 'CODE', 'SIGNING_CODE', 'NUDGE', 'ENDING', 'EXPIRED', 'WITHDRAWN', 'SUBMITTED', 'REMINDER', 'WANTED', 'APPROVED', 'APPROVED_TEMPORARY', 'TEMPORARY_ENDING', 'DENIED', 'REOPENED', 'MESSAGE', 'INVITATION', 'OWNER_INVITATION', 'OWNER_ASKED', 'OWNER_REMINDER', 'OWNER_LINK', 'OWNER_CODE', 'OWNER_SIGNED', 'OWNER_COMPLETED', 'CHANGE_MADE', 'CHANGE_DENIED', 'SCREENING_HITS', 'PROPOSAL_VOIDED', 'STAFF_NOTICE', 'KEY_EXPIRY', 'WEBHOOK_FAILING', 'WEBHOOK_DISABLED'])), name='mail_kind_known'),
        ),
        AddConstraintNotValid(
            model_name='mail',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['CHANGE_DENIED', 'CHANGE_MADE', 'OWNER_INVITATION', 'PROPOSAL_VOIDED', 'SCREENING_HITS', 'STAFF_NOTICE']), ('user', None), _connector='XOR'), name='mail_user_iff_to_a_user'),
        ),
    ]
