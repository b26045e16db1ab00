"""What applicants are told, in which language, and what is not said any more."""

import re
from datetime import date
from uuid import UUID

import pytest

from banking.choices import AccountStatus, BusinessOwnerRole
from banking.models import BusinessOwner
from banking.services import invitations
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, IdentityStatus
from onboarding.event_types import MailKind
from onboarding.models import Application, Lead, Partner
from onboarding.services.access import links, reminder_links
from onboarding.services.mails import mail_texts, outbox
from onboarding.services.mails.facts import CodeExpired, Overtaken
from onboarding.services.partners.bank_partner import get_bank_partner
from tests.factories import NOON, later, make_account, make_business_owner, make_note
from tests.onboarding.services.mails.conftest import make_decided_change, make_partner_user
from tests.onboarding.services.mails.kinds import SECOND, TO_APPLICANTS, in_status

COMPLETE_PERSON = {
    "phone_number": "+12125550100",
    "birth_date": date(1990, 1, 1),
    "line1": "1 Pier Road",
    "city": "New York",
    "state": "NY",
    "postal_code": "10001",
    "country": "US",
    "ownership_percent": 100,
}


def test_the_mail_says_what_is_wanted_and_until_when(application, composed):
    mail = composed()

    assert mail.to == ["ada@example.com"]
    assert mail.subject == "Reminder, action needed: account for Harbor Coffee (Acme Payroll)"
    assert mail.body == (
        "Hello Ada,\n"
        "\n"
        "You applied for a bank account for Harbor Coffee at Example Bank, through Acme Payroll.\n"
        "\n"
        "We need documents or information from you before we can continue.\n"
        "\n"
        "What we need from you:\n"
        "\n"
        "- The articles of organization.\n"
        "- The IRS letter or form SS-4 with the EIN.\n"
        "\n"
        "Please send everything before May 1, 2026 at 12:00 PM UTC. If we do not have it by then, "
        "your application ends.\n"
        "\n"
        "Open your application here:\n"
        "\n"
        f"http://testserver/apply/{links.derive_link(application)}\n"
        "\n"
        "If you have already sent everything, please ignore this email.\n"
        "\n"
        "Example Bank"
    )


@pytest.mark.parametrize("kind", [kind for kind in TO_APPLICANTS if kind != "SIGNING_CODE"])
def test_a_lead_of_the_bank_reads_of_no_partner(application, composed, kind):
    Lead.objects.update(partner=get_bank_partner())
    application.refresh_from_db()
    in_status(kind)

    mail = composed(kind)

    assert "Acme" not in mail.subject + mail.body
    assert "Example Bank" in mail.body
    for named in ("through", "prepared", "Go back to", "with Example Bank"):
        assert named not in mail.body


def test_a_mail_names_the_first_name_and_the_business_alone(application, composed):
    mail = composed()

    for value in ("Byron", "6789", "ada@"):
        assert value not in mail.body + mail.subject


def test_staffs_reason_for_a_document_is_told(application, composed):
    reason = "The bill is blurred.\nSend a sharper picture."
    asked = {"llc_file_type": "UTILITY_BILL", "reason": reason, "requested_at": NOON.isoformat()}
    application.document_requests = [asked]
    application.save()

    for kind in (MailKind.WANTED, MailKind.REMINDER):
        body = composed(kind).body
        assert "- Utility bill: The bill is blurred. Send a sharper picture.\n" in body


def test_what_is_wanted_of_another_owner_is_told_without_a_name(application, composed, make_owner):
    owner = make_owner(application.lead, first_name="Grace")
    asked = {"llc_file_type": "PASSPORT", "reason": "Blurred.", "requested_at": NOON.isoformat()}
    application.document_requests = [asked, {**asked, "ubo_id": str(owner.external_id)}]
    application.save()

    body = composed().body

    assert "- Passport: Blurred.\n- For another owner: Passport: Blurred.\n" in body
    assert "Grace" not in body


def test_a_file_that_could_not_be_fetched_is_not_named(application, composed, make_document):
    make_document(
        application.lead,
        status=DocumentStatus.NOT_FETCHED,
        file="",
        sha256="",
        source_url="https://files.example.com/ada-byron.pdf",
    )

    assert "byron" not in composed().body.lower()


