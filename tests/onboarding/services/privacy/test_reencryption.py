"""Sealing personal numbers anew."""

import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from banking.models import FeedRecord
from foundation.privacy import encryption
from foundation.privacy.encrypted_columns import encrypted_fields
from onboarding.models import Owner
from onboarding.services.privacy import reencryption
from onboarding.services.privacy.reencryption import Counts
from tests.factories import NOON, make_feed_inbox_line

OLD, NEW = f"old:{'1a' * 32}", f"new:{'2b' * 32}"
NUMBERS = {"ssn": "123456789", "passport_number": "X12345678", "id_gov_number": "G-998"}


@pytest.fixture
def make_old(make_owner, settings):
    """Make rows while the old key is the primary one; from then on it is the new one."""

    def make(count, make_row=make_owner, **values):
        settings.PII_KEYS = OLD
        rows = [make_row(**(values or {"ssn": f"12345678{number}"})) for number in range(count)]
        settings.PII_KEYS = f"{NEW},{OLD}"
        return rows

    return make


def columns(row):
    """Return the row as the database holds it, by column."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {row._meta.db_table} WHERE id = %s", [row.pk])
        return dict(
            zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True)
        )


def save_ssn(pk, ssn):
    """Save an SSN, as another process does."""
    owner = Owner.objects.defer("ssn").get(pk=pk)
    owner.ssn = ssn
    owner.save(update_fields=["ssn"])


def outdated():
    return sum(reencryption.count_outdated(field) for field in encrypted_fields())


def test_every_encrypted_field_is_encrypted_again():
    assert sorted(field.context for field in encrypted_fields()) == [
        "banking.deployment.canary",
        "banking.feedinboxline.text",
        "banking.feedrecord.removed_data",
        "banking.job.private_arguments",
        "banking.payee.account_number",
        "banking.payee.iban",
        "onboarding.customercase.content",
        "onboarding.formdraft.content",
        "onboarding.holder.ein",
        "onboarding.lead.ein",
        "onboarding.lead.id_gov_number",
        "onboarding.lead.passport_number",
        "onboarding.lead.ssn",
        "onboarding.mail.code",
        "onboarding.mail.sent_copy",
        "onboarding.owner.id_gov_number",
        "onboarding.owner.passport_number",
        "onboarding.owner.ssn",
        "onboarding.verificationrequest.received",
        "onboarding.verificationrequest.sent",
        "onboarding.webhook.previous_secret",
        "onboarding.webhook.signing_secret",
        "onboarding.webhook.token",
    ]


def test_all_values_come_under_the_primary_key_and_nothing_else_changes(make_old, make_lead):
    numbers = {**NUMBERS, "ein": "123456780"}
    [lead] = make_old(1, make_lead, **numbers)
    before = columns(lead)

    counts = sum(reencryption.reencrypt(batch_size=500), Counts())

    after = columns(lead)
    assert counts == Counts(renewed=4)
    assert {name for name in before if before[name] != after[name]} == numbers.keys()
    assert all(after[name].startswith("e2.new.") for name in numbers)
    lead.refresh_from_db()
    assert {name: getattr(lead, name) for name in numbers} == numbers


def test_waiting_lines_and_removed_records_come_under_the_primary_key(make_old):
    [line] = make_old(1, make_feed_inbox_line, text="{}")
    [record] = make_old(
        1,
        FeedRecord.objects.create,
        kind="cards",
        external_id="C-1",
        version=1,
        digest="0" * 32,
        is_removed=True,
        removed_data="{}",
        updated_at=NOON,
    )

    counts = sum(reencryption.reencrypt(batch_size=500), Counts())

    assert counts.renewed == 2
    assert outdated() == 0
    line.refresh_from_db()
    record.refresh_from_db()
    assert (line.text, record.removed_data) == ("{}", "{}")


def test_values_that_open_in_any_row_are_bound_to_theirs_under_the_same_key(make_owner):
    owner, other = make_owner(ssn="123456789"), make_owner(ssn="123456780")
    in_any_row = encryption.encrypt("123456789", context="onboarding.owner.ssn")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE onboarding_owner SET ssn = %s WHERE id = %s", [in_any_row, owner.pk])

    assert sum(reencryption.reencrypt(batch_size=500), Counts()) == Counts(renewed=1)

    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE onboarding_owner SET ssn = %s WHERE id = %s", [columns(owner)["ssn"], other.pk]
        )
    owner.refresh_from_db()
    assert owner.ssn == "123456789"
    with pytest.raises(encryption.DecryptionError):
        other.refresh_from_db()


def test_the_old_key_can_go_afterwards(make_old, settings):
    [owner] = make_old(1, **NUMBERS)
    list(reencryption.reencrypt(batch_size=500))
    settings.PII_KEYS = NEW

    owner.refresh_from_db()

    assert owner.ssn == NUMBERS["ssn"]


def test_what_is_empty_or_new_already_is_left_alone(make_old, make_owner):
    make_old(1, title="no number")
    fresh = make_owner(**NUMBERS)
    before = columns(fresh)

    assert list(reencryption.reencrypt(batch_size=500)) == []
    assert columns(fresh) == before


def test_ids_of_keys_differ_by_case(make_old, settings):
    make_old(1)
    settings.PII_KEYS = f"Old:{'2b' * 32},{OLD}"

    assert outdated() == 1


def test_broken_off_it_goes_on_where_it_was(make_old):
    make_old(5)
    broken_off = reencryption.reencrypt(batch_size=2)
    assert next(broken_off) == Counts(renewed=2)
    broken_off.close()

    assert outdated() == 3
    assert list(reencryption.reencrypt(batch_size=2)) == [
        Counts(renewed=2),
        Counts(renewed=1),
    ]
    assert outdated() == 0


def test_a_batch_that_fails_changes_nothing(make_old, monkeypatch):
    owners = make_old(3)
    replace, calls = reencryption._replace, []

    def fail_third(*change):
        calls.append(change)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return replace(*change)

    monkeypatch.setattr(reencryption, "_replace", fail_third)
    with pytest.raises(KeyboardInterrupt):
        list(reencryption.reencrypt(batch_size=3))

    assert outdated() == 3
    assert [Owner.objects.get(pk=owner.pk).ssn for owner in owners] == [o.ssn for o in owners]


def test_a_value_that_somebody_changes_meanwhile_is_not_overwritten(make_old, monkeypatch):
    owners = make_old(3)

    def seal_while_somebody_writes(text, **bound_to):
        if text == owners[1].ssn:
            save_ssn(owners[1].pk, "900700001")
        return encryption.encrypt(text, **bound_to)

    monkeypatch.setattr(reencryption, "encrypt", seal_while_somebody_writes)
    tallies = list(reencryption.reencrypt(batch_size=500))

    assert tallies == [Counts(renewed=2, changed_meanwhile=1)]
    assert Owner.objects.get(pk=owners[1].pk).ssn == "900700001"
    assert outdated() == 0


def test_a_value_that_no_key_opens_is_counted_and_left(make_old, settings, caplog):
    kept = make_old(3)
    settings.PII_KEYS = f"gone:{'3c' * 32}"
    kept[1].ssn = "900700001"
    kept[1].save()
    settings.PII_KEYS = f"{NEW},{OLD}"

    tallies = list(reencryption.reencrypt(batch_size=2))

    assert tallies == [Counts(renewed=1, undecryptable=1), Counts(renewed=1)]
    assert outdated() == 1
    assert (
        f"onboarding.owner.ssn of row {kept[1].external_id.hex}: PII_KEYS lacks the key"
        in caplog.text
    )
    assert "900700001" not in caplog.text


def test_no_statement_fetches_more_than_a_batch(make_old):
    make_old(5)
    with CaptureQueriesContext(connection) as statements:
        list(reencryption.reencrypt(batch_size=2))

    reads = [query["sql"] for query in statements if query["sql"].startswith("SELECT")]
    assert len(reads) == len(encrypted_fields()) + 3
    assert all(read.endswith("LIMIT 2") for read in reads)


def test_a_service_in_use_loses_no_write(make_old, in_threads, monkeypatch):
    owners = make_old(20)

    def seal_slowly(text, **bound_to):
        time.sleep(0.005)
        return encryption.encrypt(text, **bound_to)

    def write(half):
        for owner in owners[half::2]:
            time.sleep(0.005)
            save_ssn(owner.pk, "900700001")

    monkeypatch.setattr(reencryption, "encrypt", seal_slowly)
    works = [lambda: list(reencryption.reencrypt(batch_size=7)), lambda: write(0), lambda: write(1)]
    results = in_threads(lambda work: work(), works)

    assert not [result for result in results if isinstance(result, Exception)]
    assert {owner.ssn for owner in Owner.objects.all()} == {"900700001"}
    assert outdated() == 0
