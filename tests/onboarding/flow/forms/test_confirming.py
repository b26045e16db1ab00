"""Questions about doubtful values, at their fields."""

from django.http import QueryDict

from onboarding.flow.forms.people import OwnerForm
from onboarding.models import Owner

ADDRESS = "address_country=US&address_line1=1+Way&address_city=X&address_state=NY"


def form(owner, sent):
    bound = OwnerForm(owner, QueryDict(sent))
    bound.is_valid()
    return bound


def test_a_box_confirms_the_value_that_it_names(make_lead):
    owner = Owner(lead=make_lead())
    sent = f"{ADDRESS}&address_postal_code=90210"

    asked = form(owner, sent)
    ticked = form(owner, f"{sent}&sure=address_postal_code%3DNY+90210")
    other = form(owner, f"{sent}&sure=address_postal_code%3DNY+90211")

    assert "address_postal_code" in asked.errors
    assert asked.fields["address_postal_code"].sure == "address_postal_code=NY 90210"
    assert "address_postal_code" not in ticked.errors
    assert ticked.confirmed == {"address.postal_code": "NY 90210"}
    assert "address_postal_code" in other.errors