def test_who_must_prove_who_they_are_is_told(application, composed):
    application.lead.identity_status = IdentityStatus.REQUESTED
    application.lead.save()
    Application.objects.update(status=Status.ID_VERIFICATION)

    body = composed().body

    assert "- A government identification or a passport that proves who this is." in body


def test_a_link_that_has_expired_leads_to_a_new_one(application, composed):
    assert "Open your application here:" in composed(at=application.link_expires_at - SECOND).body

    body = composed(at=application.link_expires_at).body

    assert "Your link has expired. Get a new link here:" in body
    assert links.location(application) in body


def test_a_business_without_a_name_is_yours(application, composed):
    application.lead.business_name = ""
    application.lead.save()

    assert composed().subject.startswith("Reminder, action needed: account for your business")


def test_a_code_stands_by_itself(composed):
    mail = composed(MailKind.CODE)

    assert mail.subject == "123456 is your code for Example Bank"
    greeting, code = "Hello Ada,\n\nYour code is:\n\n", "123456\n\nEnter it in the application"
    assert mail.body.startswith(greeting + code)
    assert "Harbor" not in mail.body


def test_a_code_to_sign_says_so(composed, settings):
    settings.BANK_PHONE = "+1 212 555 0100"
    mail = composed(MailKind.SIGNING_CODE)

    assert mail.subject == "123456 is your code for Example Bank"
    assert "to sign and submit your application" in mail.body
    assert "or to change the part of another owner" in mail.body
    assert "Please call Example Bank at +1 212 555 0100." in mail.body
    assert "Harbor" not in mail.body


def test_the_link_is_mailed_with_its_end(application, composed):
    in_status(MailKind.LINK)

    body = composed(MailKind.LINK).body

    assert f"\n\n{links.location(application)}\n\n" in body
    assert "works until April 1, 2026" in body


def test_who_is_approved_for_now_reads_what_is_outstanding_and_until_when(composed):
    in_status(MailKind.APPROVED_TEMPORARY)

    body = composed(MailKind.APPROVED_TEMPORARY).body

    assert "- The articles of organization.\n" in body
    assert "The temporary approval ends on April 1, 2026." in body


def test_a_denial_names_no_reason_and_says_whom_to_ask(application, composed, settings):
    settings.BANK_PHONE = "+1 212 555 0100"
    in_status(MailKind.DENIED)

    assert composed(MailKind.DENIED).body == (
        "Hello Ada,\n"
        "\n"
        "We are sorry. We have reviewed the application for Harbor Coffee carefully, and we "
        "cannot offer an account.\n"
        "\n"
        "To ask for the reasons, or if you think that we made a mistake, call Example Bank at "
        "+1 212 555 0100.\n"
        "\n"
        "Example Bank"
    )


def test_a_denial_says_what_staff_wrote(application, composed):
    in_status(MailKind.DENIED)
    Application.objects.update(applicant_text="We do not serve casinos.\n\nWe are sorry.")

    assert "offer an account.\n\nWe do not serve casinos.\n\nWe are sorry.\n\nTo ask for" in (
        composed(MailKind.DENIED).body
    )


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "still has money or pending payments in it. Call us"),
        ({"status": AccountStatus.CLOSED, "closed_at": NOON}, "is closed."),
    ],
)
def test_a_denial_says_what_becomes_of_the_account(application, composed, values, said):
    application.account = make_account(**values)
    application.save()
    in_status(MailKind.DENIED)

    assert f"Your temporary account {said}" in composed(MailKind.DENIED).body


