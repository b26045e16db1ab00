import banking.numbers
import foundation.privacy.fields
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0019_creators_and_staff_events'),
    ]

    operations = [
        migrations.AlterField(
            model_name='deployment',
            name='canary',
            field=foundation.privacy.fields.EncryptedField(bound_to=('id',)),
        ),
        migrations.AlterField(
            model_name='payee',
            name='account_number',
            field=foundation.privacy.fields.EncryptedField(blank=True, bound_to=('supplier', 'method'), default=''),
        ),
        migrations.AlterField(
            model_name='payee',
            name='iban',
            field=foundation.privacy.fields.EncryptedField(blank=True, bound_to=('supplier', 'method'), default='', validators=[banking.numbers.validate_iban], verbose_name='IBAN'),
        ),
    ]
