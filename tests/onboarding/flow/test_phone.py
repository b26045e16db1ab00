"""A phone adds pictures of one identification by a link from a computer, and sees nothing else."""

import re
from datetime import timedelta
from decimal import Decimal
from unittest.mock import Mock

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, IdentityStatus, Supplier
from onboarding.flow.phone import COOKIE
from onboarding.models import Application, Document, FlowSession, PhoneLink
from onboarding.services.access import links, sessions
from onboarding.services.leads import owner_invitations
from onboarding.uploads import StorageUnavailable
from tests.factories import make_document
from tests.id_pictures import card, surface
from tests.onboarding.flow.test_part import Part

CARD = "GOVERNMENT_IDENTIFICATION"


@pytest.fixture
def flow(make_flow, make_lead):
    """A sole proprietor at a computer, who has come in."""
    flow = make_flow(
        make_lead(
            business_type="SSN",
            first_name="Ada",
            last_name="Byron",
            email="ada@example.com",
            business_name="Bread",
        )
    )
    flow.come_in()
    return flow


class Phone:
    """A phone that has scanned the code."""

    def __init__(self, link, client=None):
        self.path = f"/apply/phone/{links.derive_phone_link(link.external_id)}"
        self.client = client or Client()

    def start(self):
        return self.client.post(self.path)

    def get(self, page=""):
        return self.client.get(self.path + page)

    def send(self, kind=CARD, **fields):
        sent = {f"{side}-OWN": file for side, file in fields.items()}
        return self.client.post(f"{self.path}/photos", {**sent, "kind-OWN": kind, "end": "1"})

    def press(self, **fields):
        return self.client.post(f"{self.path}/photos", {**fields, "end": "1"})

    def see(self, answer):
        """Return the page to which the answer of a form leads."""
        assert answer.status_code == 303
        return self.client.get(answer["Location"]).content.decode()


def picture(text="front", name="image.png", **looks):
    return SimpleUploadedFile(name, card(text, **looks), "image/png")


def ask(computer, page="documents", whose="applicant"):
    """Press the button at the computer, and return the page with the code."""
    return computer.send(page, {"phone": whose, "end": "1"})["Location"]


@pytest.fixture
def code(flow):
    return ask(flow)


@pytest.fixture
def phone(code):
    phone = Phone(PhoneLink.objects.get())
    phone.start()
    return phone


def in_use():
    return Document.objects.exclude(status=DocumentStatus.REPLACED)


def test_a_computer_shows_a_code_and_a_link_of_which_only_the_digest_is_stored(flow, code):
    page = flow.client.get(code).content.decode()

    link = PhoneLink.objects.get()
    assert "<svg" in page
    assert links.phone_location(link) in page
    assert links.derive_phone_link(link.external_id) not in str(vars(link))
    assert link.expires_at - link.created_at == timedelta(minutes=15)
    assert flow.lead.events.filter(type="phone.linked").count() == 1


def test_a_phone_adds_both_sides_and_the_computer_sees_them_come(flow, code, phone):
    def watched():
        return re.search(r'data-watched="([\w-]+)"', flow.client.get(code).content.decode())[1]

    assert watched() == "entered-0"
    phone.send(front=picture())
    assert watched() == "entered-1"

    done = phone.send(back=picture("back"))

    assert "We have received your photos" in phone.see(done)
    assert "We have received your photos" in phone.see(done)  # a reload sends nothing again
    assert watched() == "complete-2"
    assert {(one.side, one.supplied_by, one.owner) for one in in_use()} == {
        ("FRONT", Supplier.APPLICANT, None),
        ("BACK", Supplier.APPLICANT, None),
    }
    assert "Complete" in flow.get("documents").content.decode()
    assert flow.lead.events.filter(type="phone.entered").count() == 1


def test_a_link_that_is_used_up_adds_nothing_more(phone):
    phone.send(front=picture(), back=picture("back"))

    assert phone.get().status_code == 410
    again = phone.send(front=picture("again"))
    assert "We have received your photos" in phone.see(again)
    assert Client().get(again["Location"])["Location"] == phone.path  # another phone
    assert in_use().count() == 2


