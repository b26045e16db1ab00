"""Who somebody is takes the place of whether they are staff."""

from django.db import migrations, models
from django.db.models import Q


def name_the_staff(apps, _schema_editor):
    User = apps.get_model("banking", "User")
    User.objects.filter(Q(is_staff=True) | Q(is_superuser=True)).update(user_type="STAFF")


def mark_the_staff(apps, _schema_editor):
    User = apps.get_model("banking", "User")
    User.objects.filter(user_type="STAFF").update(is_staff=True)


class Migration(migrations.Migration):
    dependencies = [("banking", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="user_type",
            field=models.CharField(
                choices=[
                    ("BUSINESS", "Business user"),
                    ("ACCOUNTANT", "Accountant"),
                    ("STAFF", "Bank staff"),
                ],
                default="BUSINESS",
                max_length=10,
            ),
        ),
        migrations.RunPython(name_the_staff, mark_the_staff),
        migrations.RemoveField(model_name="user", name="is_staff"),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=Q(user_type__in=["BUSINESS", "ACCOUNTANT", "STAFF"]),
                name="user_type_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=Q(is_superuser=False) | Q(user_type="STAFF"),
                name="user_superuser_is_staff",
            ),
        ),
    ]
