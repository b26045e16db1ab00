"""The pages of the flow show each field of their form."""

import re

import pytest

ONCE_FOUND = {"industry_pick"}  # a choice among the industries that a search finds


@pytest.mark.parametrize("page", ["you", "business", "owners/add"])
def test_each_field_of_a_form_is_on_its_page(flow, page):
    answer = flow.get(page)

    shown = set(re.findall(r'name="(\w+)"', answer.content.decode()))
    wanted = {
        one for one in answer.context["form"].fields if not one.startswith("mailing_address_")
    }
    missing = wanted - shown - ONCE_FOUND
    assert not missing, f"Add {missing} to the template of {page} in templates/."
