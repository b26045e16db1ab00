from django.db import migrations, models
from django.db.models.functions import Now

MODELS = ["billattachment", "receiptfile"]


def wait_since_now(apps, _schema_editor):
    for name in MODELS:
        waiting = apps.get_model("banking", name).objects.filter(awaits_scan=True)
        waiting.update(awaits_scan_since=Now())


def wait(apps, _schema_editor):
    for name in MODELS:
        waiting = apps.get_model("banking", name).objects.exclude(awaits_scan_since=None)
        waiting.update(awaits_scan=True)


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0034_accesses_changed_here'),
    ]

    operations = [
        *(
            migrations.AddField(
                model_name=name,
                name='awaits_scan_since',
                field=models.DateTimeField(blank=True, editable=False, null=True),
            )
            for name in MODELS
        ),
        migrations.RunPython(wait_since_now, wait),
        *(migrations.RemoveField(model_name=name, name='awaits_scan') for name in MODELS),
        *(
            migrations.AddIndex(
                model_name=name,
                index=models.Index(condition=models.Q(('awaits_scan_since__isnull', False)), fields=['awaits_scan_since'], name=f'{name}_awaits_scan'),
            )
            for name in MODELS
        ),
        *(
            migrations.AddIndex(
                model_name=name,
                index=models.Index(condition=models.Q(('malware', ''), _negated=True), fields=['scanned_at'], name=f'{name}_malware'),
            )
            for name in MODELS
        ),
    ]
