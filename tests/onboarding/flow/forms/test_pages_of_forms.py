"""The pages of the flow show each field of their form."""

import re

import pytest

ONCE_FOUND = {"industry_pick"}  # a choice among the industries that a search finds


FOLDER = "templates/onboarding/flow/steps"
TEMPLATES = {"you": "you.html", "business": "business.html", "owners/add": "owner.html"}


@pytest.mark.parametrize("page", TEMPLATES)
def test_each_field_of_a_form_is_on_its_page(flow, page):
    answer = flow.get(page)

    shown = set(re.findall(r'name="(\w+)"', answer.content.decode()))
    wanted = {
        one for one in answer.context["form"].fields if not one.startswith("mailing_address_")
    }
    missing = wanted - shown - ONCE_FOUND
    assert not missing, f"Add {missing} to {FOLDER}/{TEMPLATES[page]}."
