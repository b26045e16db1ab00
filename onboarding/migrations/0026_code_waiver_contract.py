from django.db import migrations, models


def name_contracts(apps, _schema_editor):
    partners = apps.get_model("onboarding", "Partner").objects.filter(signs_without_code=True)
    partners.update(code_waiver_contract="a contract noted before its name was asked")


def keep_waivers(apps, _schema_editor):
    partners = apps.get_model("onboarding", "Partner").objects
    partners.exclude(code_waiver_contract="").update(signs_without_code=True)


class Migration(migrations.Migration):

    dependencies = [("onboarding", "0025_signed_answers")]

    operations = [
        migrations.AddField(
            model_name="partner",
            name="code_waiver_contract",
            field=models.CharField(
                blank=True,
                db_default="",
                help_text="Set, applicants sign in the partner's pages without a mailed code.",
                max_length=200,
                verbose_name="contract that waives the code",
            ),
        ),
        migrations.RunPython(name_contracts, keep_waivers),
        migrations.RemoveField(model_name="partner", name="signs_without_code"),
    ]
