"""Proofs of identity that are sent in the flow: sides of a card, and an owner's own."""

from datetime import date
from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, IdentityStatus, Supplier
from onboarding.models import Application, Document, Lead, Owner
from onboarding.services.leads import owner_invitations
from tests.factories import make_document
from tests.foundation.inspection.test_picture_metadata import ORIENTATION, make, opened
from tests.id_pictures import card, pages, surface
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


def picture(content="front", name="id.png", **looks):
    return SimpleUploadedFile(name, card(content, **looks), "image/png")


def send(browser, page="documents", slot=SLOT, kind=CARD, **sides):
    fields = {f"{side}-{slot}": file for side, file in sides.items()}
    return browser.post(page, {**fields, f"kind-{slot}": kind, "end": "1"})


def said(response):
    assert response.status_code == 200
    return [str(remark.text) for remark in response.context["remarks"]]


def in_use():
    return Document.objects.exclude(status=DocumentStatus.REPLACED)


def test_both_sides_are_sent_in_one_form(flow):
    send(flow, front=picture("front"), back=picture("back"))

    assert sorted(in_use().values_list("side", "llc_file_type")) == [
        ("BACK", CARD),
        ("FRONT", CARD),
    ]
    assert "Complete" in flow.get("documents").content.decode()


def test_both_sides_are_chosen_in_the_field_of_the_front(flow):
    before = flow.get("documents").content.decode()
    send(flow, front=[picture("front", "a.png"), picture("back", "b.png")])

    assert sorted(in_use().values_list("side", "file_name")) == [
        ("BACK", "b.png"),
        ("FRONT", "a.png"),
    ]
    assert "You can choose both pictures at once" in before
    assert " multiple aria-describedby" in before
    Document.objects.filter(side="FRONT").delete()
    assert "You can choose both" not in flow.get("documents").content.decode()


def test_an_error_of_two_pictures_names_its_side(flow):
    small = SimpleUploadedFile("b.png", card(size=(200, 140)), "image/png")

    [remark] = said(send(flow, front=[picture("front", "a.png"), small]))

    assert remark.startswith("Back side: “b.png” was not kept: the picture is too small to read")
    assert in_use().get().side == "FRONT"


@pytest.mark.parametrize(("kind", "first_left"), [(CARD, 2), ("PASSPORT", 1)])
def test_more_pictures_than_sides_are_told(flow, kind, first_left):
    files = [picture(name, f"{name}.png") for name in ("one", "two", "three")]

    remarks = said(send(flow, kind=kind, front=files))

    assert in_use().count() == first_left
    assert [one.partition("” was not sent: send one")[0] for one in remarks] == [
        f"“{name}.png" for name in ("one", "two", "three")[first_left:]
    ]


def test_the_side_that_is_missing_is_asked_for(flow):
    send(flow, front=picture())

    page = flow.get("documents").content.decode()
    assert f'name="back-{SLOT}"' in page
    assert f'name="front-{SLOT}"' not in page


def test_one_picture_for_both_sides_is_told(flow):
    send(flow, front=picture())

    assert said(send(flow, back=picture())) == [
        "“id.png” is the file that you sent as the other side. Send this side, too."
    ]


def test_a_passport_has_no_sides(flow):
    send(flow, kind="PASSPORT", front=picture())

    assert in_use().get().side == ""


def test_a_kind_that_proves_no_identity_has_no_sides(flow):
    assert send(flow, kind="UTILITY_BILL", front=picture()).status_code == 404
    assert not Document.objects.exists()


# An owner's own


def test_an_owner_sends_their_own_identification(part):
    send(part, "identification", "OWN", front=picture("front"), back=picture("back"))

    sent = in_use()
    assert {(one.owner, one.supplied_by) for one in sent} == {(part.owner, Supplier.OWNER)}
    page = part.get("identification").content.decode()
    assert "Complete" in page
    assert "id.png" in page
    assert page.count("from you") == 2


def test_an_owner_replaces_what_they_sent(part):
    send(part, "identification", "OWN", front=picture("old"))
    old = in_use().get()

    fields = {f"replacement-{old.external_id}": picture("new", "new.png"), "end": "1"}
    part.post("identification", fields)

    assert in_use().get().file_name == "new.png"


def test_after_a_complete_identification_an_owner_is_offered_to_replace_it_and_no_more(part):
    send(part, "identification", "OWN", front=picture("front"))
    begun = part.get("completed"), part.get("identification")
    send(part, "identification", "OWN", back=picture("back"))
    send(part, "identification", "OWN", back=picture("better", "better.png"))  # of an old page

    page = part.get("identification").content.decode()

    assert in_use().count() == 2
    assert "We have received your identification." in page
    assert page.count("<summary>Replace") == 2
    assert 'name="front-OWN"' not in page
    assert "Take a photo" not in page
    assert not [one for one in begun if "We have received your" in one.content.decode()]


def test_an_owner_is_not_asked_for_what_the_applicant_has_sent(part, flow):
    make_document(flow.lead, llc_file_type=CARD, file_name="by-ada.pdf", owner=part.owner)

    page = part.get("identification").content.decode()

    assert "We have received your identification." in page
    assert "by-ada.pdf" not in page
    assert 'type="file"' not in page


def test_the_applicant_is_offered_to_replace_a_complete_identification_and_no_more(flow):
    send(flow, front=picture("front"), back=picture("back"))

    page = flow.get("documents").content.decode()

    assert page.count("<summary>Replace") == 2
    assert f'name="files-{SLOT}"' not in page


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
    assert "id.png" not in flow.get("documents").content.decode()


