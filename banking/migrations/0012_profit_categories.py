"""Loan principal has categories of its own, and refunds received reduce expenses."""

from django.db import migrations

LOANS = {"LOAN_PROCEEDS": ("INCOME", "Loan proceeds"), "LOAN_PRINCIPAL": ("EXPENSE", "Loan principal")}


def add(apps, _schema_editor):
    Category = apps.get_model("banking", "Category")
    for code, (kind, name) in LOANS.items():
        Category.objects.create(code=code, category_type=kind, display_name=name)
    Category.objects.filter(code="REFUNDS").update(category_type="EXPENSE")


def remove(apps, _schema_editor):
    Category = apps.get_model("banking", "Category")
    Category.objects.filter(code__in=LOANS).delete()
    Category.objects.filter(code="REFUNDS").update(category_type="INCOME")


class Migration(migrations.Migration):
    dependencies = [("banking", "0011_amounts_covered")]

    operations = [migrations.RunPython(add, remove)]