def test_the_phone_shows_nothing_of_the_application(flow, phone):
    make_document(flow.lead, llc_file_type="UTILITY_BILL", file_name="bill-of-ada.pdf")
    make_document(
        flow.lead,
        llc_file_type=CARD,
        side="FRONT",
        file_name="card-of-ada.png",
        supplied_by=Supplier.APPLICANT,
    )

    shown = (
        phone.get("/photos").content.decode()
        + Phone(PhoneLink.objects.get()).get().content.decode()
    )

    for private in ("Ada", "Byron", "ada@", "Bread", "bill-of-ada", "card-of-ada", "/documents"):
        assert private not in shown


def test_the_key_of_a_phone_opens_nothing_else(flow, phone):
    client = phone.client
    key = client.cookies[COOKIE].value

    for page in ("documents", "you", "status", "review"):
        client.cookies.load({"applicant": key})
        assert client.get(flow.path(page))["Location"].startswith(flow.path())


def test_a_phone_changes_nothing_that_it_has_not_sent(flow, phone):
    mine = {"supplied_by": Supplier.APPLICANT, "llc_file_type": CARD}
    document = make_document(flow.lead, side="FRONT", doubt="DARK", **mine)
    client, path = phone.client, f"{phone.path}/photos"

    replacing = {f"replacement-{document.external_id}": picture("new"), "end": "1"}
    assert client.post(path, replacing).status_code == 404
    assert phone.press(confirm=str(document.external_id)).status_code == 404
    other = {"files-OTHER": picture("new"), "kind-OTHER": CARD, "end": "1"}
    assert client.post(path, other).status_code == 404
    assert Document.objects.count() == 1


def test_a_phone_sends_a_file_again_that_the_computer_had_sent(flow, phone):
    flow.send("documents", {"front-OWN": picture(), "kind-OWN": CARD, "end": "1"})
    Document.objects.update(status=DocumentStatus.REJECTED, status_reason="Glare.")

    page = phone.send(front=picture())

    assert "Front side" in phone.see(page)
    assert "image.png" not in phone.get("/photos").content.decode()


def test_a_phone_replaces_no_good_picture_of_the_computer(flow, phone):
    mine = {"supplied_by": Supplier.APPLICANT, "llc_file_type": CARD}
    document = make_document(flow.lead, side="FRONT", **mine)

    phone.send(front=picture("another"))

    document.refresh_from_db()
    assert document.status == DocumentStatus.RECEIVED


def test_a_phone_is_told_what_is_wrong_and_confirms_a_doubt(phone):
    blank = SimpleUploadedFile("image.png", surface(), "image/png")
    answer = phone.send(front=blank)
    assert "nothing can be seen" in phone.see(answer)
    assert "nothing can be seen" not in phone.see(answer)  # it is said once

    page = phone.see(phone.send(front=picture(blur=14), back=picture("back")))
    assert "looks blurred" in page
    document = in_use().get(side="FRONT")

    done = phone.press(confirm=str(document.external_id))

    assert "We have received your photos" in phone.see(done)


def test_a_computer_shows_no_picture_that_a_phone_sent(flow, code, phone):
    phone.send(front=picture())
    document = in_use().get()

    assert flow.get(f"documents/{document.external_id}").status_code == 404
    page = flow.get("documents").content.decode()
    assert "image.png" in page
    assert str(document.external_id) not in re.findall(r'href="([^"]+)"', page)


# Attempts to break in


def test_only_the_first_of_two_phones_comes_in(code):
    link = PhoneLink.objects.get()
    first, second = Phone(link), Phone(link)
    assert second.get().status_code == 200

    assert first.start()["Location"].endswith("/photos")
    assert second.start()["Location"] == second.path

    assert second.get().status_code == 410
    assert second.get("/photos").status_code == 303
    assert second.send(front=picture())["Location"] == second.path
    assert not Document.objects.exists()
    assert first.get()["Location"].endswith("/photos")


