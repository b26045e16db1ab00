"""Give cases an assignee: at first, the person who has claimed the case."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models



def assign(apps, schema_editor):
    """Assign each claimed case to the person who claimed it."""
    applications = apps.get_model("onboarding", "Application").objects
    claimed = applications.using(schema_editor.connection.alias).exclude(claimed_by=None)
    claimed.update(assignee=models.F("claimed_by"))


class Migration(migrations.Migration):

    dependencies = [
        ("banking", "0042_frozen_accounts_and_bank_operations"),
        ("onboarding", "0059_comparison_of_names"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='application',
            name='assignee',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='assigned_cases', to=settings.AUTH_USER_MODEL, verbose_name='assigned to'),
        ),
        migrations.AddField(
            model_name='application',
            name='returned_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='answered'),
        ),
        migrations.AddIndex(
            model_name='application',
            index=models.Index(condition=models.Q(('assignee', None), _negated=True), fields=['assignee', 'status'], name='application_assignee'),
        ),
        migrations.RunPython(assign, migrations.RunPython.noop),
    ]
