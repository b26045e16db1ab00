"""Give the table of risks the rules to begin with."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0010_reviews")]
    operations = []
