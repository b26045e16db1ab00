"""Parties: read page by page, with their names as they are compared."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import PartyKind
from onboarding.models import Application, Lead
from onboarding.queries import parties
from onboarding.queries.parties import find_record, read_parties
from tests.factories import NOON, make_job, make_owner, make_payee, make_supplier
from tests.onboarding.cases import make_case

pytestmark = pytest.mark.django_db


def read(source, *, after=0, limit=10, with_numbers=False):
    return read_parties(source, after=after, limit=limit, with_numbers=with_numbers)


def test_leads_in_review_or_with_an_account_are_read_in_the_order_of_their_keys():
    cases = [make_case() for _ in range(3)]
    Application.objects.filter(pk=cases[0].pk).update(status=Status.DENIED)
    Lead.objects.update(first_name="Ana", last_name="Nakar", business_name="Blue Cafe")

    first = read(parties.LEADS, limit=1)
    rest = read(parties.LEADS, after=first[0].row)

    assert [party.row for party in [*first, *rest]] == [case.lead_id for case in cases[1:]]
    assert first[0].names == (("Ana Nakar", True), ("Blue Cafe", False))
    assert first[0].numbers == ()


def test_numbers_are_read_on_request():
    owner = make_owner(make_case().lead, passport_number="a-12345678", ssn="123-45-6789")

    (party,) = read(parties.OWNERS, with_numbers=True)

    assert (party.row, party.lead) == (owner.pk, owner.lead_id)
    assert party.numbers == ("A12345678", "123456789")


def test_a_payee_named_like_the_supplier_is_no_party_of_its_own():
    supplier = make_supplier(name="Blue Cafe")
    make_payee(supplier)

    assert [party.row for party in read(PartyKind.SUPPLIER)] == [supplier.pk]
    assert read(PartyKind.PAYEE) == []


def test_a_record_has_its_business_and_country():
    supplier = make_supplier(name="Blue Cafe", country="CU")

    party = find_record(PartyKind.SUPPLIER, supplier.pk)

    assert (party.name, party.business, party.facts.countries) == (
        "Blue Cafe",
        supplier.business,
        {"CU"},
    )
    assert find_record(PartyKind.SUPPLIER, 0) is None


def test_a_party_is_not_compared_until_its_newest_job_is_done():
    for key, *statuses in [
        ("PAYEE-1", "FAILED"),
        ("PAYEE-2", "FAILED", "DONE"),
        ("PAYEE-3", "DONE", "FAILED", "QUEUED"),
    ]:
        for status in statuses:
            finished_at = None if status == "QUEUED" else NOON
            make_job(kind=parties.COMPARE_PARTY, key=key, status=status, finished_at=finished_at)

    failed = parties.list_not_compared()

    assert [(job.key, job.status) for job in failed] == [
        ("PAYEE-1", "FAILED"),
        ("PAYEE-3", "QUEUED"),
    ]
