"""The applicant asks an owner to fill in their part, sees that the bank waits, may take over."""

from datetime import date
from decimal import Decimal

import pytest
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import InvitationStatus
from onboarding.event_types import MailKind
from onboarding.models import Application, FormDraft, Mail, Owner, OwnerInvitation, Partner
from onboarding.services.access import links
from tests.onboarding.flow.conftest import errors
from tests.onboarding.flow.test_owners import RIGHT, page_of, text

GRACE = {
    "first_name": "Grace",
    "last_name": "Hopper",
    "email": "grace@example.com",
    "ownership_percent": "25",
}
PRIVATE = ["123456780", "6780", "1976", "Cobol Street", "5550124"]


@pytest.fixture
def owner(flow, make_owner):
    Partner.objects.update(name="Analytical Partners")  # its number could be one of PRIVATE
    return make_owner(
        flow.lead, email="grace@example.com", first_name="Grace", ownership_percent=Decimal(25)
    )


@pytest.fixture
def invited(owner, make_invitation):
    """An owner who is waited for, and has begun to fill in their part."""
    owner.ssn, owner.phone_number = "123456780", "+12025550124"
    owner.address = {"line1": "2 Cobol Street", "city": "Arlington"}
    owner.birth_date = date(1976, 1, 1)
    entered = ["ssn", "phone_number", "birth_date", "address"]
    owner.supplied_by = dict.fromkeys(entered, "OWNER")
    owner.save()
    return make_invitation(owner, at=timezone.now()).owner


@pytest.fixture
def completed(invited):
    at = timezone.now()
    OwnerInvitation.objects.update(status=InvitationStatus.COMPLETED, completed_at=at)
    return invited


def status():
    return OwnerInvitation.objects.get().status


@pytest.mark.parametrize(
    ("language", "words", "of_grace"),
    [
        ("en", "Ask an owner to fill in their part", "Ask Grace to fill in their part"),
        (
            "es",
            "Pedir a un propietario que complete su parte",
            "Pedir a Grace que complete su parte",
        ),
    ],
)
def test_the_page_says_what_an_owner_is_asked_for(flow, owner, settings, language, words, of_grace):
    flow.client.cookies[settings.LANGUAGE_COOKIE_NAME] = language

    assert f'href="{flow.path("owners/ask")}">{words}</a>' in text(flow.get("owners"))
    assert f"<h1>{words}</h1>" in text(flow.get("owners/ask"))
    assert f"<h1>{of_grace}</h1>" in text(flow.get(page_of(owner, "/invitation")))


def test_a_new_owner_is_asked_by_email(flow):
    response = flow.fill_in("owners/ask", **GRACE)

    owner, mail = Owner.objects.get(), Mail.objects.first()
    assert (response.status_code, response["Location"]) == (303, flow.path("owners"))
    assert (owner.full_name, owner.ownership_percent) == ("Grace Hopper", 25)
    assert (mail.kind, mail.owner) == (MailKind.OWNER_ASKED, owner)
    assert '<h2>Grace Hopper <span class="tag tag-mark">Waiting for their part</span></h2>' in text(
        flow.get("owners")
    )


def test_an_owner_who_is_asked_twice_is_one(flow):
    flow.fill_in("owners/ask", **GRACE)

    response = flow.send("owners/ask", GRACE)

    assert response["Location"] == flow.path(page_of(Owner.objects.get(), "/invitation"))
    assert Mail.objects.filter(kind=MailKind.OWNER_ASKED).count() == 1


def test_a_wrong_address_is_told_and_nobody_is_asked(flow):
    response = flow.fill_in("owners/ask", **GRACE | {"email": "grace@"})

    assert set(errors(response)) == {"email"}
    assert response.context["form"]["first_name"].value() == "Grace"
    assert not OwnerInvitation.objects.exists()


