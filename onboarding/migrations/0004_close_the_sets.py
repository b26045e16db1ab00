"""Close the sets: no table takes a value that the contract has not; no list used the index."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0003_document_rules'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='lead',
            name='lead_updated_at',
        ),
        migrations.AddConstraint(
            model_name='application',
            constraint=models.CheckConstraint(condition=models.Q(('attempt__gte', 1)), name='application_attempt_positive'),
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['PENDING', 'RECEIVED', 'QUARANTINED', 'ACCEPTED', 'REJECTED'])), name='document_status_known'),
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.CheckConstraint(condition=models.Q(('llc_file_type__in', ['', 'IRS_EIN_LETTER', 'ARTICLES_OF_ORGANIZATION', 'LETTER_OF_REINSTATEMENT', 'GOVERNMENT_IDENTIFICATION', 'ARTICLES_OF_INCORPORATION', 'SIGNED_PARTNERSHIP_AGREEMENT', 'AMENDMENT_DOCUMENT', 'OPERATING_AGREEMENT', 'UTILITY_BILL', 'PASSPORT', 'SS4_DOCUMENT'])), name='document_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.CheckConstraint(condition=models.Q(('supplied_by__in', ['PARTNER', 'APPLICANT', 'REVIEWER'])), name='document_supplier_known'),
        ),
        migrations.AddConstraint(
            model_name='documentrule',
            constraint=models.CheckConstraint(condition=models.Q(('business_type__in', ['DBA', 'LLC', 'MMLLC', 'GENERAL_PARTNERSHIP', 'LLP', 'S_CORP', 'SSN', 'C_CORP'])), name='documentrule_business_type_known'),
        ),
        migrations.AddConstraint(
            model_name='documentrule',
            constraint=models.CheckConstraint(condition=models.Q(('accepted_types', []), _negated=True), name='documentrule_accepts_something'),
        ),
        migrations.AddConstraint(
            model_name='lead',
            constraint=models.CheckConstraint(condition=models.Q(('business_type__in', ['', 'DBA', 'LLC', 'MMLLC', 'GENERAL_PARTNERSHIP', 'LLP', 'S_CORP', 'SSN', 'C_CORP'])), name='lead_business_type_known'),
        ),
        migrations.AddConstraint(
            model_name='lead',
            constraint=models.CheckConstraint(condition=models.Q(('identity_status__in', ['PENDING', 'REQUESTED', 'VERIFIED', 'FAILED'])), name='lead_identity_status_known'),
        ),
        migrations.AddConstraint(
            model_name='owner',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ['', 'PARTNER', 'PARTNER_FULL_ACCESS'])), name='owner_role_known'),
        ),
        migrations.AddConstraint(
            model_name='owner',
            constraint=models.CheckConstraint(condition=models.Q(('identity_status__in', ['PENDING', 'REQUESTED', 'VERIFIED', 'FAILED'])), name='owner_identity_status_known'),
        ),
    ]
