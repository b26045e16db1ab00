"""Holds that staff place have a category of their own."""

from django.db import migrations

HOLD = {"code": "HOLD", "category_type": "EXPENSE", "display_name": "Hold by the bank"}


def add(apps, _schema_editor):
    apps.get_model("banking", "Category").objects.create(**HOLD)


def remove(apps, _schema_editor):
    apps.get_model("banking", "Category").objects.filter(code=HOLD["code"]).delete()


class Migration(migrations.Migration):
    dependencies = [("banking", "0054_bill_by_status")]

    operations = [migrations.RunPython(add, remove)]
