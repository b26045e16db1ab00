from django.db import migrations, models


def keep_sign_ins(apps, schema_editor):
    """Give full access to the other owners who sign in already: they have seen everything."""
    owners = apps.get_model("banking", "BusinessOwner").objects.using(schema_editor.connection.alias)
    others = owners.exclude(role="PRIMARY_OWNER").filter(user__isnull=False)
    others.update(sign_in_role="PARTNER_FULL_ACCESS")


class Migration(migrations.Migration):

    dependencies = [
        ('banking', '0024_default_plan'),
    ]

    operations = [
        migrations.AddField(
            model_name='businessowner',
            name='sign_in_role',
            field=models.CharField(blank=True, choices=[('PARTNER', 'Partner'), ('PARTNER_FULL_ACCESS', 'Partner with full access')], db_default='', default='', max_length=20),
        ),
        migrations.RunPython(keep_sign_ins, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name='businessowner',
            constraint=models.CheckConstraint(condition=models.Q(('sign_in_role__in', ['', 'PARTNER', 'PARTNER_FULL_ACCESS'])), name='businessowner_sign_in_role_known'),
        ),
        migrations.AddConstraint(
            model_name='businessowner',
            constraint=models.CheckConstraint(condition=models.Q(('user', None), ('role', 'PRIMARY_OWNER'), models.Q(('sign_in_role', ''), _negated=True), _connector='OR'), name='businessowner_user_may_sign_in'),
        ),
    ]
