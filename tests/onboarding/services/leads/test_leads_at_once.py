"""Leads under concurrency: each caller sees the others' work or none of it."""

from functools import partial

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Document, Lead, Owner
from onboarding.services.access import links
from onboarding.services.applications import attempts
from onboarding.services.documents import partner_documents
from onboarding.services.documents.intake import inspect
from onboarding.services.leads import amendments, registration
from onboarding.uploads import Upload
from tests.factories import NOON, PDF
from tests.onboarding.services.file_stores import write
from tests.onboarding.services.leads.values import customer_id

EMAIL = "ada@example.com"


@pytest.fixture
def partner(make_partner):
    return make_partner()


@pytest.fixture
def create(partner):
    def create(**details):
        return write(
            registration.create_lead, partner=partner, details={"email": EMAIL, **details}, at=NOON
        )

    return create


@pytest.fixture
def update(partner):
    def update(**details):
        return write(
            amendments.update_lead,
            partner=partner,
            customer_id=customer_id(),
            details={"email": EMAIL, **details},
            at=NOON,
        )

    return update


def incoming():
    upload = Upload()
    upload.write(PDF)
    return inspect(upload, content_type="application/pdf", file_name="a.pdf")


def failures(results):
    return [result for result in results if isinstance(result, Exception)]


def test_fifty_creates_of_one_email_make_one_lead(in_threads, create):
    results = in_threads(
        lambda number: create(
            metadata={f"k{number}": "v"}, owners=[{"email": f"o{number % 5}@example.com"}]
        ),
        range(50),
    )

    assert not failures(results)
    assert len({result.application.pk for result in results}) == 1
    assert len(Lead.objects.get().metadata) == 50
    assert Owner.objects.count() == 5


def test_of_two_emails_with_one_unique_id_one_wins(in_threads, create):
    results = in_threads(
        lambda number: create(email=f"lead{number}@example.com", unique_id="crm-1"), range(8)
    )

    refused = failures(results)
    assert {type(result) for result in refused} == {registration.UniqueIdInUse}
    assert len(refused) == 7
    assert Lead.objects.count() == Application.objects.count() == 1


def test_of_two_updates_to_one_unique_id_one_wins(in_threads, create, partner):
    made = [create(email=f"lead{number}@example.com") for number in range(6)]

    results = in_threads(
        lambda made: write(
            amendments.update_lead,
            partner=partner,
            customer_id=str(made.application.lead.external_id),
            details={"email": made.application.lead.email, "unique_id": "crm-1"},
            at=NOON,
        ),
        made,
    )

    refused = failures(results)
    assert {type(result) for result in refused} == {registration.UniqueIdInUse}
    assert Lead.objects.filter(unique_id="crm-1").count() == 1


def test_previews_and_creates_do_not_disturb_each_other(in_threads, create, partner, stored_files):
    def attempt(number):
        if number % 2:
            return create(documents=[incoming()])
        return registration.preview_lead(
            partner=partner, details={"email": EMAIL, "documents": [incoming()]}, at=NOON
        )

    results = in_threads(attempt, range(12))

    assert not failures(results)
    assert Lead.objects.count() == Document.objects.count() == len(stored_files()) == 1


def test_updates_lose_no_metadata(in_threads, create, update):
    create()

    results = in_threads(lambda number: update(metadata={f"k{number}": "v"}), range(16))

    assert not failures(results)
    assert len(Lead.objects.get().metadata) == 16


def test_updates_add_one_owner_once(in_threads, create, update):
    create()

    results = in_threads(
        lambda number: update(owners=[{"email": "o@example.com", "title": f"T{number}"}]),
        range(8),
    )

    assert not failures(results)
    assert Owner.objects.count() == 1


def test_an_update_comes_before_a_withdrawal_or_not_at_all(in_threads, create, update, partner):
    create()

    def attempt(number):
        if number == 3:
            return attempts.withdraw_lead(partner=partner, customer_id=customer_id(), at=NOON)
        return update(metadata={f"k{number}": "v"})

    results = in_threads(attempt, range(8))

    refused = failures(results)
    assert {type(result) for result in refused} <= {attempts.ApplicationClosed}
    assert Application.objects.get().status == Status.WITHDRAWN
    assert len(Lead.objects.get().metadata) == 7 - len(refused)


def test_a_withdrawn_lead_gets_one_new_attempt(in_threads, create):
    create()
    Application.objects.update(status=Status.WITHDRAWN)

    results = in_threads(lambda _: create(), range(8))

    assert not failures(results)
    assert sorted(Application.objects.values_list("attempt", "is_current")) == [
        (1, False), (2, True),
    ]  # fmt: skip


def test_the_same_upload_is_stored_once(in_threads, create, partner, stored_files):
    create()

    results = in_threads(
        lambda _: write(
            partner_documents.upload_documents,
            partner=partner,
            customer_id=customer_id(),
            incoming=[incoming()],
            at=NOON,
        ),
        range(6),
    )

    assert not failures(results)
    assert Document.objects.count() == len(stored_files()) == 1


def test_a_grant_never_brings_a_replaced_link_back(in_threads, create, partner):
    create()

    results = in_threads(
        lambda service: service(partner=partner, customer_id=customer_id(), at=NOON),
        [partial(attempts.renew_access, rotates_link=True), attempts.regrant_access] * 4,
    )

    assert not failures(results)
    application = Application.objects.get()
    assert application.link_version == 5
    assert application.link_digest == links.digest(links.derive_link(application))