@pytest.mark.parametrize("key", ["", "a-guess", "another's"])
def test_a_phone_without_its_key_is_refused(phone, key, make_flow, make_lead):
    if key == "another's":
        other = make_flow(make_lead(business_type="SSN"))
        other.come_in()
        ask(other)
        another = Phone(PhoneLink.objects.order_by("-pk").first())
        another.start()
        key = another.client.cookies[COOKIE].value
    stranger = Phone(PhoneLink.objects.order_by("pk").first())
    stranger.client.cookies.load({COOKIE: key})

    assert stranger.get("/photos").status_code == 303
    assert stranger.send(front=picture())["Location"] == stranger.path
    assert not Document.objects.exists()


def test_refusals_of_a_known_link_have_the_name_of_the_partner(flow, code, phone, monkeypatch):
    name = flow.lead.partner.shown_name
    large = phone.client.post(f"{phone.path}/photos", {}, CONTENT_LENGTH=str(10**9))
    used = Client().get(phone.path)
    with monkeypatch.context() as patch:
        patch.setattr("onboarding.flow.phone.receive", Mock(side_effect=StorageUnavailable))
        unstored = phone.send(front=picture())
    flow.client.post(code)
    ended = phone.get()

    found = [
        (one.status_code, name in one.content.decode()) for one in (large, used, unstored, ended)
    ]
    assert found == [(413, True), (410, True), (503, True), (410, True)]
    assert name not in Client().get("/apply/phone/nothing").content.decode()


END = {
    "15 minutes": lambda flow, code: PhoneLink.objects.update(expires_at=timezone.now()),
    "cancelled": lambda flow, code: flow.client.post(code),
    "a newer link": lambda flow, code: ask(flow),
    "the applicant has left": lambda flow, code: flow.send("leave"),
    "session over": lambda flow, code: FlowSession.objects.update(expires_at=timezone.now()),
    "submitted": lambda flow, code: Application.objects.update(
        status=Status.SUBMITTED, status_changed_at=timezone.now()
    ),
    "withdrawn": lambda flow, code: flow.send("withdraw"),
    "a newer attempt": lambda flow, code: Application.objects.update(is_current=False),
}


@pytest.mark.parametrize("end", END.values(), ids=END)
def test_a_link_that_has_ended_adds_nothing(flow, code, phone, end):
    fresh = Phone(PhoneLink.objects.get())

    end(flow, code)

    assert phone.send(front=picture())["Location"] == phone.path
    assert phone.get().status_code == 410
    assert fresh.get().status_code == 410
    assert fresh.start()["Location"] == fresh.path
    assert not Document.objects.exists()


@pytest.mark.parametrize("token", ["nothing", "x" * 500])
def test_a_link_that_never_was_is_answered_the_same(db, token):
    client = Client()

    assert client.get(f"/apply/phone/{token}").status_code == 410
    assert client.post(f"/apply/phone/{token}").status_code == 303
    assert client.get(f"/apply/phone/{token}/photos").status_code == 303


def test_another_session_does_not_see_the_code(flow, code, make_flow, make_lead):
    other = make_flow(make_lead(email="eve@example.com", business_type="SSN"))
    other.come_in()
    path = other.path(f"documents/phone/{PhoneLink.objects.get().external_id}")

    assert other.client.get(path).status_code == 404
    other.client.post(path)
    assert PhoneLink.objects.get().closed_at is None


def test_so_many_links_are_made_an_hour_and_no_more(flow, settings):
    settings.PHONE_LINKS_PER_HOUR = 2
    for _ in range(2):
        assert "/phone/" in ask(flow)

    response = flow.post("documents", {"phone": "applicant", "end": "1"})

    assert "You have asked for too many links" in response.content.decode()
    assert PhoneLink.objects.count() == 2


def test_forms_of_a_phone_need_the_token_of_the_page(code):
    phone = Phone(PhoneLink.objects.get(), Client(enforce_csrf_checks=True))

    assert phone.start().status_code == 403
    assert phone.send(front=picture()).status_code == 303  # it has no key


