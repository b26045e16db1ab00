import pytest

from onboarding.queries import search


@pytest.fixture
def lead(make_lead):
    make_lead(business_name="Elsewhere")
    values = {"email": "ada@example.com", "unique_id": "crm-7", "ssn": "123-45-6789"}
    return make_lead(business_name="Harbor Coffee LLC", ein="12-3456788", **values)


@pytest.mark.parametrize(
    "text",
    [
        "Harbor",
        "coffee HARBOR",
        "ada@example.com",
        "ADA@",
        "crm-7",
        "crm harbor",
        " llc ",
        "Harbr Cofee",
    ],
)
def test_leads_are_found_by_each_word(text, lead):
    assert search.search_leads(text) == [lead.pk]


@pytest.mark.parametrize("text", ["harbor elsewhere", "crm-8", "6789"])
def test_other_leads_are_not_found(text, lead):
    assert search.search_leads(text) == []


def test_an_email_is_found_at_each_partner(lead, make_lead):
    other = make_lead(email="ada@example.com")

    assert search.search_leads("Ada@example.com") == [lead.pk, other.pk]


def test_the_newest_leads_are_found_of_many(lead, make_lead, monkeypatch):
    monkeypatch.setattr(search, "MAX_FOUND", 2)
    newer = [make_lead(business_name="Harbor Books").pk for _ in range(2)]

    assert search.search_leads("harbor") == newer[::-1]


def test_a_number_has_the_same_index_however_it_is_punctuated():
    assert search.index_number("123 45-6789") == search.index_number("123456789")
    assert search.index_number("123456788") != search.index_number("123456789")


def test_applications_are_found_by_their_id_and_by_their_leads(lead, make_application):
    make_application()
    wanted = make_application(lead)

    for text in [
        str(wanted.external_id),
        wanted.external_id.hex,
        f" {lead.external_id} ",
        "harbor",
    ]:
        assert search.search_applications(text) == [wanted.pk]
    assert search.search_applications("01a201e4-23fd-7012-a0c4-acc5df581a49") == []


def test_an_application_is_found_by_the_reference_that_the_applicant_names(make_application):
    wanted, _other = make_application(), make_application()

    for text in (wanted.reference, wanted.reference.lower(), wanted.external_id.hex[-12:]):
        assert search.search_applications(text) == [wanted.pk]


def test_a_business_whose_name_looks_like_a_reference_is_found(make_application, make_lead):
    wanted = make_application(make_lead(business_name="Deadbeef1234"))

    assert search.search_applications("deadbeef1234") == [wanted.pk]
