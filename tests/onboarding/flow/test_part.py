"""An owner under a link of their own: fills in, signs, and reaches nothing else."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from onboarding import legal_texts
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import InvitationStatus
from onboarding.event_types import EventType, MailKind
from onboarding.flow.journeys import COOKIE
from onboarding.models import (
    AccessCode,
    Application,
    Consent,
    Event,
    FlowSession,
    FormDraft,
    Mail,
    Owner,
    OwnerInvitation,
    OwnerRecord,
)
from onboarding.queries.applications import get_reading_language
from onboarding.services.access import access_codes, links, sessions
from onboarding.services.leads import owner_invitations, owner_parts
from onboarding.services.mails import mail_texts
from tests.onboarding.flow.conftest import CODE, Flow, errors
from tests.onboarding.flow.test_owners import text

PART = {
    "last_name": "Hopper",
    "phone_number": "202-555-0124",
    "birth_date": "1976-01-01",
    "ssn": "223-45-6781",
    "address_country": "US",
    "address_line1": "2 Cobol Street",
    "address_city": "Arlington",
    "address_state": "VA",
    "address_postal_code": "22201",
}
TICKED = {text.value: legal_texts.current(text, "en").version for text in owner_parts.TEXTS}


class Part(Flow):
    """A browser on the pages of one owner."""

    def __init__(self, invitation, application, client=None):
        self.pk, self.owner_pk = application.pk, invitation.owner_id
        self.root = f"/apply/owner/{links.derive_owner_link(invitation)}"
        self.client = client or Client()

    @property
    def owner(self):
        return Owner.objects.get(pk=self.owner_pk)

    def sign(self, **values):
        seen = owner_parts.state_of(self.owner)
        return self.post("sign", {**TICKED, "seen": seen, "signed_name": "Grace Hopper", **values})


@pytest.fixture
def make_part(flow, make_owner, make_invitation):
    """Return a browser on the link of a new owner of Ada's business."""

    def make(**values):
        owner = make_owner(flow.lead, **values)
        return Part(make_invitation(owner, at=timezone.now()), flow.application)

    return make


@pytest.fixture
def part(make_part):
    """Grace, who has come in."""
    part = make_part(
        email="grace@example.com", first_name="Grace", ownership_percent=Decimal("25.5")
    )
    part.come_in()
    return part


def status():
    return OwnerInvitation.objects.get().status


def test_the_start_shows_who_asks_and_mails_the_code_to_the_owner(make_part):
    part = make_part(email="grace@example.com", first_name="Grace")

    shown = text(part.get())
    response = part.send()

    assert "Ada asks for your details" in shown
    assert "Grace" not in shown
    assert response["Location"] == part.path("code")
    mail = Mail.objects.first()
    assert (mail.kind, mail.owner) == (MailKind.OWNER_CODE, part.owner)
    assert "g••••@example.com" in text(part.get("code"))


def test_the_code_for_a_part_that_ended_meanwhile_leads_to_the_page_that_says_so(
    make_part, monkeypatch
):
    part = make_part(email="grace@example.com", first_name="Grace")
    part.send()
    monkeypatch.setattr(
        access_codes,
        "check_code",
        lambda *_asked, **_values: Application.objects.update(status=Status.WITHDRAWN),
    )

    response = part.send("code", {"code": CODE})

    assert (response.status_code, response["Location"]) == (303, part.path())
    assert part.get().status_code == 410
    assert not FlowSession.objects.filter(owner=part.owner).exists()


def test_an_owner_comes_in_fills_in_and_signs(part):
    assert part.get()["Location"] == part.path("details")

    saved = part.fill_in("details", **PART)
    review = text(part.get("sign"))
    signed = part.sign()

    owner = part.owner
    assert saved["Location"] == part.path("sign")
    assert (owner.full_name, owner.ssn, owner.supplied_by["ssn"]) == (
        "Grace Hopper", "223456781", "OWNER",
    )  # fmt: skip
    assert "25.5%" in review
    assert "ending in 6781" in review
    assert signed["Location"] == part.path("completed")
    assert "Your part is complete" in text(part.get("completed"))
    assert {one.ubo_id for one in Consent.objects.all()} == {owner.external_id}
    assert {one.entry for one in Consent.objects.all()} == {"HOSTED"}
    assert status() == InvitationStatus.COMPLETED


