"""Let rules be about each language of the settings; the form knows which ones there are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    lint_exceptions = {
        "changing-column-type": "a longer varchar rewrites no row, and no code reads its length"
    }

    dependencies = [
        ("onboarding", "0100_alerts_valid"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="routingrule",
            name="routingrule_language_known",
        ),
        migrations.AlterField(
            model_name="routingrule",
            name="language",
            field=models.CharField(
                blank=True, help_text="In which the applicant reads.", max_length=10
            ),
        ),
    ]
