"""The step about the applicant."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.flow.forms.base import HIDDEN
from onboarding.models import Application, Lead
from tests.onboarding.flow.conftest import errors
from tests.random_values import without_random_values

RIGHT = {
    "last_name": "Example",
    "phone_number": "202-555-0123",
    "birth_date": "1985-12-10",
    "country": "US",
    "line1": "1 Analytical Way",
    "city": "New York",
    "state": "NY",
    "postal_code": "10001",
}


PASSPORT = {
    "passport_number": "X1234567",
    "id_country": "GB",
    "id_expiration_date": "2099-12-31",
}


def text(response):
    return response.content.decode()


def test_what_the_partner_knows_is_filled_in_but_numbers(flow):
    page = text(flow.get("you"))

    assert 'value="Ada"' in page
    assert 'value="ada@example.com" readonly' in page
    assert "ending in 6789" in page
    assert "12345" not in without_random_values(page)


def test_a_right_form_leads_on_and_is_the_applicants(flow):
    response = flow.fill_in("you", **RIGHT)

    assert (response.status_code, response["Location"]) == (303, flow.path("business"))
    assert (flow.lead.phone_number, flow.lead.ssn) == ("+12025550123", "123456789")
    assert flow.lead.country == "US"
    assert set(flow.lead.supplied_by) == set(RIGHT)
    assert flow.lead.corrected == []


def test_what_is_only_repeated_stays_the_partners(flow):
    flow.fill_in("you", **RIGHT)
    before = flow.lead.updated_at

    flow.fill_in("you")

    assert flow.lead.updated_at == before


def test_what_is_right_is_saved_although_something_else_is_wrong(flow):
    response = flow.fill_in("you", **RIGHT | {"phone_number": "12", "first_name": ""})

    assert response.status_code == 200
    assert set(errors(response)) == {"phone_number", "first_name"}
    assert 'href="#id_phone_number"' in text(response)
    assert (flow.lead.first_name, flow.lead.city) == ("Ada", "New York")
    assert flow.lead.phone_number == ""


def test_the_rest_can_be_corrected_on_the_same_page(flow):
    response = flow.fill_in("you", **RIGHT | {"phone_number": "12"})
    form = response.context["form"]
    shown = {name: form[name].value() or "" for name in form.fields}

    response = flow.post("you", shown | {"phone_number": "202-555-0123", "city": "Boston"})

    assert response.status_code == 303
    assert flow.lead.city == "Boston"


@pytest.mark.parametrize("wrong", [{}, {"first_name": ""}])
def test_a_number_is_never_sent_back(flow, wrong):
    response = flow.fill_in("you", **RIGHT | wrong, ssn="223-45-6781")

    assert flow.lead.ssn == "223456781"
    assert "223-45" not in text(response)
    assert "ending in 6781" in text(flow.get("you"))


def test_a_wrong_number_is_not_sent_back_either(flow):
    response = flow.fill_in("you", **RIGHT, ssn="666-45-6781")

    assert set(errors(response)) == {"ssn"}
    assert "6781" not in without_random_values(text(response))
    assert flow.lead.ssn == "123456789"


def test_who_has_no_number_is_asked_for_one(flow):
    Lead.objects.update(ssn="")

    response = flow.fill_in("you", **RIGHT)

    assert "passport" in errors(response)["ssn"]
    assert "ITIN: Enter a Social" not in text(response)  # the message names the field itself
    assert flow.fill_in("you", **RIGHT, **PASSPORT).status_code == 303
    assert "We have this number. Leave this blank to keep it." in text(flow.get("you"))


EXPIRED = {"passport_number": "X1234567", "id_country": "MX", "id_expiration_date": "2020-01-01"}


@pytest.fixture
def expired(flow):
    """An applicant whose partner sent a passport that has expired."""
    lead = flow.lead
    for name, value in EXPIRED.items():
        setattr(lead, name, value)
    lead.save()
    return flow


def test_an_expired_passport_can_be_removed(expired):
    response = expired.fill_in("you", **RIGHT)
    assert "remove its number" in errors(response)["id_expiration_date"]
    assert 'name="remove" value="passport_number"' in text(response)

    removed = expired.fill_in("you", remove="passport_number")

    assert removed.status_code == 303
    lead = expired.lead
    assert (lead.passport_number, lead.id_country, lead.id_expiration_date) == ("", "", None)
    assert lead.ssn == "123456789"
    assert 'name="remove"' not in text(expired.get("you"))


def test_another_document_replaces_an_expired_passport(expired):
    Lead.objects.update(ssn="")
    national = {"id_gov_number": "AB-99", "id_country": "Mexico", "id_expiration_date": ""}

    response = expired.fill_in("you", **RIGHT, **national, remove="passport_number")

    assert response.status_code == 303
    lead = expired.lead
    assert (lead.passport_number, lead.id_gov_number, lead.id_country) == ("", "AB-99", "MX")
    assert lead.id_expiration_date is None


def test_a_new_passport_replaces_the_old_one_although_the_box_is_ticked(expired):
    new = {"passport_number": "Y7654321", "id_expiration_date": "2040-01-01"}

    expired.fill_in("you", **RIGHT, **new, remove="passport_number")

    assert expired.lead.passport_number == "Y7654321"


def test_who_removes_the_only_number_is_asked_for_one(expired):
    Lead.objects.update(ssn="")

    response = expired.fill_in("you", **RIGHT, remove="passport_number")

    assert "passport" in errors(response)["ssn"]
    assert expired.lead.passport_number == ""


def test_a_social_security_number_is_replaced_and_not_removed(flow):
    flow.fill_in("you", **RIGHT, remove="ssn")

    assert flow.lead.ssn == "123456789"


def test_a_person_reads_of_their_own_age(flow, make_owner):
    young = {**RIGHT, "birth_date": "2020-01-01"}
    owner = make_owner(flow.lead)

    own = flow.fill_in("you", **young)
    other = flow.fill_in(f"owners/{owner.external_id}", birth_date="2020-01-01")

    assert errors(own)["birth_date"] == "You must be at least 18 years old."
    assert errors(other)["birth_date"] == "This person must be at least 18 years old."


def test_the_page_says_what_the_partner_filled_in_if_it_did(flow):
    with_values = text(flow.get("you"))
    Lead.objects.update(first_name="", last_name="")
    lead = flow.lead
    lead.ssn = ""
    lead.save()

    assert "We have filled in what" in with_values
    assert "We have filled in what" not in text(flow.get("you"))


def test_the_email_cannot_be_forged(flow):
    flow.fill_in("you", **RIGHT, email="eve@example.com")

    assert flow.lead.email == "ada@example.com"


def test_an_address_at_home_has_a_state_and_a_zip_code(flow):
    response = flow.fill_in("you", **RIGHT | {"state": "", "postal_code": "123"})

    assert set(errors(response)) == {"state", "postal_code"}
    assert (flow.lead.city, flow.lead.country) == ("New York", "")


def test_abroad_no_state_is_asked_for(flow):
    response = flow.fill_in("you", **RIGHT | {"country": "GB", "postal_code": "SW1A 1AA"})

    assert response.status_code == 303
    assert (flow.lead.country, flow.lead.state) == ("GB", "")


def test_a_region_abroad_that_the_partner_knows_is_kept(flow):
    Lead.objects.update(country="CA", state="Ontario")

    flow.fill_in("you", **RIGHT | {"country": "CA", "state": ""})

    assert flow.lead.state == "Ontario"
    flow.fill_in("you", country="GB")
    assert flow.lead.state == ""


def test_two_tabs_that_disagree_are_told_both_values(flow):
    seen = flow.get("you").context["form"]["seen_marks"].value()
    flow.fill_in(
        "you", **RIGHT | {"state": "CA", "sure": "postal_code=CA 10001"}, ssn="223-45-6781"
    )

    mine = {"first_name": "Ada", "seen_marks": seen, "ssn": "223-45-6782"}
    response = flow.post("you", {**RIGHT, **mine, "state": "NY", "line2": "Floor 1"})

    assert "“California”" in errors(response)["state"]
    assert response.context["form"]["state"].value() == "New York"
    assert "ssn" not in errors(response)
    assert (flow.lead.state, flow.lead.line2) == ("CA", "Floor 1")
    assert flow.lead.ssn == "223456782"  # the last one typed: comparing would let it be guessed
    again = response.context["form"]["seen_marks"].value()
    flow.post("you", {**RIGHT, **mine, "state": "NY", "seen_marks": again})
    assert (flow.lead.state, flow.lead.ssn) == ("NY", "223456782")


def test_what_was_cleared_elsewhere_is_told(flow):
    flow.fill_in("you", **RIGHT, line2="Floor 1")
    seen = flow.get("you").context["form"]["seen_marks"].value()
    Lead.objects.update(line2="")

    response = flow.post(
        "you", {**RIGHT, "first_name": "Ada", "line2": "Floor 2", "seen_marks": seen}
    )

    assert "cleared" in errors(response)["line2"]


@pytest.mark.parametrize("page", ["you", "business", "owners/add"])
def test_faults_are_listed_in_the_order_of_the_page(flow, page):
    Lead.objects.update(mailing_address={"line1": "PO Box 12"})
    response = flow.get(page)

    fields = [
        name for name in response.context["form"].fields if name not in {*HIDDEN, "industry_pick"}
    ]
    assert fields == sorted(fields, key=lambda name: text(response).index(f'id="id_{name}"'))


@pytest.mark.parametrize(
    ("name", "purpose"),
    [("first_name", "given-name"), ("birth_date", "bday"), ("state", "address-level1")],
)
def test_browsers_are_told_what_each_field_is_for(flow, name, purpose):
    field = flow.get("you").context["form"][name]

    assert field.field.widget.attrs["autocomplete"] == purpose


@pytest.mark.parametrize("page", ["you", "business", "owners"])
def test_after_the_submission_each_step_leads_to_the_status(flow, page):
    Application.objects.update(status=Status.SUBMITTED)

    shown = flow.client.get(flow.path(page), follow=True)

    assert shown.request["PATH_INFO"] == flow.path("status")


@pytest.mark.parametrize("page", ["you", "business"])
def test_after_the_submission_nothing_is_saved(flow, page):
    Application.objects.update(status=Status.SUBMITTED)

    sent = flow.post(page, RIGHT)

    assert (sent.status_code, sent["Location"]) == (303, flow.path("status"))
    assert flow.lead.city == ""


def test_a_passport_has_a_country_and_a_date(flow):
    response = flow.fill_in("you", **RIGHT, passport_number="X1234567")

    assert set(errors(response)) == {"id_country", "id_expiration_date"}
    assert flow.fill_in("you", **RIGHT, **PASSPORT).status_code == 303


def test_a_passport_that_has_expired_is_refused(flow):
    response = flow.fill_in("you", **RIGHT, **PASSPORT | {"id_expiration_date": "2020-01-01"})

    assert "expired" in errors(response)["id_expiration_date"]


@pytest.mark.parametrize("name", ["Zoe 🧁", "李", "Ada2", "-"])
def test_a_name_has_latin_letters(flow, name):
    response = flow.fill_in("you", **RIGHT, first_name=name)

    assert "Latin letters" in errors(response)["first_name"]
    assert flow.lead.first_name == "Ada"


@pytest.mark.parametrize(
    "name", ["Zoë", "Ngô-D\N{RIGHT SINGLE QUOTATION MARK}Arc", "Jean Luc, Jr.", "O'Neil"]
)
def test_a_name_may_have_accents_and_hyphens(flow, name):
    assert flow.fill_in("you", **RIGHT, first_name=name).status_code == 303


def test_a_po_box_is_no_home(flow):
    response = flow.fill_in("you", **RIGHT | {"line1": "P.O. Box 12"})

    assert "street address" in errors(response)["line1"]
    assert flow.lead.line1 == ""


def test_a_zip_code_of_another_state_can_be_confirmed(flow):
    """The applicant is asked at the field, ticks the box, and is not asked again."""
    elsewhere = RIGHT | {"postal_code": "90210"}

    response = flow.fill_in("you", **elsewhere)

    assert "does not seem to be in New York" in errors(response)["postal_code"]
    assert 'value="postal_code=NY 90210"' in text(response)
    assert response.context["form"]["state"].value() == "New York"  # typed, and kept
    confirmed = flow.fill_in("you", **elsewhere, sure="postal_code=NY 90210")
    assert confirmed.status_code == 303
    assert (flow.lead.state, flow.lead.postal_code) == ("NY", "90210")
    assert "90210" not in str(flow.lead.confirmed)
    assert flow.fill_in("you").status_code == 303


def test_a_confirmation_is_of_one_value(flow):
    flow.fill_in("you", **RIGHT | {"postal_code": "90210"}, sure="postal_code=NY 90210")

    response = flow.fill_in("you", postal_code="90211", sure="postal_code=NY 90210")

    assert set(errors(response)) == {"postal_code"}
    assert flow.lead.postal_code == "90210"


def test_what_a_partner_sent_is_asked_about_when_the_page_is_saved(flow):
    Lead.objects.update(line1="12 Main Street PMB 5", **{k: RIGHT[k] for k in ("city", "state")})

    response = flow.fill_in("you", **{**RIGHT, "line1": "12 Main Street PMB 5"})

    assert set(errors(response)) == {"line1"}


def test_a_link_shows_what_is_wrong_with_stored_values(flow):
    Lead.objects.update(line1="PO Box 12", country="US")

    assert "line1" not in errors(flow.get("you"))
    assert "street address" in errors(flow.get("you?check"))["line1"]


def test_the_business_of_a_sole_proprietor_takes_a_new_name(flow):
    Lead.objects.update(business_type="SSN", business_name="Ada Byron", last_name="Byron")

    flow.fill_in("you", **RIGHT | {"last_name": "Lovelace"})

    assert flow.lead.business_name == "Ada Lovelace"
