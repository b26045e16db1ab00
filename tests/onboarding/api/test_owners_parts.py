"""What a partner sends about owners who fill in and sign their own part."""

import pytest

from onboarding.models import Owner

EMAIL = "ada@example.com"
SENT = {"email": "grace@example.com", "firstName": "Mallory", "ssn": "111-22-3333", "title": "CTO"}


@pytest.fixture
def lead(api, make_invitation):
    created = api.create(
        email=EMAIL, uboList=[{**SENT, "firstName": "Grace", "ssn": "123-45-6789"}]
    )
    make_invitation(Owner.objects.get())
    return created["customerId"]


@pytest.mark.parametrize("ssn", ["111-22-3333", "123-45-6789"])
def test_a_partner_changes_only_what_is_said_about_an_owner(api, lead, ssn):
    answer = api.post(f"lead/{lead}", {"email": EMAIL, "uboList": [{**SENT, "ssn": ssn}]})

    owner = Owner.objects.get()
    assert (owner.first_name, owner.ssn, owner.title) == ("Grace", "123456789", "CTO")
    fields = {warning["field"] for warning in answer.json()["warnings"]}
    assert {"/uboList/0/firstName", "/uboList/0/ssn"} <= fields


def test_a_partner_removes_no_owner_with_a_part(api, lead):
    answer = api.post(f"lead/{lead}", {"email": EMAIL, "uboList": None})

    assert answer.status_code == 200
    assert Owner.objects.count() == 1
    assert [warning["field"] for warning in answer.json()["warnings"]] == ["/uboList"]
