"""Take back what the opening of accounts made up, and record the facts that it left out."""

from django.db import migrations

from banking.us_states import STATES

FACTS = ["incorporation_date", "filing_status", "incorporation_state", "tax_state"]
READ = [  # without the personal numbers, whose encryption key may be lost
    "lead__duns",
    "lead__incorporation_state",
    "account__business__incorporation_state",
    "account__business__tax_state",
]


def repair(apps, _schema_editor):
    Application = apps.get_model("onboarding", "Application")
    opened = Application.objects.exclude(account=None).order_by("pk")
    related = opened.select_related("lead", "account__business").only(*READ)
    for application in related.iterator():
        lead, business = application.lead, application.account.business
        _empty_made_up_facts(lead, business)
        _record_address(apps.get_model("banking", "BusinessAddress"), business)
        _record_duns(apps.get_model("banking", "DunsRegistration"), lead, business)


def _empty_made_up_facts(lead, business):
    business.incorporation_date, business.filing_status = None, ""
    if lead.incorporation_state not in STATES and business.incorporation_state:
        business.tax_state, business.incorporation_state = business.incorporation_state, ""
    business.save(update_fields=FACTS)


def _record_address(addresses, business):
    known = {address.kind: address for address in addresses.objects.filter(business=business)}
    if "REGISTERED" in known and "OPERATIONAL" not in known:
        address = known["REGISTERED"]
        address.pk, address.kind = None, "OPERATIONAL"
        address.save(force_insert=True)


def _record_duns(registrations, lead, business):
    if lead.duns and not registrations.objects.filter(business=business).exists():
        registrations.objects.create(business=business, number=lead.duns, status="REPORTED")


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0016_labels_of_checks"), ("banking", "0015_facts_not_known")]

    operations = [migrations.RunPython(repair, migrations.RunPython.noop)]
