"""A partner gets an owner's link, reads how far the owner is, and is told of it."""

import json

import pytest
from django.test import Client
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Mail, Owner, OwnerInvitation, Publication
from onboarding.services.events import publications
from tests.onboarding.conftest import codes

GRACE = {"email": "grace@example.com", "firstName": "Grace", "ownershipPercent": 40}


@pytest.fixture
def created(api):
    return api.create(uboList=[GRACE])


@pytest.fixture
def path(created):
    return f"lead/{created['customerId']}/owners/{created['uboData'][0]['uboId']}/session"


def test_the_first_call_invites_the_owner(api, created, path):
    answer = api.post(path)

    assert answer.status_code == 200
    body = answer.json()
    assert set(body) == {
        "customerId",
        "uboId",
        "invitationStatus",
        "location",
        "locationExpiresAt",
    }
    assert (body["customerId"], body["uboId"], body["invitationStatus"]) == (
        created["customerId"], created["uboData"][0]["uboId"], "INVITED",
    )  # fmt: skip
    assert Client().get(body["location"]).status_code == 200
    assert not Mail.objects.exists()


def test_the_link_stays_until_it_is_replaced(api, path):
    first, same = api.post(path).json(), api.post(path, {"rotateLink": False}).json()

    other = api.post(path, {"rotateLink": True}).json()

    assert first["location"] == same["location"] != other["location"]
    assert Client().get(first["location"]).status_code == 410
    assert Client().get(other["location"]).status_code == 200


def test_the_bank_mails_the_link_once_for_partners_that_let_it(api, path):
    api.partner.mails_links = True
    api.partner.save()

    for _ in range(2):
        api.post(path)

    assert Mail.objects.get().kind == "OWNER_ASKED"


def test_a_link_is_given_even_if_no_further_mail_is_sent(api, path, settings):
    settings.OWNER_MAILS_PER_DAY = 0
    api.partner.mails_links = True
    api.partner.save()

    assert api.post(path).status_code == 200
    assert not Mail.objects.exists()


def test_a_lead_shows_how_far_each_owner_is(api, created, path):
    lead = f"lead/{created['customerId']}"
    before = api.get(lead).json()
    api.post(path)

    after = api.get(lead).json()

    assert [one["invitationStatus"] for one in before["owners"]] == [None]
    assert [one["invitationStatus"] for one in after["owners"]] == ["INVITED"]
    [waiting] = [one for one in after["requirements"] if one["kind"] == "OWNER"]
    assert (waiting["code"], waiting["uboId"], waiting["satisfiableBy"]) == (
        "OWNER_NOT_COMPLETED", created["uboData"][0]["uboId"], ["OWNER"],
    )  # fmt: skip


def test_the_invitation_is_published_with_the_owners_id(api, created, path):
    api.post(path)

    publications.publish(at=timezone.now())

    body = json.loads(Publication.objects.get(type="owner.invited").body)
    assert body["data"]["uboId"] == created["uboData"][0]["uboId"]
    assert "grace" not in json.dumps(body)


@pytest.mark.parametrize("ubo_id", ["1", "00000000-0000-0000-0000-000000000000", "a%00b"])
def test_an_owner_who_is_not_there_is_not_found(api, created, ubo_id):
    response = api.post(f"lead/{created['customerId']}/owners/{ubo_id}/session")

    assert (response.status_code, codes(response)) == (404, {None: "OWNER_NOT_FOUND"})


def test_an_owner_of_another_lead_is_not_found(api, created, make_owner):
    stranger = make_owner()

    response = api.post(f"lead/{created['customerId']}/owners/{stranger.external_id}/session")

    assert codes(response) == {None: "OWNER_NOT_FOUND"}


def test_another_partners_lead_is_not_found(other_api, path):
    response = other_api.post(path)

    assert codes(response) == {None: "LEAD_NOT_FOUND"}
    assert not OwnerInvitation.objects.exists()


@pytest.mark.parametrize(
    ("email", "code"), [("", "REQUIRED_FIELD_MISSING"), ("ada@example.com", "DUPLICATE_UBO_EMAIL")]
)
def test_an_owner_needs_an_address_of_their_own(api, path, email, code):
    Owner.objects.update(email=email)

    response = api.post(path)

    assert (response.status_code, codes(response)) == (400, {"/email": code})


@pytest.mark.parametrize(
    ("status", "code"),
    [(Status.SUBMITTED, "LEAD_LOCKED"), (Status.WITHDRAWN, "APPLICATION_CLOSED")],
)
def test_nobody_is_invited_into_an_application_that_is_sent_or_closed(api, path, status, code):
    Application.objects.update(status=status)

    response = api.post(path)

    assert (response.status_code, codes(response)) == (409, {None: code})


def test_values_of_the_owner_are_kept_and_the_partner_is_told(api, created, path):
    api.post(path)
    Owner.objects.update(last_name="Hopper", supplied_by={"last_name": "OWNER"})
    sent = {"email": "ada@example.com", "uboList": [{**GRACE, "lastName": "Other", "title": "CTO"}]}

    answer = api.post(f"lead/{created['customerId']}", sent).json()

    assert [one["field"] for one in answer["warnings"]] == ["/uboList/0/lastName"]
    owner = Owner.objects.get()
    assert (owner.last_name, owner.title) == ("Hopper", "CTO")


def test_the_sandbox_submits_for_invited_owners_too(api, created, path):
    api.post(path)

    answer = api.post(f"sandbox/{created['customerId']}/submit")

    assert answer.status_code == 200, answer.content
    assert OwnerInvitation.objects.get().status == "COMPLETED"
