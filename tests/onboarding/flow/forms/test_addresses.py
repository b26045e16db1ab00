"""Addresses: the country decides what belongs to one."""

import pytest
from django.utils import translation

from onboarding.flow.forms.people import OwnerForm
from onboarding.models import Owner

HOME = {
    "address_country": "US",
    "address_line1": "2 Cobol Street",
    "address_city": "Arlington",
    "address_state": "VA",
    "address_postal_code": "22201",
}


@pytest.fixture
def owner(make_lead):
    return Owner(lead=make_lead())


def faults(owner, **values):
    """Return the names of the parts of the address that are wrong."""
    errors = OwnerForm(owner, HOME | values).errors
    return {name.removeprefix("address_") for name in errors if name.startswith("address_")}


def test_a_country_is_typed_and_shown_by_its_name(owner):
    with translation.override("es"):
        shown = OwnerForm(owner)["address_country"]
        typed = OwnerForm(owner, HOME | {"address_country": "japon"})
        typed.is_valid()

        assert shown.value() == "Estados Unidos"
        assert 'list="countries"' in str(shown)
    assert typed.cleaned_data["address_country"] == "JP"
    assert (shown.is_abroad, typed["address_country"].is_abroad) == (False, True)


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({}, set()),
        ({"address_postal_code": "22201-1234"}, set()),
        ({"address_state": ""}, {"state"}),
        ({"address_state": "Ontario"}, {"state"}),
        ({"address_postal_code": ""}, {"postal_code"}),
        ({"address_postal_code": "SW1A 1AA"}, {"postal_code"}),
        ({"address_country": ""}, {"country"}),
        ({"address_country": "GB", "address_state": "", "address_postal_code": ""}, set()),
        ({"address_country": "GB", "address_postal_code": "SW1A 1AA"}, set()),
        ({"address_country": "PR", "address_postal_code": "009"}, {"postal_code"}),
        ({"address_line1": "", "address_city": ""}, {"line1", "city"}),
    ],
)
def test_the_country_decides_what_is_wrong(owner, values, wrong):
    assert faults(owner, **values) == wrong


def test_what_depends_on_the_country_is_saved_together_or_not_at_all(owner):
    form = OwnerForm(owner, HOME | {"address_postal_code": "1"})

    form.is_valid()

    saved = {name for name in form.values if name.startswith("address.")}
    assert saved == {"address.line1", "address.line2", "address.city"}


def test_the_page_opens_at_home(owner):
    assert OwnerForm(owner)["address_country"].value() == "United States"


def test_what_is_sometimes_needed_is_not_called_optional(owner):
    fields = OwnerForm(owner).fields

    conditional = {name for name, field in fields.items() if field.is_conditional}
    numbers = {"ssn", "passport_number", "id_gov_number"}
    assert conditional == {"address_state", "address_postal_code", *numbers}
