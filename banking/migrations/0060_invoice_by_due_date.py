"""Index the invoices of a business by due date, as they are listed for a period."""

from django.db import migrations, models

from foundation.database.migration_operations import AddIndexConcurrently


class Migration(migrations.Migration):

    atomic = False
    dependencies = [
        ('banking', '0059_cards_and_suppliers_searched'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='invoice',
            index=models.Index(fields=['business', 'due_date'], name='invoice_by_due_date'),
        ),
    ]
