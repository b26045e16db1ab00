"""Indexing personal numbers anew."""

from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from banking.services import deployments
from foundation.privacy import encryption
from foundation.privacy.encrypted_columns import blind_index_fields, count_by_index_key
from onboarding.models import Lead
from onboarding.queries import search
from onboarding.queries.checks import list_duplicates
from onboarding.services.privacy import reencryption, reindexing
from tests.factories import NOON

OLD_INDEX, NEW_INDEX = f"2025:{'5e' * 32}", f"2026:{'6f' * 32}"


@pytest.fixture(autouse=True)
def disk(encrypted_disk):
    """Find no files of other tests, which are under other keys."""
    return encrypted_disk


PER_NUMBER = 2  # indexes: of the whole number and of its last four digits


def run(*arguments):
    """Run the command and return the lines that it prints."""
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().splitlines()


@pytest.fixture
def old_indexes(make_owner, make_lead, settings):
    settings.PII_INDEX_KEYS = OLD_INDEX
    deployments.verify(at=NOON, may_record=True)
    leads = [make_lead(ssn=f"12345678{number}", ein="123456789") for number in range(3)]
    settings.PII_INDEX_KEYS = f"{NEW_INDEX},{OLD_INDEX}"
    deployments.verify(at=NOON, may_record=True)
    return leads


def leads_with(number):
    """Return the keys of the leads that have a number of the applicant."""
    indexes = search.index_number(number)["ssn"]
    return list(Lead.objects.filter(ssn_index__in=indexes).values_list("pk", flat=True))


def keys_of_indexes():
    counts = Counter()
    for index in blind_index_fields():
        counts.update(count_by_index_key(index))
    return counts


def test_it_indexes_every_number_with_the_first_key(old_indexes, settings):
    lines = run("rotate_pii_keys", "--batch", "2")

    assert "onboarding.Lead.ssn_index: 3" in lines
    assert lines[-2] == f"indexed {6 * PER_NUMBER} numbers with key 2026"
    assert keys_of_indexes() == {"2026": 6 * PER_NUMBER}
    settings.PII_INDEX_KEYS = NEW_INDEX
    deployments.verify(at=NOON, may_record=True)
    found = leads_with("123-45-6781")
    assert found == [old_indexes[1].pk]


def test_the_key_of_the_former_setting_is_replaced_by_one_with_an_id(make_lead, settings):
    settings.PII_INDEX_KEYS = ":an old key of any text"
    lead = make_lead(ssn="123456789")
    settings.PII_INDEX_KEYS = f"{NEW_INDEX},:an old key of any text"

    assert leads_with("123456789") == [lead.pk]
    run("rotate_pii_keys")

    settings.PII_INDEX_KEYS = NEW_INDEX
    assert leads_with("123456789") == [lead.pk]


def test_until_then_the_old_index_key_is_required(old_indexes, settings):
    settings.PII_INDEX_KEYS = NEW_INDEX
    with pytest.raises(deployments.SecretsDiffer, match="PII_INDEX_KEYS lacks the key 2025"):
        deployments.verify(at=NOON, may_record=True)

    settings.PII_INDEX_KEYS = OLD_INDEX
    with pytest.raises(deployments.SecretsDiffer, match="PII_INDEX_KEYS lacks the key 2026"):
        deployments.verify(at=NOON, may_record=True)


def test_between_two_batches_numbers_are_found_by_processes_old_and_new(
    old_indexes, make_application, make_lead, settings
):
    steps = reindexing.reindex(batch_size=2)
    next(steps)
    assert keys_of_indexes() == {"2026": 2, "2025": 10}
    twin = make_application(make_lead(ssn="123456780"))  # of a process with the new key first
    settings.PII_INDEX_KEYS = f"{OLD_INDEX},{NEW_INDEX}"
    second = make_application(make_lead(ssn="123456782"))  # of one where it still comes second

    for keys in (f"{OLD_INDEX},{NEW_INDEX}", f"{NEW_INDEX},{OLD_INDEX}"):
        settings.PII_INDEX_KEYS = keys
        for application, other in [(twin, old_indexes[0]), (second, old_indexes[2])]:
            [found] = list_duplicates(application)
            assert found.lead == other

    assert run("rotate_pii_keys")[-2] == "indexed 12 numbers with key 2026"


def test_killed_between_two_batches_it_goes_on_where_it_was(old_indexes):
    steps = reindexing.reindex(batch_size=2)
    next(steps)
    steps.close()

    assert run("rotate_pii_keys", "--dry-run")[-2] == "would index 10 numbers with key 2026"
    assert run("rotate_pii_keys")[-2] == "indexed 10 numbers with key 2026"


def test_a_number_that_was_saved_meanwhile_keeps_its_own_index(old_indexes, monkeypatch):
    lead = old_indexes[1]

    def save_meanwhile(text, *, context):
        if text == "123456781":
            lead.ssn = "900700001"
            lead.save(update_fields=["ssn"])
        return encryption.blind_index(text, context=context)

    monkeypatch.setattr(reindexing, "blind_index", save_meanwhile)
    tally = sum(reindexing.reindex(batch_size=500), reencryption.Counts())

    assert tally == reencryption.Counts(renewed=10, changed_meanwhile=1)
    assert leads_with("900700001") == [lead.pk]
    assert leads_with("123456781") == []


def test_a_number_that_does_not_open_keeps_its_index_and_its_key(old_indexes, settings):
    with connection.cursor() as cursor:
        cursor.execute("UPDATE onboarding_lead SET ein = 'e2.gone.AAAA' WHERE ssn <> ''")

    with pytest.raises(CommandError, match=r"^9 values cannot be decrypted"):
        run("rotate_pii_keys")

    assert keys_of_indexes() == {"2026": 6, "2025": 6}
    settings.PII_INDEX_KEYS = NEW_INDEX
    with pytest.raises(deployments.SecretsDiffer, match="PII_INDEX_KEYS lacks the key 2025"):
        deployments.verify(at=NOON, may_record=True)
