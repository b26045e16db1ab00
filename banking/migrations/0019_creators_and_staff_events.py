from django.contrib.admin.models import LogEntry  # of admin's last migration, which needs banking's first
from django.db import migrations, models

TYPES = [
    ("FIRST_CREATED", "First administrator created"),
    ("SUPERUSER_CREATED", "Superuser created"),
    ("FACTOR_RESET", "Two-step verification reset"),
    ("ACCOUNT_CONFIRMED", "Account confirmed"),
    ("ACCESS_REMOVED", "Access removed"),
    ("PROPOSED", "Change proposed"),
    ("CONFIRMED", "Change confirmed"),
    ("REFUSED", "Change rejected"),
    ("WITHDRAWN", "Change withdrawn"),
    ("VOIDED", "Change voided"),
]
ADDITION = 1


def fill_creators(apps, _schema_editor):
    """Note the creators of staff accounts that are older than the column, as logged."""
    User = apps.get_model("banking", "User")
    added = LogEntry.objects.filter(
        action_flag=ADDITION, content_type__app_label="banking", content_type__model="user"
    )
    creators = dict(added.order_by("-pk").values_list("object_id", "user"))  # the first one counts
    for user in User.objects.filter(user_type="STAFF", created_by=None):
        creator = creators.get(str(user.pk))
        if creator not in {None, user.pk, user.confirmed_by_id}:
            User.objects.filter(pk=user.pk).update(created_by=creator)


class Migration(migrations.Migration):

    dependencies = [
        ("banking", "0018_staff_changes"),
    ]

    operations = [
        migrations.RunPython(fill_creators, migrations.RunPython.noop, elidable=True),
        migrations.RemoveConstraint(model_name="staffevent", name="staffevent_type_known"),
        migrations.AlterField(
            model_name="staffevent",
            name="type",
            field=models.CharField(choices=TYPES, max_length=20),
        ),
        migrations.AddConstraint(
            model_name="staffevent",
            constraint=models.CheckConstraint(
                condition=models.Q(("type__in", [name for name, _ in TYPES])),
                name="staffevent_type_known",
            ),
        ),
    ]
