"""Related leads: by each kind of value, of any partner, in few statements, by indexes."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, HitStatus
from onboarding.queries import related_leads
from onboarding.queries.leads import open_lead_file
from onboarding.queries.related_leads import COMMON, SharedKind
from onboarding.services.reviews import hit_judgements
from tests import factories
from tests.factories import make_application, make_lead, make_owner
from tests.onboarding.cases import make_reviewer
from tests.onboarding.hits import REASON, make_hit, seen
from tests.onboarding.queries.test_checks import scanned

pytestmark = pytest.mark.django_db
SSN, EIN, PHONE = "123-45-6789", "12-3456789", "+12025550132"
OFFICE = {"line1": "1 Harbor St.", "city": "Austin", "postal_code": "78701-1234"}
ALIKE = {"line1": "1 harbor st", "city": "Austin", "postal_code": "78701"}


def find(lead):
    return related_leads.find_related(open_lead_file(lead.applications.get()))


def make_case(**values):
    """Return the lead of a new application."""
    return make_application(make_lead(**values)).lead


def kinds(found):
    return {(one.application.lead, kind) for one in found.leads for kind in one.shared}


def test_a_person_is_found_among_applicants_and_owners_of_every_partner():
    lead = make_case(ssn=SSN, phone_number=PHONE, email="ada@example.com", first_name="Ada")
    by_ssn = make_case(ssn="123456789")
    by_phone, by_email = make_case(), make_case()
    make_owner(by_phone, phone_number=PHONE)
    make_owner(by_email, email="ada@example.com")
    make_case(ssn="223-45-6789", phone_number="+12025550133")

    found = find(lead)

    assert kinds(found) == {
        (by_ssn, SharedKind.SSN),
        (by_phone, SharedKind.PHONE),
        (by_email, SharedKind.EMAIL),
    }
    assert [one.shared for one in found.leads if SharedKind.SSN in one.shared] == [
        {SharedKind.SSN: {"Ada"}}
    ]


def test_owners_of_the_lead_count_too():
    lead = make_case()
    make_owner(lead, ssn=SSN, first_name="Grace")
    other = make_case(ssn=SSN)

    [found] = find(lead).leads

    assert (found.application.lead, found.shared) == (other, {SharedKind.SSN: {"Grace"}})


def test_a_business_is_found_by_its_number_file_and_address():
    lead = make_case(ein=EIN, business_address=OFFICE)
    factories.make_document(lead, file_name="articles.pdf", sha256="a" * 64)
    by_ein, by_file = make_case(ein="123456789"), make_case()
    factories.make_document(by_file, sha256="a" * 64)
    by_office, by_mail = make_case(business_address=ALIKE), make_case(mailing_address=ALIKE)
    by_home, by_owner = make_case(line1="1 Harbor St", postal_code="78701"), make_case()
    make_owner(by_owner, address=ALIKE)
    make_case(business_address={**ALIKE, "postal_code": "78702"})

    found = find(lead)

    at_address = {(one, SharedKind.ADDRESS) for one in (by_office, by_mail, by_home, by_owner)}
    assert kinds(found) == {(by_ein, SharedKind.EIN), (by_file, SharedKind.FILE), *at_address}
    assert {SharedKind.FILE: {"articles.pdf"}} in [one.shared for one in found.leads]


def test_a_shared_address_names_no_owner_without_a_phone_and_no_file_not_yet_fetched():
    lead = make_case(business_address=OFFICE)
    make_owner(lead, first_name="Grace", phone_number="", email="")
    unfetched = {"status": DocumentStatus.NOT_FETCHED, "file": "", "sha256": "", "size_bytes": 0}
    factories.make_document(lead, file_name="articles.pdf", **unfetched)
    make_case(business_address=ALIKE)

    [found] = find(lead).leads

    assert found.shared == {SharedKind.ADDRESS: set()}


def test_a_signature_from_the_same_ip_address_is_found():
    lead, other, third = make_case(), make_case(), make_case()
    for one, address in [(lead, "192.0.2.1"), (other, "192.0.2.1"), (third, "")]:
        sign(one, address)

    assert kinds(find(lead)) == {(other, SharedKind.IP_ADDRESS)}


def sign(lead, address):
    lead.applications.get().consents.create(
        text="ELECTRONIC_RECORDS",
        version="1",
        language="en",
        signed_name="Ada",
        agreed_at=factories.NOON,
        address=address,
    )


def test_customers_with_the_same_linked_account_are_found():
    cases = [make_case() for _ in range(3)]
    for lead, last4 in zip(cases, ["1234", "1234", "9999"], strict=True):
        account = factories.make_account()
        lead.applications.update(account=account)
        factories.make_linked_account(account.business, institution_name="First", last4=last4)

    assert kinds(find(cases[0])) == {(cases[1], SharedKind.LINKED_ACCOUNT)}


def test_a_denied_lead_and_one_with_a_confirmed_hit_stand_out_and_come_first():
    lead = make_case(phone_number=PHONE)
    denied = make_application(make_lead(phone_number=PHONE), status=Status.DENIED).lead
    listed, plain = make_case(phone_number=PHONE), make_case(phone_number=PHONE)
    hit, _ = make_hit(listed.applications.get()), make_hit(plain.applications.get())
    said = {"hits": seen(hit), "reason": REASON, "by": make_reviewer(), "at": factories.NOON}
    hit_judgements.judge(listed.applications.get(), HitStatus.CONFIRMED, **said)

    found = find(lead).leads

    said = {one.application.lead: (one.was_denied, one.has_confirmed_hit) for one in found}
    assert said == {denied: (True, False), listed: (False, True), plain: (False, False)}
    assert found[-1].application.lead == plain


def test_what_many_share_is_counted_but_relates_only_denied_leads():
    lead = make_case(business_address=OFFICE, ein=EIN)
    for _ in range(COMMON):
        make_case(business_address=ALIKE)
    denied = make_application(make_lead(business_address=ALIKE), status=Status.DENIED).lead
    same_ein = make_case(ein=EIN)

    found = find(lead)

    assert {one.application.lead for one in found.leads} == {denied, same_ein}
    [by_ein, by_address] = found.counts
    assert (by_ein.kind, by_ein.count, by_ein.is_common) == (SharedKind.EIN, 1, False)
    assert (by_address.count, by_address.flagged, by_address.is_common) == (COMMON + 1, 1, True)


def test_no_more_than_a_limit_is_counted_and_shown(monkeypatch):
    monkeypatch.setattr(related_leads, "MOST", 3)
    monkeypatch.setattr(related_leads, "SHOWN", 2)
    lead = make_case(phone_number=PHONE)
    for _ in range(6):
        make_case(phone_number=PHONE)

    found = find(lead)

    assert [one.count for one in found.counts] == [4]
    assert len(found.leads) == 2


def test_nothing_is_related_to_nothing():
    make_case()
    make_owner(make_case())

    found = find(make_case())

    assert (found.counts, found.leads) == ([], [])


@pytest.mark.parametrize("kind", SharedKind)
def test_the_list_of_one_kind_has_the_leads_that_share_it(kind):
    lead, other = (
        make_case(ssn=SSN, ein=EIN, phone_number=PHONE, business_address=OFFICE) for _ in range(2)
    )
    make_case(ssn="223-45-6789")
    for one in (lead, other):
        factories.make_document(one, sha256="a" * 64)
        make_owner(one, email="ada@example.com")
        sign(one, "192.0.2.1")
        account = factories.make_account()
        one.applications.update(account=account)
        factories.make_linked_account(account.business, institution_name="First", last4="1234")

    keys = related_leads.list_keys(open_lead_file(lead.applications.get()), kind)

    assert set(type(lead).objects.filter(pk__in=keys)) == {other}


def test_related_leads_take_few_statements_and_decrypt_no_number_of_others():
    lead = make_case(ssn=SSN, phone_number=PHONE, business_address=OFFICE, ein=EIN)
    for _ in range(4):
        make_case(ssn=SSN, phone_number=PHONE, business_address=ALIKE, ein=EIN)
    file = open_lead_file(lead.applications.get())

    with CaptureQueriesContext(connection) as captured:
        found = related_leads.find_related(file)

    assert len(captured) == 4  # with the IP addresses of this lead
    assert {"ssn", "ein"} <= found.leads[0].application.lead.get_deferred_fields()


def test_no_look_for_related_leads_reads_a_whole_table():
    """SQLite has no use of an index whose expression has parameters: it reads addresses."""
    address = OFFICE if connection.vendor == "postgresql" else {}
    lead = make_case(ssn=SSN, phone_number=PHONE, business_address=address, ein=EIN)
    factories.make_document(lead, sha256="a" * 64)
    sign(lead, "192.0.2.1")
    file = open_lead_file(lead.applications.get())

    with CaptureQueriesContext(connection) as captured:
        related_leads.find_related(file)

    for query in list(captured):
        assert scanned(query["sql"]) == ""
