"""Review and sign: everything to read, what is missing, and the signature."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, LegalText, Supplier
from onboarding.models import Application, Consent, Lead
from onboarding.services.access import sessions
from onboarding.services.leads import drafts, marks
from tests import id_pictures
from tests.factories import make_document, make_owner
from tests.onboarding.flow.conftest import CODE
from tests.onboarding.services.leads.test_submissions import ADDRESS, BUSINESS, PERSON

VERSION = "2026-11"
TICKED = dict.fromkeys(LegalText.values, VERSION)
NAME = "José Núñez-Ortega"
NOW = timezone.now()


@pytest.fixture
def whole(make_flow, make_lead):
    """An applicant who has come in, with nothing missing but documents."""
    flow = make_flow(make_lead(**{**PERSON, **ADDRESS, **BUSINESS, "ssn": "123456789"}))
    lead = flow.lead
    marks.confirm(lead, {"others": "1 60"})  # nobody else owns 25 percent
    lead.save()
    flow.come_in()
    return flow


def page(response):
    return response.content.decode()


def sign(flow, **values):
    """Send the form of the page as it is now, everything ticked and signed."""
    form = flow.get("review").context["form"]
    sent = {"seen": form.state, "language": "en", "signed_name": NAME, **TICKED, **values}
    return flow.post("review", {name: value for name, value in sent.items() if value is not None})


def errors(response):
    assert response.status_code == 200
    return {
        name: [str(text) for text in texts]
        for name, texts in response.context["form"].errors.items()
    }


def test_everything_is_shown_and_of_numbers_the_last_four_only(whole):
    make_owner(
        whole.lead,
        first_name="Grace",
        last_name="Hopper",
        passport_number="X12345678",
        id_country="GB",
        ownership_percent=25,
        title="CTO",
    )

    text = page(whole.get("review"))

    for shown in (
        NAME, "+1 202-555-0123", "December 10, 1985", "1 Main Street, New York, NY 10001", "60%",
        "Analytical Engines LLC", "LLC with one owner", "541511", "Delaware",
        "Grace Hopper", "25%", "CTO",
        "United Kingdom", "ending in 6789", "ending in 5678",
    ):  # fmt: skip
        assert shown in text, shown
    for hidden in ("123456789", "123-45-6789", "X12345678"):
        assert hidden not in text


def test_each_section_leads_to_its_step(whole):
    text = page(whole.get("review"))

    for step in ("you", "business", "owners", "documents"):
        assert f'href="{whole.path(step)}"' in text


def test_what_is_missing_leads_to_its_field(flow):
    owner = make_owner(flow.lead, first_name="Grace", last_name="Hopper")

    missing = flow.get("review").context["missing"]

    places = {(one.whose, str(one.message)): one.url for one in missing}
    of_owner = flow.path(f"owners/{owner.external_id}")
    assert places["", "Date of birth is missing."] == f"{flow.path('you')}#id_birth_date"
    assert places["Grace Hopper", "Home address is missing."] == f"{of_owner}#id_address_line1"
    for url in set(places.values()):
        target, _hash, field = url.partition("#")
        assert f'id="{field}"' in page(flow.client.get(target)), url


def test_a_question_without_an_answer_is_missing(whole):
    Lead.objects.update(edd_answers=[{"question": "Source of funds?", "answer": ""}])

    missing = whole.get("review").context["missing"]

    assert [(one.message, one.url) for one in missing] == [
        ("Source of funds?", whole.path("business"))
    ]


def test_documents_are_no_hurdle_but_are_named(whole):
    make_document(whole.lead, file_name="letter.pdf", llc_file_type="IRS_EIN_LETTER")

    response = whole.get("review")

    assert not response.context["missing"]
    assert "letter.pdf" in page(response)
    assert "You can sign now and send these later" in page(response)


def test_what_cannot_be_used_and_names_of_owners_files_are_not_shown(whole):
    lead = whole.lead
    make_document(lead, file_name="note.docx", status=DocumentStatus.QUARANTINED)
    grace = make_owner(lead, first_name="Grace", last_name="Hopper")
    sent = {"owner": grace, "supplied_by": Supplier.OWNER, "llc_file_type": "PASSPORT"}
    make_document(lead, file_name="visa-from-cuba.pdf", **sent)

    shown = page(whole.get("review"))

    assert "note.docx" not in shown
    assert "visa-from-cuba.pdf" not in shown
    assert "Identification" in shown
    assert "from Grace Hopper" in shown


def test_the_applicant_controls_the_business_unless_somebody_else_is_marked(whole):
    owner = make_owner(whole.lead, first_name="Grace", last_name="Hopper")

    def in_control():
        holders = whole.get("review").context["holders"]
        return [one.person.first_name for one in holders if one.is_control_person]

    assert in_control() == ["José"]
    drafts.choose_control_person(whole.application, str(owner.external_id), at=NOW)
    assert in_control() == ["Grace"]


def test_who_agrees_and_signs_has_submitted(whole):
    response = sign(whole)

    assert (response.status_code, response["Location"]) == (303, whole.path("status"))
    application = whole.application
    assert application.status == Status.SUBMITTED
    assert Consent.objects.filter(application=application, signed_name=NAME).count() == 4


def test_the_language_that_was_read_is_recorded(whole):
    sign(whole, language="es")

    assert set(Consent.objects.values_list("language", flat=True)) == {"es"}


def test_a_language_that_nobody_offers_is_english(whole):
    sign(whole, language="../../es")

    assert set(Consent.objects.values_list("language", flat=True)) == {"en"}


def test_nothing_ticked_and_nothing_signed_is_told_at_once(whole):
    nothing = dict.fromkeys(TICKED)

    response = sign(whole, **nothing, signed_name="")

    assert set(errors(response)) == {*LegalText.values, "signed_name"}
    assert 'href="#id_signed_name"' in page(response)
    assert whole.application.status == Status.IN_PROGRESS


def test_what_was_ticked_stays_ticked(whole):
    text = page(sign(whole, signed_name=""))

    assert text.count(f'value="{VERSION}"') == text.count(" checked") == 4


def test_why_no_number_can_be_shown_in_full_is_said(whole):
    text = page(whole.get("review"))

    assert "Show the numbers that you typed" not in text
    assert "only to the person who typed them" in text


def test_a_text_that_has_changed_is_unticked_and_must_be_read_again(whole):
    response = sign(whole, PRIVACY_NOTICE="2020-01")

    assert list(errors(response)) == ["PRIVACY_NOTICE"]
    assert "has changed" in errors(response)["PRIVACY_NOTICE"][0]
    assert page(response).count(" checked") == 3


@pytest.mark.parametrize(("name", "words"), [("12", "first and last"), ("Ada Example", NAME)])
def test_the_signature_is_the_applicants_name(whole, name, words):
    response = sign(whole, signed_name=name)

    assert words in errors(response)["signed_name"][0]


def test_a_partners_change_meanwhile_must_be_read_first(whole):
    seen = whole.get("review").context["form"].state
    Lead.objects.get().save()

    response = sign(whole, seen=seen)

    assert "has changed since" in errors(response)["__all__"][0]
    assert sign(whole).status_code == 303


def test_something_missing_is_named_instead_of_submitted(flow):
    flow.lead.save()

    response = sign(flow, signed_name="Ada")

    assert "Something is still missing" in errors(response)["__all__"][0]
    assert flow.application.status == Status.IN_PROGRESS


def test_two_control_persons_are_told(whole):
    make_owner(
        whole.lead, **{**PERSON, "ssn": "223456789"}, address=ADDRESS, is_control_person=True
    )
    Lead.objects.update(is_control_person=True, ownership_percent=10)

    assert "Two people" in errors(sign(whole))["__all__"][0]


def test_shares_beyond_the_whole_are_told(whole):
    make_owner(whole.lead, **{**PERSON, "ssn": "223456789"}, address=ADDRESS)

    assert "more than 100" in errors(sign(whole))["__all__"][0]


def test_a_second_submission_leads_to_the_status(whole):
    form = {**TICKED, "seen": whole.get("review").context["form"].state, "signed_name": NAME}
    sign(whole)

    again = whole.post("review", form)
    shown = whole.get("review")

    assert [one["Location"] for one in (again, shown)] == [whole.path("status")] * 2
    assert Consent.objects.count() == 4


def test_somebody_signs_in_a_frame_without_a_cookie(whole):
    opened = sessions.open_session(whole.application, language="es", at=NOW, is_embedded=True)
    root = f"/connect/v1/frame/{whole.lead.external_id}"
    headers = {"authorization": f"Bearer {opened.key}"}
    frame = Client(enforce_csrf_checks=True)
    shown = frame.get(f"{root}/review", headers=headers)
    form = {"seen": shown.context["form"].state, "language": "es", "signed_name": NAME, **TICKED}

    asked = frame.post(f"{root}/review", form, headers=headers)
    response = frame.post(asked["Location"], {"code": CODE}, headers=headers)

    assert "target=" not in page(shown)
    assert f'href="{root}/legal/PRIVACY_NOTICE"' in page(shown)
    assert (response.status_code, response["Location"]) == (303, f"{root}/status")
    assert not frame.cookies
    assert set(Consent.objects.values_list("language", flat=True)) == {"es"}


def test_a_legal_text_is_shown_with_its_placeholder_in_the_readers_language(whole):
    english = page(whole.get("legal/ACCOUNT_AGREEMENT"))
    whole.client.cookies["language"] = "es"
    spanish = page(whole.get("legal/ACCOUNT_AGREEMENT"))

    assert "<h1>Account agreement</h1>" in english
    assert "This is a placeholder" in english
    assert whole.path("review") in english
    assert "<h1>Contrato de la cuenta</h1>" in spanish


def test_after_the_submission_a_text_is_shown_as_it_was_signed(whole):
    sign(whole, language="es")

    text = page(whole.get("legal/ACCOUNT_AGREEMENT"))

    assert "Contrato de la cuenta" in text
    assert whole.path("status") in text


def test_there_is_no_other_legal_text(whole):
    assert whole.get("legal/SECRETS").status_code == 404


def test_whoever_has_not_come_in_signs_nothing(make_flow):
    flow = make_flow()

    assert flow.post("review", TICKED)["Location"] == flow.path() + "?ended=lost"
    assert Application.objects.get().status == Status.CREATED


# The identification of a sole proprietor

CARD = "GOVERNMENT_IDENTIFICATION"


def picture(name, **look):
    return SimpleUploadedFile(name, id_pictures.card(**look), "image/png")


def send_from_review(flow, **pictures):
    sent = {f"{side}-{CARD}": picture for side, picture in pictures.items()}
    return flow.send("documents?review", {**sent, f"kind-{CARD}": CARD, "end": "1"})


@pytest.fixture
def alone(whole):
    """A sole proprietor with nothing missing but the identification."""
    Lead.objects.update(business_type="SSN", ownership_percent=100)
    return whole


def test_a_sole_proprietor_is_asked_for_the_identification_first(alone):
    shown = page(alone.get("review"))

    assert "Your identification" in shown
    assert shown.index(f'id="{CARD}"') < shown.index('id="you"')
    assert 'id="documents"' not in shown


def test_a_company_has_a_step_for_documents_and_no_upload_in_the_review(whole):
    shown = page(whole.get("review"))

    assert 'id="uploads"' not in shown
    assert 'id="documents"' in shown


def test_a_sole_proprietor_can_sign_before_the_identification_is_sent(alone):
    assert sign(alone)["Location"] == alone.path("status")

    assert Application.objects.get().status == Status.SUBMITTED
    assert f'id="front-{CARD}"' in page(alone.get("status"))


def test_what_is_sent_from_the_review_is_shown_there_and_the_signature_follows(alone):
    back = picture("back.png", text="BACK SIDE")
    sent = send_from_review(alone, front=picture("front.png"), back=back)

    assert sent["Location"] == alone.path("review")
    shown = page(alone.get("review"))
    assert "front.png" in shown
    assert "back.png" in shown
    assert "First, send your identification" not in shown
    assert sign(alone)["Location"] == alone.path("status")


def test_a_remark_about_a_picture_is_shown_once_on_the_review(alone):
    sent = send_from_review(alone, front=SimpleUploadedFile("a.png", b"no picture"))

    assert sent["Location"] == alone.path("review")
    assert "“a.png” was not kept" in page(alone.get("review"))
    assert "“a.png” was not kept" not in page(alone.get("review"))


def test_a_typed_name_is_kept_while_the_identification_is_sent(alone):
    alone.client.patch(alone.path("review"), f"signed_name={NAME}")

    send_from_review(alone, front=picture("front.png"))

    assert alone.get("review").context["form"]["signed_name"].value() == NAME
