"""Let the queues find what was there before, by filters and by staff from an index."""

from datetime import timedelta

from django.db import migrations, models
from django.db.models import F

DECIDED = ["APPROVED", "APPROVED_TEMPORARY", "DENIED"]
PROMISE = timedelta(hours=2)


def begin_clocks(apps, _schema_editor):
    """Start the clock of reviews under way when they began; date decisions."""
    moved = F("status_changed_at")
    applications = apps.get_model("onboarding", "Application").objects
    waiting = applications.filter(status="IN_REVIEW", review_began_at=None)
    waiting.update(review_began_at=moved, due_at=moved + PROMISE)
    applications.filter(status__in=DECIDED, decided_at=None).update(decided_at=moved)


class Migration(migrations.Migration):

    dependencies = [
        ('onboarding', '0012_roles'),
    ]

    operations = [
        migrations.RunPython(begin_clocks, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='event',
            index=models.Index(condition=models.Q(('role', 'REVIEWER')), fields=['occurred_at'], name='event_of_staff'),
        ),
        migrations.AddIndex(
            model_name='lead',
            index=models.Index(fields=['partner', 'business_type', 'id'], name='lead_filtered'),
        ),
    ]
