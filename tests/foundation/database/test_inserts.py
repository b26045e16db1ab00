"""Rows that belong together are inserted together, and are what the ORM would have stored."""

from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction

from banking.models import Entry, Posting
from foundation.database.inserts import insert, insert_unless_present
from onboarding.models import Application, IdempotencyRecord, Lead, Owner
from tests.factories import NOON, make_account

ADDRESS = {"line1": "1 Example Street", "city": "Łódź", "state": None, "note": 'a "quote" \\ %s'}


def new_rows(partner, *, email="a@example.com"):
    lead = Lead(
        partner=partner, email=email, ssn="123-45-6789", birth_date=NOON.date(),
        ownership_percent=Decimal("33.3333"), is_control_person=True, business_address=ADDRESS,
        edd_answers=[{"question": "Why?", "answer": ""}],
    )  # fmt: skip
    application = Application(lead=lead, status_changed_at=NOON, created_at=NOON)
    application.link_digest, application.token_digest = email, email
    application.link_expires_at = application.token_expires_at = NOON
    owners = [Owner(lead=lead, email=f"{number}@example.com") for number in range(3)]
    return lead, application, *owners


def test_rows_are_what_was_given(make_partner):
    rows = new_rows(make_partner())

    insert(*rows)

    for row in rows:
        stored = type(row).objects.get(pk=row.pk)
        for column in row._meta.concrete_fields:
            assert getattr(stored, column.attname) == getattr(row, column.attname)


def test_keys_that_are_no_numbers_stay_as_they_are(make_business):
    accounts = [make_account(make_business()) for _ in range(2)]
    postings = [Posting(posted_at=NOON, idempotency_key=key) for key in ("second", "first")]
    entries = [
        Entry(posting=posting, account=account, amount_cents=amount, posted_at=NOON)
        for posting in postings
        for account, amount in zip(accounts, (500, -500), strict=True)
    ]
    before = [posting.pk for posting in postings]

    with transaction.atomic():
        insert(*entries)
        insert(*postings)

    assert [posting.pk for posting in postings] == before
    assert dict(Posting.objects.values_list("idempotency_key", "pk")) == dict(
        zip(("second", "first"), before, strict=True)
    )


def test_numbers_are_sealed_and_found(make_partner):
    lead, *rest = new_rows(make_partner())

    insert(lead, *rest)

    with connection.cursor() as cursor:
        cursor.execute("SELECT ssn, ssn_index FROM onboarding_lead")
        [(encrypted, index)] = cursor.fetchall()
    assert encrypted.startswith("e2.")
    assert index == lead.ssn_index != ""


def test_rows_get_their_keys_and_those_of_each_other(make_partner):
    lead, application, *owners = new_rows(make_partner())

    insert(lead, application, *owners)

    assert application.lead is lead
    assert application.lead_id == lead.pk
    assert [owner.lead_id for owner in owners] == [lead.pk] * 3
    assert [owner.pk for owner in owners] == sorted({owner.pk for owner in owners})
    stored = list(lead.owners.order_by("pk").values_list("email", flat=True))
    assert stored == [owner.email for owner in owners]
    lead.save()  # which would fail for a row that thinks it is new


def test_a_row_may_refer_to_a_stored_one(make_lead):
    lead = make_lead()
    owner = Owner(lead=lead, email="o@example.com")

    insert(owner)

    assert owner.lead_id == lead.pk


def test_nothing_is_no_statement(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        insert()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite takes one for each table")
def test_all_tables_take_one_statement(make_partner, django_assert_num_queries):
    rows = new_rows(make_partner())

    with django_assert_num_queries(1):
        insert(*rows)


def test_all_or_none(make_partner):
    partner = make_partner()
    insert(*new_rows(partner))

    with pytest.raises(IntegrityError), transaction.atomic():
        insert(*new_rows(partner))

    assert Lead.objects.count() == 1
    assert Owner.objects.count() == 3


def test_a_row_is_inserted_unless_it_is_there(make_partner):
    partner = make_partner()
    row, other = (
        IdempotencyRecord(
            partner=partner, method="PUT", path="/lead", key="a", body_sha256=body,
            locked_until=NOON, expires_at=NOON, body={"a": [1]},
        )
        for body in ("b", "c")
    )  # fmt: skip

    assert insert_unless_present(row)
    assert not insert_unless_present(other)

    [stored] = IdempotencyRecord.objects.all()
    assert other.pk is None
    for column in row._meta.concrete_fields:
        assert getattr(stored, column.attname) == getattr(row, column.attname)
