"""Rate windows are the bank's now; what was counted is forgotten."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0004_close_the_sets")]

    operations = [migrations.DeleteModel(name="RateWindow")]
