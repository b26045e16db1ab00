"""The index of amounts holds what filters ask: once vacuumed, it alone is read for a count."""

from django.db import migrations, models
from django.db.models import F
from django.db.models.functions import Abs


class Migration(migrations.Migration):
    dependencies = [("banking", "0010_account_end_date")]

    operations = [
        migrations.AddIndex(
            model_name="transaction",
            index=models.Index(
                F("business"),
                Abs("amount_cents"),
                include=[
                    "amount_cents",
                    "occurred_at",
                    "transaction_type",
                    "status",
                    "category",
                    "account",
                    "is_business",
                ],
                name="transaction_amounts",
            ),
        ),
        migrations.RemoveIndex(  # last: nobody can read the table from here to the commit
            model_name="transaction", name="transaction_amount"
        ),
    ]