def test_a_message_says_who_writes_and_what(application, composed, settings):
    settings.BANK_PHONE = "+1 212 555 0100"
    make_note(application, text="For staff.", at=NOON)
    make_note(application, text="Page 2 is missing.\n\nSend it.", is_for_applicant=True)
    make_note(application, text="Later.", is_for_applicant=True, at=later(seconds=1))

    mail = composed(MailKind.MESSAGE)

    assert mail.subject == (
        "A message from Example Bank about the account for Harbor Coffee (Acme Payroll)"
    )
    assert mail.body == (
        "Hello Ada,\n"
        "\n"
        "Example Bank has a message for you about the application for Harbor Coffee:\n"
        "\n"
        "Page 2 is missing.\n"
        "\n"
        "Send it.\n"
        "\n"
        "Open your application here:\n"
        "\n"
        f"{links.location(application)}\n"
        "\n"
        "Please do not reply to this email. To reach Example Bank, call +1 212 555 0100.\n"
        "\n"
        "Example Bank"
    )


def test_a_message_gives_no_link_that_leads_nowhere(application, composed):
    assert "/apply/" not in composed(MailKind.MESSAGE, at=application.link_expires_at).body
    Application.objects.update(is_current=False)
    assert "/apply/" not in composed(MailKind.MESSAGE).body


def test_without_a_note_there_is_no_message(application):
    queued = outbox.queue(MailKind.MESSAGE, application=application, language="en", at=NOON)
    make_note(application, text="Later.", is_for_applicant=True, at=later(seconds=1))

    with pytest.raises(Overtaken, match="no message"):
        mail_texts.compose(queued, at=NOON)


def test_who_may_apply_again_gets_a_new_link(application, composed):
    in_status(MailKind.REOPENED)

    mail = composed(MailKind.REOPENED)

    assert mail.subject == "Your application for Harbor Coffee is open again (Acme Payroll)"
    assert mail.body == (
        "Hello Ada,\n"
        "\n"
        "We have reviewed the application for Harbor Coffee again and reopened it. Your answers "
        "are saved. Check them, change anything that is no longer correct, then sign and submit "
        "the application.\n"
        "\n"
        "Open your application here:\n"
        "\n"
        f"{links.location(application)}\n"
        "\n"
        "This is a new link, only for you. It works until April 1, 2026 at 12:00 PM UTC. When you "
        "open it, we will send a six-digit code to this email address.\n"
        "\n"
        "Example Bank"
    )


@pytest.fixture
def user(application):
    """The sign-in of the applicant, whose account is open."""
    application.account = make_account()
    application.save()
    in_status(MailKind.INVITATION)
    return invitations.give_sign_in(
        make_business_owner(
            application.account.business,
            email="ada@example.com",
            role=BusinessOwnerRole.PRIMARY_OWNER,
        ),
        at=NOON,
    )


def test_who_is_invited_gets_a_link_to_choose_a_password(user, composed):
    mail = composed(MailKind.INVITATION)

    link = re.search(rf"http://testserver/welcome/{user.external_id}/\S+", mail.body)[0]
    assert invitations.tokens.check_token(user, link.rpartition("/")[2])
    assert mail.subject == "Choose your password for Example Bank"
    assert mail.body == (
        "Hello Ada,\n"
        "\n"
        "The account for Harbor Coffee is open. This email tells you how to sign in to Example "
        "Bank.\n"
        "\n"
        "Choose your password here:\n"
        "\n"
        f"{link}\n"
        "\n"
        "The link is only for you. It works once, within 7 days. If you need a new link, choose "
        "“Forgot your password?” on the sign-in page.\n"
        "\n"
        "If you did not apply for an account, do not open the link, and tell us.\n"
        "\n"
        "Example Bank"
    )
    [(html, _)] = mail.alternatives
    assert f'<a href="{link}"' in html


def test_who_has_a_password_is_told_to_use_it(user, composed):
    invitations.accept(user, "copper-otter-9-lamp", at=NOON)

    mail = composed(MailKind.INVITATION)

    assert mail.subject == "How to sign in to Example Bank"
    assert "the password that you already have:\n\nhttp://testserver/sign-in\n" in mail.body
    assert "/welcome/" not in mail.body


def test_whose_email_is_taken_is_told_whom_to_call(user, composed, settings):
    settings.BANK_PHONE = "+1 212 555 0100"
    BusinessOwner.objects.update(user=None)

    body = composed(MailKind.INVITATION).body

    assert "Please call Example Bank at +1 212 555 0100. We will set it up with you." in body
    assert "/welcome/" not in body


@pytest.fixture
def partner(user, application):
    return make_partner_user(application)