def test_an_owner_who_is_asked_again_with_a_right_share_leaves_no_draft(flow):
    flow.fill_in("owners/ask", **GRACE | {"ownership_percent": "125"})

    response = flow.send("owners/ask", GRACE)

    assert response["Location"] == flow.path("owners")
    assert Owner.objects.get().ownership_percent == 25
    assert not FormDraft.objects.exists()


def test_the_applicant_is_not_asked(flow):
    response = flow.fill_in("owners/ask", **GRACE | {"email": "Ada@example.com"})

    assert "your own" in errors(response)["email"]


def test_too_large_a_share_is_told_and_nobody_is_asked(flow):
    response = flow.fill_in("owners/ask", **GRACE | {"ownership_percent": "101"})

    assert set(errors(response)) == {"ownership_percent"}
    assert not OwnerInvitation.objects.exists()


def test_an_owner_on_the_list_is_asked(flow, owner):
    assert page_of(owner, "/invitation") in text(flow.get("owners"))

    response = flow.fill_in(page_of(owner, "/invitation"), last_name="Hopper")

    assert response["Location"] == flow.path("owners")
    assert (status(), Mail.objects.first().owner) == (InvitationStatus.INVITED, owner)


def test_an_owner_with_the_applicants_email_is_not_asked(flow, make_owner):
    owner = make_owner(flow.lead, email="ada@example.com", first_name="Ada", last_name="B")

    response = flow.fill_in(page_of(owner, "/invitation"), ownership_percent="10")

    assert set(errors(response)) == {"email"}
    assert not OwnerInvitation.objects.exists()


def test_leaving_the_page_asks_nobody(flow, owner):
    flow.send(page_of(owner, "/invitation"), {**GRACE, "then": "back"})

    assert not OwnerInvitation.objects.exists()
    assert Owner.objects.get().last_name == "Hopper"


@pytest.mark.parametrize("page", ["owners", "review", "documents", "you"])
def test_no_page_shows_what_an_owner_entered(flow, completed, page):
    shown = text(flow.get(page))

    assert not [one for one in PRIVATE if one in shown]


def test_the_page_of_an_owner_shows_no_more_than_name_and_share(flow, invited):
    waiting = text(flow.get(page_of(invited, "/invitation")))
    OwnerInvitation.objects.update(status="COMPLETED", completed_at=timezone.now())

    done = text(flow.get(page_of(invited, "/invitation")))

    assert "Waiting for Grace" in waiting
    assert "You can sign the application when this part is complete." in waiting
    assert "You do not see what they entered." in done
    assert not [one for one in PRIVATE if one in waiting + done]


@pytest.mark.parametrize("method", ["get", "send"])
def test_the_whole_form_of_an_invited_owner_is_not_there(flow, completed, method):
    response = getattr(flow, method)(page_of(completed), *([RIGHT] if method == "send" else []))

    assert response["Location"] == flow.path(page_of(completed, "/invitation"))
    assert Owner.objects.get().ssn == "123456780"


def test_an_invited_owner_is_not_added_again(flow, invited):
    sent = RIGHT | {"first_name": "Grace", "last_name": ""}

    response = flow.send("owners/add", sent)

    assert response["Location"] == flow.path(page_of(invited, "/invitation"))
    assert Owner.objects.get().ssn == "123456780"


def test_another_address_gets_another_link(flow, invited):
    old = OwnerInvitation.objects.get().link_digest

    flow.fill_in(page_of(invited, "/invitation"), email="hopper@example.com", last_name="Hopper")

    assert OwnerInvitation.objects.get().link_digest != old
    assert Owner.objects.get().email == "hopper@example.com"
    assert Mail.objects.first().kind == MailKind.OWNER_ASKED


def test_the_name_and_the_address_of_who_completed_stay(flow, completed):
    flow.fill_in(page_of(completed, "/invitation"), ownership_percent="30")
    flow.send(page_of(completed, "/invitation"), GRACE | {"email": "eve@example.com"})

    owner = Owner.objects.get()
    assert (owner.email, owner.last_name, owner.ownership_percent) == ("grace@example.com", "", 25)


