"""What the search above each list finds: rows of leads by their words, and by values of rows."""

import pytest

from banking.models import Business
from onboarding.admin import list_search
from onboarding.models import Partner, PartnerVerification, Publication
from tests.factories import NOON, make_document, make_lead, make_owner
from tests.onboarding.admin.conftest import tell_partners
from tests.onboarding.cases import make_case
from tests.onboarding.customers import make_customer, make_review

pytestmark = pytest.mark.django_db
PARTNERS_ID = "5b1c7e2e-6f0a-4c55-9f0e-2f6d5b8a9c01"


@pytest.fixture
def find(chief):
    """Return the rows that the search above a list finds."""

    def find(name, text):
        listed = chief.get(f"/admin/onboarding/{name}/", {"q": text}).context["cl"]
        return list(listed.queryset)

    return find


def test_an_owner_is_found_by_email_though_an_applicant_has_it_too(find):
    make_lead(email="ada@example.com")
    owner = make_owner(email="ada@example.com")

    assert find("owner", "Ada@example.com") == [owner]


def test_a_document_is_found_by_words_of_its_name_without_leads_of_similar_names(find):
    document = make_document(file_name="bank-statement May.pdf")
    make_document(make_lead(business_name="State Street Bakery"))

    assert find("document", "may statement") == [document]


def test_a_published_event_is_found_by_its_id_and_by_words_of_the_partner(find):
    tell_partners()
    Partner.objects.update(name="Acme Lending")
    tell_partners()
    told = Publication.objects.earliest("pk")

    assert find("publication", told.message_id.upper()) == [told]
    assert told in find("publication", "lending acme")


def test_deliveries_are_found_by_the_id_of_their_webhook(find):
    delivery = tell_partners()
    tell_partners()
    webhook = delivery.lane.webhook

    found = find("delivery", str(webhook.external_id))

    assert delivery in found
    assert {one.lane.webhook for one in found} == {webhook}


def test_a_customer_is_found_by_its_legal_name_and_by_the_partners_own_id(find):
    customer = make_customer(unique_id=PARTNERS_ID)
    make_customer()
    Business.objects.filter(pk=customer.business_id).update(legal_name="Renamed Mill")

    assert find("customer", "mill renamed") == [customer]
    assert find("customer", PARTNERS_ID) == [customer]
    assert find("customer", str(customer.application.external_id)) == [customer]
    assert find("lead", PARTNERS_ID) == [customer.lead]


def test_a_case_of_a_customer_is_found_by_name_and_id(find):
    case = make_review()
    make_review()
    customer = case.customer
    Business.objects.filter(pk=customer.business_id).update(legal_name="Renamed Mill")

    for text in ("mill", customer.lead.email, str(customer.lead.external_id)):
        assert find("customercase", text) == [case]


def test_a_verification_of_a_partner_is_found_by_the_applicant(find):
    facts = {"kind": "IDENTITY", "method": "DOCUMENT", "verified_on": NOON, "at": NOON}
    first, _ = (
        PartnerVerification.objects.create(application=make_case(), **facts) for _ in range(2)
    )

    assert find("partnerverification", first.application.lead.email) == [first]


def test_a_search_that_may_lack_rows_says_so(find, chief, monkeypatch):
    monkeypatch.setattr(list_search, "MAX_FOUND", 1)
    make_lead(business_name="Harbor Bakery")

    shown = chief.get("/admin/onboarding/lead/", {"q": "harbor"}).content.decode()

    assert "rows may be missing" in shown


@pytest.mark.parametrize("name", ["lead", "owner", "document", "event", "mail", "customercase"])
def test_a_personal_number_is_refused(chief, name):
    answer = chief.get(f"/admin/onboarding/{name}/", {"q": "123-45-6789"})

    assert answer.status_code == 302
    assert "6789" not in answer["Location"]