def test_another_owner_is_invited_under_the_own_email(partner, composed):
    mail = composed(MailKind.OWNER_INVITATION, user=partner)

    link = re.search(rf"http://testserver/welcome/{partner.external_id}/\S+", mail.body)[0]
    assert invitations.tokens.check_token(partner, link.rpartition("/")[2])
    assert mail.to == ["grace@example.com"]
    assert mail.subject == "Choose your password for Example Bank"
    assert "You see the same as the person who applied" in mail.body
    assert "If you do not own part of Harbor Coffee, do not open the link" in mail.body


def test_another_owner_with_a_password_is_told_to_use_it(partner, composed):
    invitations.accept(partner, "copper-otter-9-lamp", at=NOON)

    mail = composed(MailKind.OWNER_INVITATION, user=partner)

    assert "the password that you already have:\n\nhttp://testserver/sign-in\n" in mail.body
    assert "/welcome/" not in mail.body


def test_an_owner_who_does_not_sign_in_any_more_is_not_invited(partner, composed):
    BusinessOwner.objects.filter(user=partner).update(user=None)

    with pytest.raises(mail_texts.Overtaken):
        composed(MailKind.OWNER_INVITATION, user=partner)


@pytest.mark.parametrize("kind", TO_APPLICANTS)
def test_nothing_is_said_that_is_not_so_any_more(composed, kind):
    for status in Status:
        Application.objects.update(status=status)
        is_good = {
            MailKind.CODE: True,
            MailKind.SIGNING_CODE: True,
            MailKind.OWNER_ASKED: status.is_editable,
            MailKind.OWNER_REMINDER: status.is_editable,
            MailKind.OWNER_COMPLETED: status.is_editable,
            MailKind.OWNER_CODE: True,
            MailKind.WANTED: status.group == "ACTION_REQUIRED",
            MailKind.REMINDER: status.group == "ACTION_REQUIRED",
            MailKind.NUDGE: status.is_editable,
            MailKind.ENDING: status.is_editable or status.group == "ACTION_REQUIRED",
            MailKind.EXPIRED: status == Status.EXPIRED,
            MailKind.WITHDRAWN: status == Status.WITHDRAWN,
            MailKind.SUBMITTED: not status.is_editable,
            MailKind.TEMPORARY_ENDING: status == Status.APPROVED_TEMPORARY,
            MailKind.APPROVED: status == Status.APPROVED,
            MailKind.APPROVED_TEMPORARY: status == Status.APPROVED_TEMPORARY,
            MailKind.DENIED: status == Status.DENIED,
            MailKind.MESSAGE: True,
            MailKind.INVITATION: status.group == "APPROVED",
            MailKind.OWNER_INVITATION: status.group == "APPROVED",
        }.get(kind, status.group != "CLOSED")
        try:
            composed(kind)
        except Overtaken:
            assert not is_good, status
        else:
            assert is_good, status


@pytest.mark.parametrize(
    "kind", [MailKind.LINK, MailKind.WANTED, MailKind.REMINDER, MailKind.REOPENED]
)
def test_nothing_is_asked_for_in_an_attempt_that_is_over(composed, kind):
    in_status(kind)
    Application.objects.update(is_current=False)

    with pytest.raises(Overtaken, match="has ended"):
        composed(kind)


def test_a_code_that_opens_nothing_is_not_sent(application, composed):
    composed(MailKind.CODE, at=later(minutes=10) - SECOND)

    with pytest.raises(CodeExpired, match="the code has expired"):
        composed(MailKind.CODE, at=later(minutes=10))
    with pytest.raises(CodeExpired, match="the code has expired"):
        composed(MailKind.CODE, code="")
    older = outbox.queue(
        MailKind.CODE,
        application=application,
        language="en",
        code="123456",
        expires_at=later(minutes=10),
        at=NOON,
    )
    composed(MailKind.CODE)
    with pytest.raises(Overtaken, match="a newer code"):
        mail_texts.compose(older, at=NOON)


