import re

import pytest

from onboarding.choices import ApplicationStatus as Status

LEADS = "/admin/onboarding/lead/"


def listed(client, query):
    """Return the keys of the leads that the list shows."""
    page = client.get(LEADS, query).content.decode()
    return [int(pk) for pk in re.findall(rf'<th[^>]*><a href="{LEADS}(\d+)/change/', page)]


@pytest.fixture
def lead(make_lead, make_application):
    lead = make_lead(email="ada@example.com", business_name="Harbor Coffee", unique_id="crm-77")
    make_application(lead)
    make_application(make_lead(email="bob@example.com", business_name="North Pier"))
    return lead


@pytest.mark.parametrize("term", ["ADA@example", "harbor cof", "crm-77"])
def test_a_lead_is_found_by_its_words(lead, chief, term):
    assert listed(chief, {"q": term}) == [lead.pk]


@pytest.mark.parametrize("spelling", [str, lambda uuid: uuid.hex, lambda uuid: f" {uuid} ".upper()])
def test_a_lead_is_found_by_its_customer_id(lead, chief, spelling):
    assert listed(chief, {"q": spelling(lead.external_id)}) == [lead.pk]


def test_an_unknown_customer_id_finds_nothing(lead, chief):
    assert listed(chief, {"q": "01890000-0000-7000-8000-000000000000"}) == []


@pytest.mark.parametrize("name", ["owner", "document", "application"])
def test_what_belongs_to_a_lead_is_found_by_its_customer_id(
    name, lead, make_owner, make_document, chief
):
    make_owner(lead)
    make_owner()
    make_document(lead)
    make_document()

    page = chief.get(f"/admin/onboarding/{name}/", {"q": lead.external_id.hex}).content.decode()

    assert len(re.findall(r"<th[^>]*><a href", page)) == 1


@pytest.fixture
def repeated(make_lead, make_application):
    """A lead whose first attempt expired and whose second one is in review."""
    lead = make_lead()
    make_application(lead, status=Status.EXPIRED, is_current=False)
    make_application(lead, status=Status.IN_REVIEW, attempt=2)
    return lead


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"status": "IN_REVIEW"}, True),
        ({"status": "EXPIRED"}, False),
        ({"stage": "PROCESSING"}, True),
        ({"stage": "CLOSED"}, False),
        ({"status": "nonsense", "stage": "nonsense"}, True),
    ],
)
def test_leads_are_filtered_by_their_current_application(repeated, chief, query, found):
    assert listed(chief, query) == ([repeated.pk] if found else [])


def test_the_list_shows_the_current_status_only(repeated, chief):
    page = chief.get(LEADS).content.decode()

    assert 'badge-in_review"' in page
    assert 'badge-expired"' not in page


def test_leads_are_filtered_by_partner_and_business_type(lead, chief):
    lead.business_type = "LLC"
    lead.save()

    assert listed(chief, {"business_type__exact": "LLC"}) == [lead.pk]
    assert listed(chief, {"partner__id__exact": lead.partner_id}) == [lead.pk]


def test_the_page_has_everything_that_is_known(make_lead, make_application, make_owner, chief):
    lead = make_lead(
        first_name="Ada",
        business_address={"line1": "2 Cobol Street", "city": "Arlington", "state": "VA"},
        metadata={"tier": "gold"},
        edd_answers=[{"question": "Source of funds?", "answer": "Sales & fees"}],
    )
    make_application(lead)
    make_owner(lead, first_name="Grace")

    page = chief.get(f"{LEADS}{lead.pk}/change/").content.decode()

    for fact in (
        "Ada",
        "2 Cobol Street",
        "Arlington, VA",
        "tier",
        "gold",
        "Source of funds?",
        "Sales &amp; fees",
        "Grace",
        "Attempt 1",
        str(lead.external_id),
    ):
        assert fact in page


def test_who_may_view_leads_only_sees_neither_owners_nor_documents(
    make_lead, make_owner, make_document, make_staff
):
    lead = make_lead()
    make_owner(lead, first_name="Grace")
    make_document(lead, file_name="letter.pdf")

    page = make_staff("view_lead").get(f"{LEADS}{lead.pk}/change/").content.decode()

    assert lead.email in page
    assert "Grace" not in page
    assert "letter.pdf" not in page
