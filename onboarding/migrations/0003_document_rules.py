"""The checklist to start with; staff may edit it afterwards."""

from django.db import migrations

EIN_PROOF = ("EIN_PROOF", ["IRS_EIN_LETTER", "SS4_DOCUMENT"], "The IRS letter or form SS-4 with the EIN.")
ORGANIZATION = ("ARTICLES_OF_ORGANIZATION", ["ARTICLES_OF_ORGANIZATION"], "The articles of organization.")
OPERATING = ("OPERATING_AGREEMENT", ["OPERATING_AGREEMENT"], "The operating agreement.")
INCORPORATION = ("ARTICLES_OF_INCORPORATION", ["ARTICLES_OF_INCORPORATION"], "The articles of incorporation.")
PARTNERSHIP = ("SIGNED_PARTNERSHIP_AGREEMENT", ["SIGNED_PARTNERSHIP_AGREEMENT"], "The signed partnership agreement.")
IDENTIFICATION = ("GOVERNMENT_IDENTIFICATION", ["GOVERNMENT_IDENTIFICATION"], "A government identification of the owner.")
RULES = {
    "LLC": [ORGANIZATION, EIN_PROOF],
    "MMLLC": [ORGANIZATION, EIN_PROOF, OPERATING],
    "S_CORP": [INCORPORATION, EIN_PROOF],
    "C_CORP": [INCORPORATION, EIN_PROOF],
    "GENERAL_PARTNERSHIP": [PARTNERSHIP, EIN_PROOF],
    "LLP": [PARTNERSHIP, EIN_PROOF],
    "DBA": [IDENTIFICATION],
    "SSN": [IDENTIFICATION],
}


def add(apps, schema_editor):
    rule = apps.get_model("onboarding", "DocumentRule")
    rules = [
        rule(business_type=business_type, code=code, accepted_types=accepted, message=message)
        for business_type, slots in RULES.items()
        for code, accepted, message in slots
    ]
    rule.objects.bulk_create(rules, ignore_conflicts=True)  # a second time, it adds what is gone


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0002_rate_windows_unlogged")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
