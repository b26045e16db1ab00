"""Index last four digits of stored numbers, and names by trigrams; make the role of support."""

import importlib
from functools import partial

from django.db import migrations

from foundation.database import trigrams
from foundation.privacy.encrypted_columns import batches, envelopes
from foundation.privacy.encryption import DecryptionError, blind_index, decrypt

ROLES = importlib.import_module("onboarding.migrations.0012_roles")
FIRMS = ["banking.view_firm", "banking.view_firmdeparture"]
ANSWERING = ["onboarding.message_applicant", "onboarding.search_number"]
GIVEN = {
    "Support": [*ROLES.CASES, *ROLES.RECORDS, *FIRMS, *ANSWERING, "onboarding.change_mail"],
    "Reviewer": ANSWERING,
    "Approver": ANSWERING,
}
NUMBERS = [
    ("Lead", "ssn", "ssn_last_four_index"),
    ("Lead", "ein", "ein_last_four_index"),
    ("Owner", "ssn", "ssn_last_four_index"),
]
INDEXES = {
    "lead_words": (
        "onboarding_lead",
        ["business_name", "first_name", "last_name", "email", "unique_id"],
    ),
    "owner_words": ("onboarding_owner", ["first_name", "last_name", "email"]),
}
BATCH_SIZE = 1000


def fill(apps, _schema_editor, *, place):
    """Compute the indexes of stored numbers; a number that no key decrypts keeps an empty one."""
    name, number_name, index_name = NUMBERS[place]
    model = apps.get_model("onboarding", name)
    number, index = (model._meta.get_field(one) for one in (number_name, index_name))
    rows = envelopes(number).filter(envelope__gt="", **{index_name: ""})
    for batch in batches(rows, "envelope", *number.bound_to, size=BATCH_SIZE):
        for pk, envelope, *identity in batch:
            try:
                text = decrypt(envelope, context=number.context, row=number.name_row(identity))
            except DecryptionError:
                continue
            found = blind_index(index.indexed_part(text), context=index.context)
            envelopes(number).filter(pk=pk, envelope=envelope).update(**{index_name: found})


def add_index(_apps, schema_editor, *, name):
    table, columns = INDEXES[name]
    trigrams.add_index(schema_editor, table, name, columns)


def remove_index(_apps, schema_editor, *, name):
    trigrams.remove_index(schema_editor, name)


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, and give them."""
    database = schema_editor.connection.alias
    ROLES._make_permissions(apps, "onboarding", database)  # noqa: SLF001 - shared by migrations
    groups = apps.get_model("auth", "Group").objects.using(database)
    for name, permissions in GIVEN.items():
        found = [ROLES._find(apps, database, one) for one in permissions]  # noqa: SLF001 - as above
        group, _ = groups.get_or_create(name=name)
        group.permissions.add(*found)


class Migration(migrations.Migration):
    atomic = False  # the tables stay open for writes
    dependencies = [
        ("onboarding", "0066_last_four_digits"),
        ("banking", "0047_trigrams"),
    ]
    operations = [
        migrations.RunPython(add, migrations.RunPython.noop),
        *(
            migrations.RunPython(partial(fill, place=place), migrations.RunPython.noop)
            for place in range(len(NUMBERS))
        ),
        *(
            migrations.RunPython(partial(add_index, name=name), partial(remove_index, name=name))
            for name in INDEXES
        ),
    ]
