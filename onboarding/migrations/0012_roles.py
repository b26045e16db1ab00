"""Make a group for each role of staff."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0011_risk_rules")]
    operations = []