@pytest.fixture
def signed(part, settings, tmp_path):
    """Grace, who has signed."""
    settings.LETTER_SIGNING_FILE = tmp_path / "letter.pem"
    part.fill_in("details", **PART)
    part.sign()
    return part


def test_an_owner_keeps_what_they_signed_as_a_page_and_a_file(signed):
    assert signed.path("signed") in text(signed.get("completed"))

    page, file = signed.get("signed"), signed.get("signed.pdf")

    record = OwnerRecord.objects.get()
    for said in ("Grace Hopper", "ending in 6781", "25.5%", record.digest):
        assert said in text(page)
    assert signed.path("legal/PRIVACY_NOTICE") in text(page)
    assert file.content.startswith(b"%PDF-")
    event = Event.objects.get(type=EventType.OWNER_COMPLETED)
    assert event.details["record_digest"] == record.digest


def test_the_record_of_an_owner_tells_nothing_of_others(signed):
    lead = signed.application.lead
    shown = text(signed.get("signed"))

    assert "ada@example.com" not in shown
    assert "6789" not in str(OwnerRecord.objects.get().content)
    assert lead.ssn[-4:] not in str(OwnerRecord.objects.get().content)


def test_an_owner_is_mailed_the_way_to_the_record(signed):
    mail = Mail.objects.get(kind=MailKind.OWNER_SIGNED)

    message = mail_texts.compose(mail, at=timezone.now())

    assert message.to == ["grace@example.com"]
    assert f"{signed.root}\n" in message.body
    assert "6781" not in message.body


@pytest.mark.parametrize("page", ["signed", "signed.pdf"])
def test_before_the_signature_an_owner_has_no_record(part, page):
    assert part.get(page).status_code == 404


def test_the_applicant_sees_no_record_of_an_owner(flow, signed):
    assert flow.get("signed").status_code == 404


def test_what_was_signed_is_deleted_with_what_was_entered(flow, signed):
    owner_invitations.take_over(flow.application, str(signed.owner.external_id), at=timezone.now())

    assert not OwnerRecord.objects.exists()


def test_an_owner_asks_who_named_them_to_correct_the_address(make_part):
    part = make_part(email="grace@example.com")
    part.post()

    assert "Ask Ada to correct your address." in text(part.get("code"))


def test_the_reader_of_another_language_is_told_of_it(signed, settings):
    signed.client.cookies[settings.LANGUAGE_COOKIE_NAME] = "es"

    assert "El documento se muestra en el idioma en que se firmó" in text(signed.get("signed"))


def test_what_is_wrong_is_told_and_the_rest_is_saved(part):
    response = part.fill_in("details", **PART | {"birth_date": "2020-01-01"})

    assert set(errors(response)) == {"birth_date"}
    assert part.owner.ssn == "223456781"
    assert "223-45" not in text(response)


def test_a_part_that_lacks_something_is_not_signed(part):
    assert part.get("sign")["Location"] == part.path("details")
    part.fill_in("details", **PART | {"ssn": ""})

    part.sign()

    assert not Consent.objects.exists()


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"signed_name": "Eve"}, "signed_name"),
        ({"PRIVACY_NOTICE": ""}, "PRIVACY_NOTICE"),
    ],
)
def test_a_wrong_signature_is_told(part, values, field):
    part.fill_in("details", **PART)

    response = part.sign(**values)

    assert set(errors(response)) == {field}
    assert status() == InvitationStatus.INVITED


def test_a_part_that_changed_since_it_was_shown_is_checked_again(part):
    part.fill_in("details", **PART)

    response = part.sign(seen="another state")

    assert "Something has changed" in text(response)
    assert not Consent.objects.exists()


def test_two_tabs_sign_once(part):
    part.fill_in("details", **PART)
    part.sign()

    again = part.sign()
    changed = part.send("details", PART | {"ssn": "323-45-6781"})

    assert {again["Location"], changed["Location"]} == {part.path("completed")}
    assert part.owner.ssn == "223456781"
    assert Consent.objects.count() == len(owner_parts.TEXTS)


def test_two_tabs_about_one_part_are_told(part):
    seen = part.get("details").context["form"]["seen_marks"].value()
    part.fill_in("details", **PART)

    response = part.post("details", {**PART, "last_name": "Murray", "seen_marks": seen})

    assert "“Hopper”" in errors(response)["last_name"]


