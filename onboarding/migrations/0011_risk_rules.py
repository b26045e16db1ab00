"""The table of risks to start with, which staff may edit afterwards; files are found by digest.

Source: NAICS 2022; FATF, high-risk jurisdictions and those under increased monitoring, October 2025.
"""

from django.db import migrations, models
from django.db.models import Q

CALLED_ON = ["IR", "KP", "MM"]
MONITORED = [
    *("AO", "BG", "BO", "CD", "CI", "CM", "DZ", "HT", "KE", "LA", "LB", "MC", "NA", "NP", "SS"),
    *("VE", "VG", "VN", "YE"),
]
EMBARGOED = ["BY", "CU", "RU", "SY"]
PROHIBITED = {
    "332992": "Ammunition.",
    "332993": "Ammunition.",
    "332994": "Weapons.",
    "7132": "Gambling.",
    "721120": "Casino hotels.",
}
INDUSTRIES = {
    "111419": (25, "Crops under cover, cannabis among them."),
    "423910": (25, "Wholesale of sporting goods, firearms among them."),
    "423940": (25, "Wholesale of jewels and precious metals."),
    "424940": (15, "Wholesale of tobacco."),
    "441120": (15, "Used cars."),
    "445131": (10, "Takes much cash."),
    "4453": (10, "Takes much cash."),
    "457": (10, "Takes much cash."),
    "458310": (20, "Jewels and precious metals."),
    "459110": (25, "Sporting goods, firearms among them."),
    "459510": (10, "Used goods."),
    "459991": (15, "Tobacco."),
    "459999": (25, "Other retail, cannabis among it."),
    "5222": (30, "Lends money without being a bank."),
    "5223": (30, "Moves or exchanges money."),
    "523": (25, "Deals in securities, commodities or digital assets."),
    "525": (20, "Funds and trusts."),
    "531": (10, "Real estate."),
    "7139": (10, "Takes much cash."),
    "7224": (15, "Takes much cash."),
    "7225": (10, "Takes much cash."),
    "811192": (15, "Takes much cash."),
    "8123": (15, "Takes much cash."),
    "812930": (15, "Takes much cash."),
    "813": (15, "Collects donations."),
}
BUSINESS_TYPES = {
    "DBA": (5, "No company of its own."),
    "GENERAL_PARTNERSHIP": (10, "The partners are in no register."),
    "SSN": (5, "No company of its own."),
}
CHECKS = {
    "AGES": (20, "Somebody's age stands out."),
    "CONTROL_PERSON": (10, "It is not clear who controls the business."),
    "DUPLICATE_DOCUMENT": (20, "Another lead sent the same file."),
    "DUPLICATE_EIN": (30, "Another lead has the EIN."),
    "DUPLICATE_SSN": (30, "Another lead has the SSN."),
    "NAICS": (20, "The industry is not clear, or refused."),
    "OWNERSHIP": (15, "The shares do not add up."),
    "SANCTIONS": (50, "A name is like one on the sanctions list."),
}


def list_rules():
    """Yield factor, value, points, whether it is prohibited, and reason."""
    for value, reason in PROHIBITED.items():
        yield "NAICS", value, 50, True, reason
    for factor, rules in (("NAICS", INDUSTRIES), ("BUSINESS_TYPE", BUSINESS_TYPES), ("CHECK", CHECKS)):
        for value, (points, reason) in rules.items():
            yield factor, value, points, False, reason
    for countries, points, reason in (
        (CALLED_ON, 50, "FATF calls for action against this country."),
        (EMBARGOED, 50, "The US embargoes this country, or parts of it."),
        (MONITORED, 25, "FATF monitors this country."),
        (["*"], 10, "Another country than the US."),
    ):
        for country in countries:
            yield "COUNTRY", country, points, False, reason
    yield "OWNER_ABROAD", "*", 10, False, "An owner lives outside the US."


def add(apps, schema_editor):
    rule = apps.get_model("onboarding", "RiskRule")
    names = ("factor", "value", "points", "is_prohibited", "reason")
    rules = [rule(**dict(zip(names, facts, strict=True))) for facts in list_rules()]
    rule.objects.bulk_create(rules, ignore_conflicts=True)  # a second time, it adds what is gone


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0010_reviews")]
    operations = [
        migrations.AddIndex(
            model_name="document",
            index=models.Index(
                name="document_sha256", fields=["sha256"], condition=~Q(sha256="")
            ),
        ),
        migrations.RunPython(add, migrations.RunPython.noop),
    ]
