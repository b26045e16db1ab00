"""In a frame a mailed code comes before the signature; a partner's token alone signs nothing."""

import re

import pytest
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CodePurpose, Entry, LegalText, Supplier
from onboarding.models import AccessCode, Consent, Event, FlowSession, FormDraft, Mail, Partner
from onboarding.services.access import access_codes, links
from tests.factories import make_application, make_document, make_lead
from tests.onboarding.conftest import PartnerApi
from tests.onboarding.flow.conftest import CODE
from tests.onboarding.flow.test_review import NAME, TICKED, page, sign, whole

__all__ = ["whole"]
BROWSER = "Mozilla/5.0 (test)"


class Frame:
    """A browser in a frame, let in by a token of the partner."""

    def __init__(self, flow):
        self.flow, self.client = flow, flow.client
        self.root = f"/connect/v1/frame/{flow.lead.external_id}"
        token = links.regrant(flow.application, at=timezone.now()).token
        sent = {"token": token, "language": "en"}
        answer = self.client.post(f"{self.root}/session", sent, content_type="application/json")
        self.headers = {
            "Authorization": f"Bearer {answer.json()['session']}",
            "User-Agent": BROWSER,
        }

    def get(self, name):
        return self.client.get(f"{self.root}/{name}", headers=self.headers)

    def post(self, name, data):
        return self.client.post(f"{self.root}/{name}", data, headers=self.headers)

    def follow(self, answer):
        return self.client.get(answer["Location"], headers=self.headers)

    def sign(self, name=NAME):
        state = self.get("review").context["form"].state
        signed = {"seen": state, "language": "en", "signed_name": name, **TICKED}
        return self.post("review", signed)


@pytest.fixture
def frame(whole):
    Mail.objects.all().delete()
    whole.application.access_codes.all().delete()
    return Frame(whole)


def test_a_token_alone_signs_nothing(frame):
    answer = frame.sign()

    assert (answer.status_code, answer["Location"]) == (303, f"{frame.root}/review/code")
    assert frame.flow.application.status == Status.IN_PROGRESS
    assert not Consent.objects.exists()
    assert Mail.objects.get().kind == "SIGNING_CODE"
    assert f"the code is {CODE}" in page(frame.get("review/code"))


def test_a_code_that_was_mailed_to_open_the_application_signs_nothing(frame):
    access_codes.send_code(
        frame.flow.application, CodePurpose.ENTRY, language="en", at=timezone.now()
    )
    Mail.objects.all().delete()

    frame.sign()
    assert Mail.objects.get().kind == "SIGNING_CODE"
    AccessCode.objects.filter(purpose=CodePurpose.SIGNATURE).delete()
    answer = frame.post("review/code", {"code": CODE})

    assert "no longer valid" in page(frame.follow(answer))
    assert not Consent.objects.exists()


def test_a_token_alone_opens_no_file_of_the_applicant(frame):
    lead = frame.flow.lead
    theirs = make_document(lead, supplied_by=Supplier.APPLICANT, detected_type="image/png")
    partners = make_document(lead, supplied_by=Supplier.PARTNER, detected_type="image/png")
    before = frame.get(f"documents/{theirs.external_id}")

    assert before.status_code == 404
    assert frame.get(f"documents/{partners.external_id}").status_code == 200
    assert f"documents/{theirs.external_id}" not in page(frame.get("documents"))

    frame.sign()
    frame.post("review/code", {"code": CODE})

    assert frame.get(f"documents/{theirs.external_id}").status_code == 200


def test_with_the_code_it_is_signed_and_the_consent_says_so(frame):
    frame.sign()

    answer = frame.post("review/code", {"code": CODE})

    assert answer["Location"] == f"{frame.root}/status"
    assert frame.flow.application.status == Status.SUBMITTED
    assert not FormDraft.objects.exists()
    consents = Consent.objects.all()
    assert len(consents) == len(LegalText)
    for consent in consents:
        assert (consent.entry, consent.address) == (Entry.EMBEDDED, "127.0.0.1")
        assert consent.user_agent == BROWSER
        assert consent.code_entered_at
        assert not consent.is_code_waived
        assert consent.session_digest == FlowSession.objects.get(is_embedded=True).digest
    details = Event.objects.get(type="consent.given").details
    assert (details["entry"], details["is_code_waived"]) == (Entry.EMBEDDED, False)
    assert details["session_digest"] == FlowSession.objects.get(is_embedded=True).digest