def test_an_owner_who_is_asked_later_comes_in_at_the_identification(part):
    Application.objects.filter(pk=part.pk).update(
        status=Status.ID_VERIFICATION, status_changed_at=timezone.now()
    )
    Owner.objects.filter(pk=part.owner_pk).update(identity_status=IdentityStatus.REQUESTED)

    assert part.get()["Location"] == part.path("identification")

    send(part, "identification", "OWN", front=picture("front"), back=picture("back"))

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


# What can be read


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (card(size=(200, 140)), "the picture is too small to read"),
        (card()[:-3000], "the file is damaged or incomplete"),
        (surface(), "nothing can be seen in the picture"),
    ],
)
def test_a_picture_that_nobody_can_read_is_not_kept(flow, content, text):
    [remark] = said(send(flow, front=SimpleUploadedFile("id.png", content, "image/png")))

    assert remark.startswith("“id.png” was not kept: " + text)
    assert not Document.objects.exists()


def test_a_pdf_with_blank_pages_is_not_kept(flow):
    sent = SimpleUploadedFile("id.pdf", pages(""), "application/pdf")

    assert said(send(flow, front=sent)) == [
        "“id.pdf” was not kept: the pages of the PDF are blank."
    ]


def test_other_documents_are_not_measured(flow):
    sent = SimpleUploadedFile("bill.png", surface(), "image/png")

    flow.post("documents", {"files-OTHER": sent, "kind-OTHER": "UTILITY_BILL", "end": "1"})

    assert Document.objects.get().doubt == ""


def test_a_blurred_picture_counts_once_it_is_confirmed(flow):
    remarks = said(send(flow, front=picture(blur=14), back=picture("back")))
    document = in_use().get(side="FRONT")
    assert remarks == [
        "“id.png” looks blurred. Send a better picture, or confirm that everything is readable."
    ]
    page = flow.get("documents").content.decode()
    assert "Needed" in page
    assert f'name="front-{SLOT}"' in page

    flow.post("documents", {"confirm": str(document.external_id), "end": "1"})

    document.refresh_from_db()
    assert document.doubt == "BLURRED"
    assert document.doubt_confirmed_at is not None
    page = flow.get("documents").content.decode()
    assert "Complete" in page
    assert "looks blurred" not in page


def test_a_better_picture_replaces_a_blurred_one(flow):
    send(flow, front=picture(blur=14))

    send(flow, front=picture())

    assert in_use().get().doubt == ""


def test_an_application_waits_until_a_doubt_is_confirmed(flow):
    Application.objects.filter(pk=flow.pk).update(
        status=Status.ID_VERIFICATION, status_changed_at=timezone.now()
    )
    Lead.objects.update(identity_status=IdentityStatus.REQUESTED)
    send(flow, slot="IDENTITY_PROOF_MISSING", kind="PASSPORT", front=picture(blur=14))
    assert flow.application.status == Status.ID_VERIFICATION

    flow.post("documents", {"confirm": str(in_use().get().external_id), "end": "1"})

    assert flow.application.status != Status.ID_VERIFICATION
    assert flow.lead.events.filter(type="document.confirmed").count() == 1


def test_nobody_confirms_the_files_of_others(flow, part, make_lead):
    of_partner = make_document(flow.lead, llc_file_type=CARD, doubt="DARK")
    of_grace = make_document(
        flow.lead, owner=part.owner, supplied_by=Supplier.OWNER, llc_file_type=CARD, doubt="DARK"
    )
    of_another = make_document(make_lead(), llc_file_type=CARD, doubt="DARK")

    for document in (of_partner, of_grace, of_another):
        flow.post("documents", {"confirm": str(document.external_id), "end": "1"})
    for document in (of_partner, of_another):
        fields = {"confirm": str(document.external_id), "end": "1"}
        assert part.post("identification", fields).status_code == 404

    assert not Document.objects.exclude(doubt_confirmed_at=None).exists()


def test_an_owner_confirms_their_own(part):
    send(part, "identification", "OWN", kind="PASSPORT", front=picture(light=0.12))
    assert "looks too dark" in part.get("identification").content.decode()

    part.post("identification", {"confirm": str(in_use().get().external_id), "end": "1"})

    assert in_use().get().doubt_confirmed_at is not None


def test_an_identification_that_has_expired_is_told_at_its_place(flow):
    Lead.objects.filter(pk=flow.lead.pk).update(id_expiration_date=date(2020, 1, 2))

    page = flow.get("documents").content.decode()

    assert "for this identification, January 2, 2020, has passed" in page.replace(
        "Jan. ", "January "
    )


# Photos of a phone


def test_a_photo_loses_its_place_and_stays_the_right_way_up(flow):
    photo = SimpleUploadedFile("image.jpg", make("JPEG"), "image/jpeg")

    send(flow, front=photo)

    document = in_use().get()
    with document.open_file() as file:
        content = file.read()
    assert dict(opened(content).getexif()) == {ORIENTATION: 6}
    assert (document.size_bytes, document.doubt) == (len(content), "")


def test_photos_of_other_documents_lose_their_place_too(flow):
    photo = SimpleUploadedFile("bill.jpg", make("JPEG"), "image/jpeg")

    flow.post("documents", {"files-OTHER": photo, "kind-OTHER": "UTILITY_BILL", "end": "1"})

    with Document.objects.get().open_file() as file:
        assert b"A phone" not in file.read()


def test_a_photo_that_is_sent_again_is_known(flow):
    for _ in range(2):
        send(flow, front=SimpleUploadedFile("image.jpg", make("JPEG"), "image/jpeg"))

    assert Document.objects.count() == 1


def test_a_heic_picture_is_refused_with_a_way_out(flow):
    heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic\0\0\0\0"

    [remark] = said(send(flow, front=SimpleUploadedFile("IMG_1.HEIC", heic, "image/heic")))

    assert "it is a HEIC picture, which we cannot show. Take a photo on this page" in remark
