"""Give each accountant a firm of their own, and the firm the accesses of the accountant.

Two firms of one name stay two: the name does not prove that they are one. Who was granted an
access has accepted the terms before it.
"""

from django.db import migrations


def found_firms(apps, schema_editor):
    database = schema_editor.connection.alias
    Accountant, Access, Firm = (
        apps.get_model("banking", name).objects.using(database)
        for name in ("Accountant", "ClientAccess", "Firm")
    )
    for accountant in Accountant.order_by("pk"):
        accesses = Access.filter(accountant=accountant)
        granted = accesses.exclude(granted_at=None).order_by("granted_at", "pk").first()
        accountant.firm = Firm.create(name=accountant.firm_name)
        accountant.is_manager = True
        accountant.terms_accepted_at = granted and granted.granted_at
        accountant.save()
        accesses.update(firm=accountant.firm)


class Migration(migrations.Migration):
    dependencies = [("banking", "0031_firms")]
    operations = [migrations.RunPython(found_firms, migrations.RunPython.noop)]