# Others than the applicant


@pytest.fixture
def grace(flow, make_owner):
    return make_owner(
        flow.lead, email="grace@example.com", first_name="Grace", ownership_percent=Decimal(30)
    )


@pytest.fixture
def verifying(flow, grace):
    """Grace's identity is to be proven."""
    changed = {"status": Status.ID_VERIFICATION, "status_changed_at": timezone.now()}
    Application.objects.filter(pk=flow.pk).update(**changed)
    type(grace).objects.update(identity_status=IdentityStatus.REQUESTED)
    return flow


def test_an_applicant_adds_the_pictures_of_an_owner_at_the_same_computer(verifying, grace):
    ask(verifying, whose=str(grace.external_id))
    phone = Phone(PhoneLink.objects.get())
    phone.start()
    assert "Grace" not in phone.get("/photos").content.decode()

    phone.send(kind="PASSPORT", front=picture())

    assert in_use().get().owner == grace
    assert Application.objects.get(pk=verifying.pk).status != Status.ID_VERIFICATION


def test_an_owner_uses_a_phone_for_their_own_part(flow, grace, make_invitation):
    part = Part(make_invitation(grace, at=timezone.now()), flow.application)
    part.come_in()
    code = ask(part, "identification", whose="applicant")
    assert part.client.get(code).status_code == 200
    phone = Phone(PhoneLink.objects.get())
    phone.start()

    phone.send(kind="PASSPORT", front=picture())

    document = in_use().get()
    assert (document.owner, document.supplied_by) == (grace, Supplier.OWNER)


def test_an_owner_makes_no_link_for_somebody_else(flow, grace, make_owner, make_invitation):
    alan = make_owner(flow.lead, email="alan@example.com")
    part = Part(make_invitation(grace, at=timezone.now()), flow.application)
    part.come_in()

    ask(part, "identification", whose=str(alan.external_id))

    assert PhoneLink.objects.get().owner == grace


def test_a_link_of_an_owner_ends_when_the_applicant_takes_over(flow, grace, make_invitation):
    part = Part(make_invitation(grace, at=timezone.now()), flow.application)
    part.come_in()
    ask(part, "identification")
    phone = Phone(PhoneLink.objects.get())
    phone.start()

    owner_invitations.take_over(flow.application, str(grace.external_id), at=timezone.now())

    assert phone.send(kind="PASSPORT", front=picture())["Location"] == phone.path
    assert not Document.objects.exists()


def test_nobody_makes_a_link_for_an_owner_of_another_business(flow, make_owner):
    stranger = make_owner()

    ask(flow, whose=str(stranger.external_id))

    assert not PhoneLink.objects.exists()


def test_in_a_frame_the_code_is_shown_too(flow):
    opened = sessions.open_session(
        flow.application, language="en", at=timezone.now(), is_embedded=True
    )
    headers = {"Authorization": f"Bearer {opened.key}"}
    root = f"/connect/v1/frame/{flow.lead.external_id}"
    client = Client()

    response = client.post(f"{root}/documents", {"phone": "applicant", "end": "1"}, headers=headers)
    page = client.get(response["Location"], headers=headers).content.decode()

    assert response["Location"].startswith(f"{root}/documents/phone/")
    assert "<svg" in page
    phone = Phone(PhoneLink.objects.get())
    phone.start()
    phone.send(front=picture(), back=picture("back"))
    assert in_use().count() == 2


def test_a_sole_proprietor_comes_back_from_the_phone_to_the_review(flow):
    sent = flow.send("documents?review", {"phone": "applicant", "end": "1"})

    assert flow.client.get(sent["Location"]).context["done_url"] == flow.path("review")


def test_too_many_links_for_phones_are_remarked_on_the_review(flow):
    for _link in range(50):
        sent = flow.send("documents?review", {"phone": "applicant", "end": "1"})
        if sent["Location"] == flow.path("review"):
            break

    assert "too many links" in flow.get("review").content.decode()
