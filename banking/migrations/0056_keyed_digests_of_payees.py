"""Digests of payees, whose numbers are encrypted, are keyed."""

from django.db import migrations

from banking.feed.digests import KEYED, keyed

BATCH = 1000


def key(apps, _schema_editor):
    """Key the plain digests. Those that 1.0.0 writes later are keyed when their line changes."""
    records = apps.get_model("banking", "FeedRecord").objects
    plain = records.filter(kind="payees").exclude(digest="").exclude(digest__startswith=KEYED)
    batch = []
    for record in plain.only("digest").iterator(BATCH):
        record.digest = keyed(record.digest)
        batch.append(record)
        if len(batch) == BATCH:
            records.bulk_update(batch, ["digest"])
            batch = []
    records.bulk_update(batch, ["digest"])


class Migration(migrations.Migration):
    dependencies = [("banking", "0055_hold_category")]

    operations = [migrations.RunPython(key, migrations.RunPython.noop)]