def test_the_end_of_the_session_keeps_what_was_typed(part):
    FlowSession.objects.filter(owner__isnull=False).update(
        expires_at=timezone.now() - timedelta(minutes=1)
    )

    response = part.send("details", PART)
    part.come_in()

    assert response["Location"] == f"{part.path()}?ended=kept"
    assert part.get("details").context["form"]["address_line1"].value() == "2 Cobol Street"
    assert part.get()["Location"] == part.path("details")


def test_an_owner_leaves(part):
    response = part.send("details", {**PART, "then": "leave"})

    assert response["Location"] == part.path()
    assert not FlowSession.objects.filter(owner__isnull=False).exists()
    assert part.owner.last_name == "Hopper"


def test_an_owner_reads_in_their_own_language(part, flow):
    part.send("details", {"then": "es"})

    assert OwnerInvitation.objects.get().language == "es"
    assert "Sus datos" in text(part.get("details"))
    assert 'lang="en"' in text(flow.get("you"))


def test_the_pages_show_nothing_of_others(part, flow, make_owner):
    other = make_owner(
        flow.lead, first_name="Charles", last_name="Babbage", ssn="323456789", title="CTO"
    )
    flow.fill_in("you", line1="9 Secret Street", title="CEO", ownership_percent="40")
    part.fill_in("details", **PART)
    pages = [part.get(page) for page in ("details", "sign")]
    part.sign()
    pages.append(part.get("completed"))

    shown = "".join(map(text, pages))
    hidden = ["Charles", "Babbage", "6789", "Secret Street", "CEO", "40%", str(other.external_id)]
    assert not [one for one in hidden if one in shown]
    assert flow.root not in shown


PAGES = ["you", "business", "owners", "documents", "review", "status", "withdraw", "owners/add"]


@pytest.mark.parametrize("page", PAGES)
def test_an_owner_reaches_no_page_of_the_applicant(part, flow, page):
    key = part.client.cookies[COOKIE].value
    below_own_link = part.get(page)
    stolen = Flow(flow.application)
    stolen.client.cookies[COOKIE] = key

    with_own_key = stolen.get(page)
    in_a_frame = part.client.get(
        f"/connect/v1/frame/{flow.lead.external_id}/{page}",
        headers={"Authorization": f"Bearer {key}"},
    )

    assert below_own_link.status_code == 404
    assert with_own_key["Location"].split("?")[0] == flow.path()
    assert in_a_frame.status_code == 401


@pytest.mark.parametrize("page", ["details", "sign", "completed", "stay", "legal/PRIVACY_NOTICE"])
def test_the_applicant_reaches_no_page_of_an_owner(part, flow, page):
    thief = Part(OwnerInvitation.objects.get(), flow.application)
    thief.client.cookies[COOKIE] = flow.client.cookies[COOKIE].value

    assert thief.get(page)["Location"].split("?")[0] == thief.path()
    assert thief.send(page, PART)["Location"].split("?")[0] == thief.path()
    assert part.owner.ssn == ""


def test_a_partners_token_opens_no_part(part, flow):
    opened = sessions.open_session(
        flow.application, language="en", at=timezone.now(), is_embedded=True
    )
    thief = Part(OwnerInvitation.objects.get(), flow.application)
    thief.client.cookies[COOKIE] = opened.key

    assert thief.get("details")["Location"] == thief.path()


def test_a_session_opens_one_part_only(part, make_part):
    other = make_part(email="charles@example.com", first_name="Charles")
    other.client.cookies[COOKIE] = part.client.cookies[COOKIE].value

    assert other.get("details")["Location"] == other.path()
    assert other.send("details", PART)["Location"] == other.path()
    assert other.get().status_code == 200
    assert other.owner.last_name == ""


def test_a_code_opens_one_part_only(make_part, flow, settings):
    settings.IS_SANDBOX = False  # with codes that differ
    grace = make_part(email="grace@example.com")
    charles = make_part(email="charles@example.com")
    grace.send()
    charles.send()
    flow.send()
    codes = {mail.owner_id: mail.code for mail in Mail.objects.exclude(code="")}

    for code in (codes[grace.owner_pk], codes[None]):
        if code != codes[charles.owner_pk]:
            charles.send("code", {"code": code})

    assert not FlowSession.objects.filter(owner=charles.owner_pk).exists()
    assert charles.post("code", {"code": codes[charles.owner_pk]}).status_code == 303


