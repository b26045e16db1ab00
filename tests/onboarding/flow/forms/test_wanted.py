"""Messages for blank fields."""

import pytest

from onboarding.flow.forms import wanted
from onboarding.flow.forms.business import BusinessForm
from onboarding.flow.forms.people import ApplicantForm, OwnerForm
from onboarding.models import Lead, Owner


@pytest.mark.parametrize(
    ("form", "person"),
    [(ApplicantForm, Lead()), (BusinessForm, Lead()), (OwnerForm, Owner(lead=Lead()))],
)
def test_each_required_field_has_a_message_of_its_own(form, person):
    fields = form(person).fields

    blank = [name for name, field in fields.items() if field.required]

    assert blank
    assert not [name for name in blank if not wanted.find(form.wanted, name)]
