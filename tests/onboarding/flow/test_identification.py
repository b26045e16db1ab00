"""Proofs of identity that are sent in the flow: sides of a card, and an owner's own."""

from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, IdentityStatus, Supplier
from onboarding.models import Application, Document, Lead, Owner
from onboarding.services.leads import owner_invitations
from tests.factories import PDF, make_document
from tests.onboarding.flow.test_part import Part

CARD, SLOT = "GOVERNMENT_IDENTIFICATION", "GOVERNMENT_IDENTIFICATION"


@pytest.fixture
def flow(make_flow, make_lead):
    """A sole proprietor, who has come in."""
    flow = make_flow(make_lead(business_type="SSN", first_name="Ada"))
    flow.come_in()
    return flow


@pytest.fixture
def part(flow, make_owner, make_invitation):
    """Grace, an owner who has come in by a link of her own."""
    grace = make_owner(
        flow.lead, email="grace@example.com", first_name="Grace", ownership_percent=Decimal(30)
    )
    part = Part(make_invitation(grace, at=timezone.now()), flow.application)
    part.come_in()
    return part


def picture(content=b"front", name="id.pdf"):
    return SimpleUploadedFile(name, PDF + content, "application/pdf")


def send(browser, page="documents", slot=SLOT, kind=CARD, **sides):
    fields = {f"{side}-{slot}": file for side, file in sides.items()}
    return browser.post(page, {**fields, f"kind-{slot}": kind, "end": "1"})


def said(response):
    assert response.status_code == 200
    return [str(remark.text) for remark in response.context["remarks"]]


def in_use():
    return Document.objects.exclude(status=DocumentStatus.REPLACED)


def test_both_sides_are_sent_in_one_form(flow):
    send(flow, front=picture(b"front"), back=picture(b"back"))

    assert sorted(in_use().values_list("side", "llc_file_type")) == [
        ("BACK", CARD),
        ("FRONT", CARD),
    ]
    assert "Complete" in flow.get("documents").content.decode()


def test_the_side_that_is_missing_is_asked_for(flow):
    send(flow, front=picture())

    page = flow.get("documents").content.decode()
    assert f'name="back-{SLOT}"' in page
    assert f'name="front-{SLOT}"' not in page


def test_one_picture_for_both_sides_is_told(flow):
    send(flow, front=picture())

    assert said(send(flow, back=picture())) == [
        "“id.pdf” is the file that you sent as the other side. Send this side, too."
    ]


def test_a_passport_has_no_sides(flow):
    send(flow, kind="PASSPORT", front=picture())

    assert in_use().get().side == ""


def test_a_kind_that_proves_no_identity_has_no_sides(flow):
    assert send(flow, kind="UTILITY_BILL", front=picture()).status_code == 404
    assert not Document.objects.exists()


# An owner's own


def test_an_owner_sends_their_own_identification(part):
    send(part, "identification", "OWN", front=picture(b"front"), back=picture(b"back"))

    sent = in_use()
    assert {(one.owner, one.supplied_by) for one in sent} == {(part.owner, Supplier.OWNER)}
    page = part.get("identification").content.decode()
    assert "Complete" in page
    assert "id.pdf" in page


def test_an_owner_replaces_what_they_sent(part):
    send(part, "identification", "OWN", front=picture(b"old"))
    old = in_use().get()

    fields = {f"replacement-{old.external_id}": picture(b"new", "new.pdf"), "end": "1"}
    part.post("identification", fields)

    assert in_use().get().file_name == "new.pdf"


def test_an_owner_sees_and_changes_nothing_of_others(part, flow):
    of_ada = make_document(flow.lead, llc_file_type=CARD, file_name="ada.pdf")
    of_grace = make_document(
        flow.lead, llc_file_type=CARD, file_name="grace-by-ada.pdf", owner=part.owner
    )

    page = part.get("identification").content.decode()
    assert "ada.pdf" not in page
    for document in (of_ada, of_grace):
        fields = {f"replacement-{document.external_id}": picture(), "end": "1"}
        assert part.post("identification", fields).status_code == 404
    fields = {"files-OTHER": picture(), "kind-OTHER": CARD, "end": "1"}
    assert part.post("identification", fields).status_code == 404
    assert in_use().count() == 2


def test_the_owner_of_a_form_is_the_one_who_came_in(part, flow, make_owner):
    alan = make_owner(flow.lead, email="alan@example.com")
    fields = {"front-OWN": picture(), "kind-OWN": CARD, "owner-OWN": str(alan.external_id)}

    part.post("identification", {**fields, "end": "1"})

    assert in_use().get().owner == part.owner


def test_the_applicant_opens_nothing_that_an_owner_sent(part, flow):
    send(part, "identification", "OWN", front=picture())
    document = in_use().get()

    assert flow.get(f"documents/{document.external_id}").status_code == 404
    assert "id.pdf" not in flow.get("documents").content.decode()


def test_an_owner_who_is_asked_later_comes_in_at_the_identification(part):
    Application.objects.filter(pk=part.pk).update(
        status=Status.ID_VERIFICATION, status_changed_at=timezone.now()
    )
    Owner.objects.filter(pk=part.owner_pk).update(identity_status=IdentityStatus.REQUESTED)

    assert part.get()["Location"] == part.path("identification")

    send(part, "identification", "OWN", front=picture(b"front"), back=picture(b"back"))

    assert Application.objects.get(pk=part.pk).status != Status.ID_VERIFICATION
    assert part.get()["Location"] == part.path("completed")


@pytest.mark.parametrize("status", [Status.APPROVED, Status.DENIED])
def test_an_application_that_is_decided_takes_no_identification(part, status):
    Application.objects.filter(pk=part.pk).update(status=status)

    response = part.send("identification", {"front-OWN": picture(), "kind-OWN": CARD, "end": "1"})

    assert response.status_code == 303
    assert not Document.objects.exists()


def test_what_an_owner_sent_is_set_aside_when_the_applicant_takes_over(part, flow):
    send(part, "identification", "OWN", front=picture())

    owner_invitations.take_over(flow.application, str(part.owner.external_id), at=timezone.now())

    assert not in_use().exists()
    assert Document.objects.exists()
    assert Lead.objects.get(pk=flow.lead.pk).events.filter(type="document.replaced").count() == 1
