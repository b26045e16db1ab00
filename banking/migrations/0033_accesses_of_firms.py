"""Each accountant has a firm, and each access is of one."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0032_firms_of_accountants'),
    ]

    operations = [
        migrations.AlterField(
            model_name='accountant',
            name='firm',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='people', to='banking.firm'),
        ),
        migrations.RemoveField(
            model_name='accountant',
            name='firm_name',
        ),
        migrations.AlterField(
            model_name='clientaccess',
            name='firm',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accesses', to='banking.firm'),
        ),
        migrations.RemoveConstraint(
            model_name='clientaccess',
            name='clientaccess_pair_unique',
        ),
        migrations.AddConstraint(
            model_name='clientaccess',
            constraint=models.UniqueConstraint(fields=('firm', 'business'), name='clientaccess_pair_unique'),
        ),
    ]