def test_who_signed_gets_a_reference_number_and_reads_what_happens_next(application, composed):
    application.external_id = UUID("01a213c4-af77-750a-9ea1-1ddfe2333226")
    application.save()
    in_status(MailKind.SUBMITTED)

    mail = composed(MailKind.SUBMITTED)

    assert mail.subject == "We have your application for Harbor Coffee (Acme Payroll)"
    assert mail.body == (
        "Hello Ada,\n"
        "\n"
        "Thank you. You signed and submitted the application for a bank account for Harbor Coffee "
        "at Example Bank on March 2, 2026 at 12:00 PM UTC.\n"
        "\n"
        "Your reference number is:\n"
        "\n"
        "1DDF-E233-3226\n"
        "\n"
        "What happens next: we check your application. If something is missing, we will ask you "
        "for it by email. If not, a person at the bank decides, usually within one business day. "
        "We will email you the decision.\n"
        "\n"
        "See the status of your application, and what you signed, here:\n"
        "\n"
        f"{links.location(application)}\n"
        "\n"
        "Example Bank"
    )


def test_who_stopped_reads_where_what_is_left_and_until_when(application, composed):
    Lead.objects.update(updated_at=NOON, **COMPLETE_PERSON)
    in_status(MailKind.NUDGE)

    mail = composed(MailKind.NUDGE)

    stop = reminder_links.location(application)
    assert mail.subject == "Continue your application for Harbor Coffee (Acme Payroll)"
    assert mail.body == (
        "Hello Ada,\n"
        "\n"
        "You have started an application for a bank account for Harbor Coffee at Example Bank. "
        "Your answers are saved. You stopped at the step “Business”.\n"
        "\n"
        "What is left to do:\n"
        "\n"
        "- Business\n"
        "- Documents\n"
        "- Review and sign\n"
        "\n"
        "Open your application here:\n"
        "\n"
        f"{links.location(application)}\n"
        "\n"
        "If you do not continue, the application ends on April 1, 2026 at 8:00 AM EDT.\n"
        "\n"
        "Example Bank\n"
        "\n"
        "To stop reminders about this application, open:\n"
        "\n"
        f"{stop}"
    )
    assert mail.extra_headers["List-Unsubscribe"] == f"<{stop}>"
    assert mail.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_who_never_opened_the_link_is_told_who_prepared_the_application(application, composed):
    Application.objects.update(status=Status.CREATED)

    body = composed(MailKind.NUDGE).body

    assert "Acme Payroll has prepared an application" in body
    assert "You have not opened it yet." in body


@pytest.mark.parametrize("kind", [MailKind.NUDGE, MailKind.ENDING])
def test_a_reminder_that_nobody_wants_any_more_is_not_sent(application, composed, kind):
    in_status(kind)
    Application.objects.update(entered_at=later(seconds=1))
    with pytest.raises(Overtaken, match="come back"):
        composed(kind)
    Partner.objects.update(sends_nudges=False)
    with pytest.raises(Overtaken, match="stopped"):
        composed(kind)
    Partner.objects.update(sends_nudges=True)
    Application.objects.update(nudges_stopped_at=NOON)
    with pytest.raises(Overtaken, match="stopped"):
        composed(kind)


def test_before_the_end_the_applicant_is_told_what_ends_it(application, composed):
    assert "documents or information from you" in composed(MailKind.ENDING).body
    assert "by May 1, 2026 at 12:00 PM UTC, the application ends." in composed(MailKind.ENDING).body
    assert "List-Unsubscribe" not in composed(MailKind.ENDING).extra_headers
    Lead.objects.update(updated_at=NOON)
    in_status(MailKind.ENDING)

    mail = composed(MailKind.ENDING)

    assert "It ends on April 1, 2026 at 12:00 PM UTC, unless you continue before then." in mail.body
    assert "List-Unsubscribe" in mail.extra_headers


def test_after_the_end_the_applicant_is_told_why_and_how_to_start_again(composed):
    in_status(MailKind.EXPIRED)
    body = composed(MailKind.EXPIRED).body
    assert "because we did not receive everything that we asked for. No account was" in body
    assert "ask Acme Payroll for a new link" in body
    Application.objects.update(submitted_at=None)

    assert "because it was not finished in time." in composed(MailKind.EXPIRED).body


