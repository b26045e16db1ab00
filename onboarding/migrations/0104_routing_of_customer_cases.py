"""Let routing rules be about reviews and requested changes of customers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    lint_exceptions = {
        "changing-column-type": "a longer varchar rewrites no row, and no code reads its length",
        "constraint-missing-not-valid": "the table of rules has few rows",
    }

    dependencies = [
        ('onboarding', '0103_application_due_removed'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='routingrule',
            name='routingrule_work_known',
        ),
        migrations.AlterField(
            model_name='routingrule',
            name='work',
            field=models.CharField(blank=True, choices=[('CASE', 'Case ready for review'), ('HIT', 'New screening hit of a customer'), ('REVIEW', 'Review of a customer'), ('CHANGE', 'Requested change of a customer')], help_text='Empty: every kind of work.', max_length=6),
        ),
        migrations.AddConstraint(
            model_name='routingrule',
            constraint=models.CheckConstraint(condition=models.Q(('work__in', ['', 'CASE', 'HIT', 'REVIEW', 'CHANGE'])), name='routingrule_work_known'),
        ),
    ]