def test_an_owner_is_reminded(flow, invited):
    response = flow.send(page_of(invited, "/remind"))

    assert "We are sending a reminder" in text(flow.client.get(response["Location"]))
    assert Mail.objects.first().kind == MailKind.OWNER_REMINDER


def test_only_so_many_reminders_are_sent(flow, invited, settings):
    settings.OWNER_MAILS_PER_DAY = 0

    response = flow.send(page_of(invited, "/remind"))

    assert "Try again tomorrow" in text(flow.client.get(response["Location"]))


def test_an_address_that_cannot_be_written_to_today_stays_typed(flow, invited, settings):
    settings.OWNER_MAILS_PER_DAY = 0

    response = flow.fill_in(
        page_of(invited, "/invitation"), email="hopper@example.com", last_name="Hopper"
    )

    assert response.context["form"]["email"].value() == "hopper@example.com"
    assert Owner.objects.get().email == "grace@example.com"


def test_who_completed_is_not_reminded_and_can_be_asked_again(flow, completed):
    assert flow.send(page_of(completed, "/remind"))["Location"] == flow.path("owners")

    flow.send(page_of(completed, "/ask-again"))

    assert status() == InvitationStatus.INVITED


def test_a_part_is_taken_over_after_a_question(flow, invited):
    question = text(flow.get(page_of(invited, "/take-over")))

    response = flow.send(page_of(invited, "/take-over"))

    assert "Fill in the part of Grace yourself?" in question
    assert response["Location"] == flow.path(page_of(invited))
    form = text(flow.get(page_of(invited)))
    assert not [one for one in PRIVATE if one in form]
    assert (status(), Owner.objects.get().ssn) == (InvitationStatus.TAKEN_OVER, "")
    flow.fill_in(page_of(invited), **RIGHT)
    assert Owner.objects.get().ssn == "223456781"


def test_the_signature_waits(flow, invited):
    review = flow.get("review")

    missing = [(one.whose, str(one.message), one.url) for one in review.context["missing"]]
    url = flow.path(page_of(invited, "/invitation"))
    assert ("Grace", "We are waiting for this owner to complete their part.", url) in missing


@pytest.mark.parametrize("then", ["/invitation", "/remind", "/ask-again", "/take-over"])
def test_after_the_submission_nobody_is_asked(flow, invited, then):
    Application.objects.update(status=Status.SUBMITTED)

    answers = [flow.send(page_of(invited, then), GRACE), flow.get(page_of(invited, then))]

    assert {answer["Location"] for answer in answers} == {flow.path("status")}
    assert status() == InvitationStatus.INVITED


@pytest.mark.parametrize("then", ["/invitation", "/remind", "/ask-again", "/take-over"])
def test_owners_of_other_leads_are_not_found(flow, make_owner, make_invitation, then):
    stranger = make_invitation(make_owner(first_name="Charles")).owner

    answers = [flow.send(page_of(stranger, then), GRACE), flow.get(page_of(stranger, then))]

    assert {answer.status_code for answer in answers} == {404}
    assert (Mail.objects.filter(owner=stranger).exists(), status()) == (False, "INVITED")


def test_an_owners_link_is_on_no_page_of_the_applicant(flow, invited):
    link = links.derive_owner_link(OwnerInvitation.objects.get())

    pages = ["owners", "review", page_of(invited, "/invitation"), page_of(invited, "/take-over")]

    assert not [page for page in pages if link in text(flow.get(page))]


@pytest.mark.parametrize("email", ["", "ada@example.com"])
def test_a_completed_owner_without_an_own_address_is_not_asked_again(flow, completed, email):
    Owner.objects.filter(pk=completed.pk).update(email=email)
    flow.lead.email = "ada@example.com"
    flow.lead.save()

    response = flow.send(page_of(completed, "/ask-again"))

    page = text(flow.client.get(response["Location"]))
    assert "does not have an email address of their own" in page
    assert status() == InvitationStatus.COMPLETED