def test_who_withdrew_reads_that_it_is_over_and_whom_to_call(composed, settings):
    settings.BANK_PHONE = "+1 212 555 0100"
    in_status(MailKind.WITHDRAWN)

    body = composed(MailKind.WITHDRAWN).body

    assert "was withdrawn on March 2, 2026 at 12:00 PM UTC." in body
    assert "If you did not want to withdraw it, call Example Bank at +1 212 555 0100." in body


@pytest.mark.parametrize("kind", [MailKind.EXPIRED, MailKind.WITHDRAWN])
def test_of_an_end_after_which_another_attempt_began_nothing_is_said(composed, kind):
    in_status(kind)
    Application.objects.update(is_current=False)

    with pytest.raises(Overtaken, match="has ended"):
        composed(kind)


def test_a_temporary_approval_ends_on_the_same_day_in_each_mail(application, composed):
    in_status(MailKind.TEMPORARY_ENDING)

    mail = composed(MailKind.TEMPORARY_ENDING)

    assert mail.subject.startswith("Send documents by April 1, 2026 to keep the account")
    for each in (mail, composed(MailKind.APPROVED_TEMPORARY)):
        assert "The temporary approval ends on April 1, 2026." in each.body
        assert "- The articles of organization.\n" in each.body


def test_who_has_sent_everything_is_not_reminded_of_the_end(application, composed):
    Lead.objects.update(business_type="")
    in_status(MailKind.TEMPORARY_ENDING)

    with pytest.raises(Overtaken, match="nothing is asked for"):
        composed(MailKind.TEMPORARY_ENDING)


def test_an_owner_is_told_that_their_change_was_made(application, composed):
    in_status(MailKind.CHANGE_MADE)
    user = make_decided_change(application, MailKind.CHANGE_MADE).opened_by
    BusinessOwner.objects.filter(user=user).update(first_name="Grace")

    mail = composed(MailKind.CHANGE_MADE, user=user)

    assert mail.to == ["grace@example.com"]
    assert mail.subject == "We have made your change: account for Harbor Coffee"
    assert mail.body == (
        "Hello Grace,\n"
        "\n"
        "We have checked your request of March 2, 2026, and made this change:\n"
        "\n"
        "- Business address\n"
        "- Details of an owner\n"
        "\n"
        "See your requests here:\n"
        "\n"
        "http://testserver/account/changes\n"
        "\n"
        "If you did not ask for this change, call Example Bank at +1 212 555 0100.\n"
        "\n"
        "Example Bank"
    )


def test_an_owner_is_told_in_spanish_why_their_change_was_denied(application, composed):
    in_status(MailKind.CHANGE_DENIED)

    mail = composed(MailKind.CHANGE_DENIED, language="es")

    assert mail.subject == "No hemos hecho su cambio: cuenta de Harbor Coffee"
    assert "- Dirección de la empresa\n- Datos de un propietario\n" in mail.body
    assert "Los documentos que tenemos no demuestran este cambio." in mail.body


def test_an_owner_who_lost_the_sign_in_by_the_change_is_told_without_a_link(application, composed):
    in_status(MailKind.CHANGE_MADE)
    user = make_decided_change(application, MailKind.CHANGE_MADE).opened_by
    BusinessOwner.objects.filter(user=user).update(user=None)

    mail = composed(MailKind.CHANGE_MADE, user=user)

    assert mail.to == ["grace@example.com"]
    assert "/account/changes" not in mail.body


def test_no_other_decision_is_told(application, composed):
    in_status(MailKind.CHANGE_MADE)
    change = make_decided_change(application, MailKind.CHANGE_DENIED)

    with pytest.raises(Overtaken, match="no such decision"):
        composed(MailKind.CHANGE_MADE, user=change.opened_by)


def test_nobody_is_mailed_about_a_change_who_was_locked_out(application, composed):
    in_status(MailKind.CHANGE_MADE)
    user = make_decided_change(application, MailKind.CHANGE_MADE).opened_by
    type(user).objects.update(is_active=False)

    with pytest.raises(Overtaken, match="does not sign in"):
        composed(MailKind.CHANGE_MADE, user=user)