@pytest.mark.parametrize("code", ["", "111111", "letters"])
def test_a_wrong_code_signs_nothing(frame, code):
    frame.sign()

    answer = frame.post("review/code", {"code": code})

    for _ in range(2):
        assert "summary" in page(frame.follow(answer))
    assert frame.flow.application.status == Status.IN_PROGRESS


def test_five_wrong_codes_end_the_code(frame):
    frame.sign()
    for _ in range(5):
        frame.post("review/code", {"code": "111111"})

    frame.post("review/code", {"code": CODE})

    assert frame.flow.application.status == Status.IN_PROGRESS
    assert not access_codes.has_code(
        frame.flow.application, CodePurpose.SIGNATURE, at=timezone.now()
    )


def test_a_code_that_can_still_be_entered_is_not_sent_twice(frame):
    for _ in range(3):
        frame.sign()

    assert Mail.objects.count() == 1
    frame.post("review/code", {"again": "1"})
    assert Mail.objects.count() == 2


def test_after_too_many_codes_a_page_says_when_to_go_on(frame):
    frame.sign()

    answers = [frame.follow(frame.post("review/code", {"again": "1"})) for _ in range(5)]

    codes = [answer.status_code for answer in answers]
    assert codes == [200, 200, 200, 429, 429]  # the first code let the applicant in before
    assert 0 < int(answers[-1]["Retry-After"]) <= 3600
    assert re.search(r"another code in \d+ minutes\. The newest code still", page(answers[-1]))
    assert f'class="button" href="{frame.root}/review/code"' in page(answers[-1])
    assert f'href="{frame.root}/review">Back to review' in page(answers[-1])


def test_after_too_many_codes_an_expired_code_is_not_offered(frame):
    frame.sign()
    for _ in range(4):
        frame.post("review/code", {"again": "1"})
    AccessCode.objects.update(expires_at=timezone.now())

    answer = frame.follow(frame.sign())

    assert answer.status_code == 429
    assert "newest code" not in page(answer)
    assert f'class="button" href="{frame.root}/review"' in page(answer)


def test_a_change_after_the_signature_must_be_read_before_the_code_counts(frame):
    frame.sign()
    frame.flow.lead.save()

    answer = frame.post("review/code", {"code": CODE})

    assert answer["Location"] == f"{frame.root}/review"
    assert "has changed since" in page(frame.get("review"))
    assert frame.flow.application.status == Status.IN_PROGRESS
    assert frame.sign()["Location"] == f"{frame.root}/status"


def test_a_changed_lead_signed_in_another_session_is_not_submitted(frame, make_api_key):
    frame.sign()
    lead = frame.flow.lead
    api = PartnerApi(make_api_key(lead.partner))
    change = {"email": lead.email, "businessName": "Other LLC"}
    changed = api.post(f"lead/{lead.external_id}", change)
    Frame(frame.flow).sign("José")

    answer = frame.post("review/code", {"code": CODE})

    assert changed.status_code == 200
    assert answer["Location"] == f"{frame.root}/review"
    assert "has changed since" in page(frame.get("review"))
    assert frame.flow.application.status == Status.IN_PROGRESS
    assert not Consent.objects.exists()


def test_a_code_does_not_sign_a_review_posted_in_another_session(frame):
    frame.sign()
    other = Frame(frame.flow)

    answer = other.post("review/code", {"code": CODE})

    assert "has not been signed in this window yet" in page(answer)
    assert f'class="button" href="{other.root}/review"' in page(answer)
    assert frame.flow.application.status == Status.IN_PROGRESS
    assert not Consent.objects.exists()


