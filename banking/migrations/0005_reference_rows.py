"""The rows that the bank starts with: categories, payment rules, its own accounts."""

from django.conf import settings
from django.db import migrations
from django.utils import timezone

INCOME = {
    "SALES": "Sales",
    "SERVICES": "Services",
    "INTEREST": "Interest",
    "REFUNDS": "Refunds received",
    "GRANTS": "Grants and subsidies",
    "OWNER_INVESTMENT": "Owner's investment",
    "TRANSFERS_IN": "Transfers between own accounts, in",
    "OTHER_INCOME": "Other income",
}
EXPENSE = {
    "ADVERTISING": "Advertising and marketing",
    "BANK_FEES": "Bank fees",
    "CASH_WITHDRAWAL": "Cash withdrawal",
    "CONTRACTORS": "Contractors",
    "EQUIPMENT": "Equipment",
    "INSURANCE": "Insurance",
    "INTEREST_PAID": "Interest paid",
    "INVENTORY": "Inventory and ingredients",
    "LEGAL_ACCOUNTING": "Legal and accounting",
    "MEALS": "Meals",
    "OFFICE_SUPPLIES": "Office supplies",
    "OWNER_DRAW": "Owner's draw",
    "PAYROLL": "Payroll",
    "RENT": "Rent",
    "REPAIRS": "Repairs and maintenance",
    "SHIPPING": "Shipping and postage",
    "SOFTWARE": "Software and subscriptions",
    "TAXES": "Taxes and licenses",
    "TELECOM": "Phone and internet",
    "TRANSFERS_OUT": "Transfers between own accounts, out",
    "TRAVEL": "Travel",
    "UTILITIES": "Utilities",
    "VEHICLE": "Vehicle and fuel",
    "OTHER_EXPENSE": "Other expenses",
}
# method: fee, limit per payment, limit per day (cents), business days, hour (UTC) of the cutoff
PAYMENT_RULES = {
    "ACH": (0, 10_000_000, 25_000_000, 2, 20),
    "WIRE_DOMESTIC": (2_000, 50_000_000, 100_000_000, 0, 19),
    "WIRE_INTERNATIONAL": (4_000, 25_000_000, 50_000_000, 2, 17),
    "CHECK": (150, 5_000_000, 10_000_000, 5, 20),
}
BANK_ACCOUNTS = {
    "CLEARING": ("Clearing", "100000000008"),
    "FEE_INCOME": ("Fee income", "100000000016"),
}


def add(apps, _schema_editor):
    Category = apps.get_model("banking", "Category")
    for kind, named in [("INCOME", INCOME), ("EXPENSE", EXPENSE)]:
        Category.objects.bulk_create(
            Category(code=code, display_name=name, category_type=kind)
            for code, name in named.items()
        )
    PaymentRule = apps.get_model("banking", "PaymentRule")
    for method, (fee, per_payment, daily, days, hour) in PAYMENT_RULES.items():
        PaymentRule.objects.create(
            method=method,
            fee_cents=fee,
            per_payment_limit_cents=per_payment,
            daily_limit_cents=daily,
            business_days=days,
            cutoff_hour=hour,
        )
    Account = apps.get_model("banking", "Account")
    for kind, (name, number) in BANK_ACCOUNTS.items():
        Account.objects.create(
            account_type=kind,
            name=name,
            account_number=number,
            routing_number=settings.BANK_ROUTING_NUMBER,
            opened_at=timezone.now(),
        )


def remove(apps, _schema_editor):
    for name in ["Category", "PaymentRule"]:
        apps.get_model("banking", name).objects.all().delete()
    apps.get_model("banking", "Account").objects.filter(business=None).delete()


class Migration(migrations.Migration):
    dependencies = [("banking", "0004_seal_postings")]

    operations = [migrations.RunPython(add, remove)]
