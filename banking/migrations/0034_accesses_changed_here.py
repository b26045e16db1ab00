from django.db import migrations, models
from uuid_utils.compat import uuid7

MODELS = ["accountant", "clientaccess"]


def draw_ids(apps, _schema_editor):
    for name in MODELS:
        model = apps.get_model("banking", name)
        for pk in model.objects.values_list("pk", flat=True).iterator():
            model.objects.filter(pk=pk).update(external_id=uuid7())


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0033_accesses_of_firms'),
    ]

    operations = [
        migrations.AddField(
            model_name='clientaccess',
            name='ended_here',
            field=models.BooleanField(db_default=False, default=False, help_text='The owner ended it, or its last day: no line of the core connects it again.'),
        ),
        *(
            migrations.AddField(
                model_name=name,
                name='external_id',
                field=models.UUIDField(editable=False, null=True),
            )
            for name in MODELS
        ),
        migrations.RunPython(draw_ids, migrations.RunPython.noop),
        *(
            migrations.AlterField(
                model_name=name,
                name='external_id',
                field=models.UUIDField(default=uuid7, editable=False, unique=True),
            )
            for name in MODELS
        ),
    ]
