"""In a frame a mailed code comes before an owner's own part is asked again, taken or removed."""

from decimal import Decimal

import pytest
from django.utils import timezone

from onboarding.choices import InvitationStatus
from onboarding.models import Mail, Owner, OwnerInvitation, Partner
from tests.onboarding.flow.conftest import CODE
from tests.onboarding.flow.test_code_before_signature import Frame
from tests.onboarding.flow.test_owners import text


@pytest.fixture
def grace(flow, make_owner, make_invitation):
    """An owner who has begun to fill in their part."""
    owner = make_owner(
        flow.lead, email="grace@example.com", first_name="Grace", ownership_percent=Decimal(25)
    )
    owner.ssn, owner.supplied_by = "223456780", {"ssn": "OWNER"}
    owner.save()
    return make_invitation(owner, at=timezone.now()).owner


@pytest.fixture
def frame(flow, grace):
    Mail.objects.all().delete()
    return Frame(flow)


def complete():
    at = timezone.now()
    OwnerInvitation.objects.update(status=InvitationStatus.COMPLETED, completed_at=at)


def path(owner, action):
    return f"owners/{owner.external_id}/{action}"


CHANGES = {
    "take-over": {},
    "remove": {},
    "ask-again": {},
    "invitation": {
        "first_name": "Grace",
        "last_name": "Hopper",
        "email": "eve@example.com",
        "ownership_percent": "25",
    },
}


@pytest.mark.parametrize("action", CHANGES)
def test_a_token_alone_deletes_nothing_of_an_owner(frame, grace, action):
    if action == "ask-again":
        complete()

    answer = frame.post(path(grace, action), CHANGES[action])

    shown = text(frame.follow(answer))
    assert answer["Location"] == f"{frame.root}/{path(grace, 'code')}"
    assert "is filling in their own part. To protect it" in shown
    assert f"the code is {CODE}" in shown
    assert Mail.objects.get().kind == "SIGNING_CODE"
    owner = Owner.objects.get()
    assert (owner.email, owner.ssn) == ("grace@example.com", "223456780")
    expected = "COMPLETED" if action == "ask-again" else "INVITED"
    assert OwnerInvitation.objects.get().status == expected


@pytest.mark.parametrize("action", CHANGES)
def test_with_the_code_the_applicant_does_it(frame, grace, action):
    if action == "ask-again":
        complete()
    frame.post(path(grace, action), CHANGES[action])

    proved = frame.post(path(grace, "code"), {"code": CODE})
    frame.post(path(grace, action), CHANGES[action])

    assert proved["Location"] == f"{frame.root}/{path(grace, 'invitation')}"
    invitations = OwnerInvitation.objects.values_list("status", "owner__email")
    assert (
        list(invitations)
        == {
            "take-over": [("TAKEN_OVER", "grace@example.com")],
            "remove": [],
            "ask-again": [("INVITED", "grace@example.com")],
            "invitation": [("INVITED", "eve@example.com")],
        }[action]
    )


def test_what_was_typed_is_there_after_the_code(frame, grace):
    frame.post(path(grace, "invitation"), CHANGES["invitation"])
    proved = frame.post(path(grace, "code"), {"code": CODE})

    assert frame.follow(proved).context["form"]["email"].value() == "eve@example.com"


def test_a_wrong_code_is_told(frame, grace):
    frame.post(path(grace, "take-over"), {})

    answer = frame.post(path(grace, "code"), {"code": "123456"})

    assert "The code is incorrect" in text(frame.follow(answer))
    assert OwnerInvitation.objects.get().status == "INVITED"


def test_a_partner_that_is_exempt_by_contract_needs_no_code(frame, grace):
    Partner.objects.update(code_waiver_contract="C-12")

    frame.post(path(grace, "take-over"), {})

    assert OwnerInvitation.objects.get().status == "TAKEN_OVER"


def test_the_hosted_page_needs_no_further_code(flow, grace):
    flow.send(path(grace, "take-over"))

    assert OwnerInvitation.objects.get().status == "TAKEN_OVER"


def test_reminding_needs_no_code(frame, grace):
    answer = frame.post(path(grace, "remind"), {})

    assert answer["Location"].endswith("noted=reminded")
