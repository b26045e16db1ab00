"""The pages of the flow show each field of their form."""

import re

import pytest


@pytest.mark.parametrize("page", ["you", "business", "owners/add"])
def test_each_field_of_a_form_is_on_its_page(flow, page):
    answer = flow.get(page)

    shown = set(re.findall(r'name="(\w+)"', answer.content.decode()))
    missing = answer.context["form"].fields.keys() - shown
    assert not missing, f"Add {missing} to {answer.template_name[0]} in templates/."