def test_a_code_is_guessed_so_often_and_no_more(make_part, settings):
    part = make_part(email="grace@example.com")
    part.send()

    for _ in range(settings.CODE_TRIES):
        part.send("code", {"code": "111111"})
    last = part.post("code", {"code": "000000"})

    assert not FlowSession.objects.filter(owner__isnull=False).exists()
    assert last["Location"] == f"{part.path('code')}?refused=wrong"
    assert "too many incorrect codes" in text(part.client.get(last["Location"]))


def test_codes_of_owners_are_counted_for_each(make_part, flow, settings):
    settings.CODES_PER_HOUR = 1
    grace, charles = make_part(email="g@example.com"), make_part(email="c@example.com")
    for one in (grace, grace, charles):
        one.send()

    refused = grace.get("code?refused=further")

    assert refused.status_code == 429
    assert AccessCode.objects.filter(owner=charles.owner_pk).exists()


def end_by_removal(part, flow):
    flow.send(f"owners/{part.owner.external_id}/remove")


def end_by_taking_over(part, flow):
    flow.send(f"owners/{part.owner.external_id}/take-over")


def end_by_withdrawal(part, flow):
    flow.send("withdraw")


def end_by_another_address(part, flow):
    page = f"owners/{part.owner.external_id}/invitation"
    flow.fill_in(page, email="hopper@example.com", last_name="H", ownership_percent="25")


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (end_by_removal, 404),
        (end_by_taking_over, 410),
        (end_by_withdrawal, 410),
        (end_by_another_address, 410),
    ],
)
def test_a_link_that_ended_opens_nothing_and_saves_nothing(part, flow, end, code):
    end(part, flow)

    answers = [part.send("details", PART), part.get("details"), part.send("sign", {})]

    assert {answer["Location"].split("?")[0] for answer in answers} == {part.path()}
    assert part.get().status_code == code
    assert not any(owner.ssn for owner in Owner.objects.all())
    assert not FormDraft.objects.filter(page__startswith="part").exists()
    start = part.path() if code == 410 else None
    assert part.send("code", {"code": "000000"}).get("Location") == start


def test_a_locked_application_takes_no_part(part):
    part.fill_in("details", **PART)
    Application.objects.update(status=Status.SUBMITTED)

    answers = [part.sign(), part.send("details", PART), part.get("details"), part.get("sign")]

    assert {answer["Location"] for answer in answers} == {part.path("completed")}
    assert "cannot be changed now" in text(part.get("completed"))
    assert not Consent.objects.exists()


def test_who_completed_comes_in_again_and_sees_that(part):
    part.fill_in("details", **PART)
    part.sign()
    Application.objects.update(status=Status.IN_REVIEW)
    part.client.cookies.clear()

    response = part.come_in()

    assert response["Location"] == part.path("completed")


def test_an_expired_link_is_renewed_by_mail(part):
    OwnerInvitation.objects.update(link_expires_at=timezone.now())
    part.client.cookies.clear()

    expired = part.get()
    asked = part.client.post(part.path("renew"))

    assert (expired.status_code, part.path("renew") in text(expired)) == (410, True)
    assert "Check your email" in text(part.client.get(asked["Location"]))
    assert Mail.objects.first().kind == MailKind.OWNER_LINK
    assert part.get().status_code == 410


def test_an_unknown_link_is_answered_the_same(part):
    unknown = "/apply/owner/unknown"

    assert part.client.get(unknown).status_code == 404
    assert part.client.get(f"{unknown}/details")["Location"] == unknown
    asked = part.client.post(f"{unknown}/renew")
    assert "Check your email" in text(part.client.get(asked["Location"]))


def test_a_session_does_not_open_a_part_that_is_asked_for_again(part, flow):
    part.fill_in("details", **PART)
    part.sign()
    owner_invitations.invite(
        flow.application, str(part.owner.external_id), language="en", at=timezone.now()
    )

    assert part.get("details")["Location"].split("?")[0] == part.path()


def test_the_language_of_an_owner_is_not_the_applicants(part, flow):
    FlowSession.objects.filter(owner__isnull=False).update(language="es")

    assert get_reading_language(flow.application) == "en"


def test_forms_of_an_owner_need_the_token_of_the_page(part):
    strict = Client(enforce_csrf_checks=True)
    strict.cookies[COOKIE] = part.client.cookies[COOKIE].value

    assert strict.post(part.path("details"), PART).status_code == 403