def test_the_code_of_another_application_signs_nothing(frame, monkeypatch):
    """A partner has applications of its own, whose codes are mailed to it."""
    monkeypatch.setattr(access_codes, "SANDBOX_CODE", "246810")
    others = make_application(make_lead(partner=frame.flow.lead.partner))
    access_codes.send_code(others, CodePurpose.SIGNATURE, language="en", at=timezone.now())
    monkeypatch.setattr(access_codes, "SANDBOX_CODE", CODE)
    frame.sign()

    answer = frame.post("review/code", {"code": "246810"})

    assert "summary" in page(frame.follow(answer))
    assert frame.flow.application.status == Status.IN_PROGRESS
    assert not Consent.objects.exists()


def test_the_code_entered_elsewhere_does_not_sign_what_the_partner_posted(frame):
    """The partner posts the review; the applicant enters the code in a session of their own."""
    frame.sign()
    frame.flow.client.logout()
    frame.flow.come_in()

    frame.flow.post("review/code", {"code": CODE})

    assert frame.flow.application.status == Status.IN_PROGRESS
    assert not Consent.objects.exists()


def test_a_code_that_is_entered_before_the_review_is_signed_is_not_used_up(frame):
    frame.sign()
    other = Frame(frame.flow)

    other.post("review/code", {"code": CODE})
    shown = other.get("review/code")
    unsent = other.post("review/code", {"again": "1"})
    asked = other.sign()
    signed = other.post("review/code", {"code": CODE})

    assert "has not been signed in this window yet" in page(shown)
    assert unsent.status_code == 200
    assert Mail.objects.filter(kind="SIGNING_CODE").count() == 1
    assert asked["Location"] == f"{other.root}/review/code"
    assert signed["Location"] == f"{other.root}/status"
    assert Consent.objects.first().code_entered_at


def test_a_review_posted_in_another_session_does_not_replace_the_applicants(frame):
    frame.sign()
    Frame(frame.flow).sign("José")

    frame.post("review/code", {"code": CODE})

    assert {consent.signed_name for consent in Consent.objects.all()} == {NAME}


def test_ticks_and_name_of_a_frame_are_shown_in_no_other_session(frame):
    frame.sign()
    frame.flow.client.logout()
    frame.flow.come_in()

    for shown in (Frame(frame.flow).get("review"), frame.flow.get("review")):
        assert " checked" not in page(shown)
        assert NAME not in page(shown).split('id="id_signed_name"')[1].split(">")[0]
    assert page(frame.get("review")).count(" checked") == len(TICKED)


def test_a_language_that_is_none_is_signed_in_english(frame):
    state = frame.get("review").context["form"].state
    signed = {"seen": state, "language": "x" * 300, "signed_name": NAME, **TICKED}
    frame.post("review", signed)

    answer = frame.post("review/code", {"code": CODE})

    assert answer["Location"] == f"{frame.root}/status"
    assert {consent.language for consent in Consent.objects.all()} == {"en"}


def test_a_partner_may_be_exempt_by_contract_and_the_consent_says_so(frame):
    Partner.objects.update(code_waiver_contract="Annex 2 of 2026-03-01")

    assert frame.sign()["Location"] == f"{frame.root}/status"

    assert {consent.is_code_waived for consent in Consent.objects.all()} == {True}
    assert {consent.code_entered_at for consent in Consent.objects.all()} == {None}
    assert not Mail.objects.filter(kind="SIGNING_CODE").exists()
    details = Event.objects.get(type="consent.given").details
    assert details["code_waiver_contract"] == "Annex 2 of 2026-03-01"


def test_a_hosted_signature_needs_no_second_code(whole):
    assert sign(whole).status_code == 303

    consent = Consent.objects.first()
    assert (consent.entry, consent.is_code_waived) == (Entry.HOSTED, False)
    assert consent.code_entered_at


def test_the_page_of_the_code_is_spanish_too(frame):
    frame.sign()
    frame.post("language", {"language": "es"})

    assert "código" in page(frame.get("review/code"))
