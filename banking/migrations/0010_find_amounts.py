from django.db import migrations, models
from django.db.models.functions import Abs


class Migration(migrations.Migration):
    dependencies = [("banking", "0009_mend_checks")]

    operations = [
        migrations.AddIndex(
            model_name="transaction",
            index=models.Index(models.F("business"), Abs("amount_cents"), name="transaction_amount"),
        ),
    ]
