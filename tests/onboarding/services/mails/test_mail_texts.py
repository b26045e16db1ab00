"""What mails say, to whom, in which language, and what is not said any more."""

import re
from datetime import date, timedelta

import pytest
from django.db import connection

from banking.choices import AccountStatus, BusinessOwnerRole
from banking.models import BusinessOwner, User
from banking.services import invitations
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DeliveryStatus, DocumentStatus, IdentityStatus
from onboarding.event_types import CODE_MAILS, OWNER_MAILS, MailKind
from onboarding.models import (
    Application,
    Delivery,
    DeliveryAttempt,
    Lead,
    Mail,
    OwnerInvitation,
    Partner,
    Webhook,
)
from onboarding.services.access import links
from onboarding.services.mails import mail_texts, outbox
from onboarding.services.mails.mail_texts import CodeExpired, Overtaken
from onboarding.services.partners.bank_partner import get_bank_partner
from onboarding.services.webhooks import deliveries, endpoints
from tests.factories import (
    NOON,
    later,
    make_account,
    make_business_owner,
    make_invitation,
    make_lead,
    make_note,
    make_owner,
    make_partner,
)

SECOND = timedelta(seconds=1)
STATUSES = {
    MailKind.LINK: Status.CREATED,
    MailKind.CODE: Status.IN_PROGRESS,
    MailKind.SIGNING_CODE: Status.IN_PROGRESS,
    MailKind.WANTED: Status.DOCUMENTS_REQUIRED,
    MailKind.REMINDER: Status.DOCUMENTS_REQUIRED,
    MailKind.APPROVED: Status.APPROVED,
    MailKind.APPROVED_TEMPORARY: Status.APPROVED_TEMPORARY,
    MailKind.DENIED: Status.DENIED,
    MailKind.REOPENED: Status.CREATED,
    MailKind.MESSAGE: Status.IN_REVIEW,
    MailKind.INVITATION: Status.APPROVED,
    MailKind.OWNER_INVITATION: Status.APPROVED,
    **dict.fromkeys(OWNER_MAILS | {MailKind.OWNER_COMPLETED}, Status.IN_PROGRESS),
}
TO_PARTNERS = {MailKind.KEY_EXPIRY, MailKind.WEBHOOK_FAILING, MailKind.WEBHOOK_DISABLED}
TO_APPLICANTS = [kind for kind in MailKind if kind not in TO_PARTNERS]


@pytest.fixture
def application(make_application):
    """An LLC that waits for its documents."""
    partner = make_partner(name="acme-1", display_name="Acme Payroll")
    lead = make_lead(
        partner,
        email="ada@example.com",
        first_name="Ada",
        last_name="Byron",
        ssn="123-45-6789",
        business_name="Harbor Coffee",
        business_type="LLC",
    )
    return make_application(lead, status=Status.DOCUMENTS_REQUIRED)


def make_partner_user(application):
    """Return the sign-in of another owner, who has full access; open the account if need be."""
    if application.account is None:
        Application.objects.update(account=make_account())
        application.refresh_from_db(fields=["account"])
    known = User.objects.filter(email="grace@example.com").first()
    return known or invitations.give_sign_in(
        make_business_owner(
            application.account.business,
            email="grace@example.com",
            role=BusinessOwnerRole.UBO,
            sign_in_role="PARTNER_FULL_ACCESS",
        )
    )


def make_invited_owner(application):
    """Return an owner who is asked for their own part."""
    known = application.lead.owners.first()
    return known or make_invitation(make_owner(application.lead, email="grace@example.com")).owner


@pytest.fixture
def composed(application, settings):
    """Return a function that composes a mail about the application as it is stored by then."""
    settings.BANK_NAME = "Example Bank"

    def compose(kind=MailKind.REMINDER, *, at=NOON, language="en", **values):
        values = {"language": language, "at": NOON, **values}
        if kind in CODE_MAILS:
            values = {"code": "123456", "expires_at": later(minutes=10), **values}
        if kind is MailKind.MESSAGE and not application.notes.exists():
            make_note(application, text="One page is missing.", is_for_applicant=True)
        if kind is MailKind.OWNER_INVITATION and "user" not in values:
            values["user"] = make_partner_user(application)
        if kind in OWNER_MAILS and "owner" not in values:
            values["owner"] = make_invited_owner(application)
        queued = outbox.queue(kind, application=application, **values)
        stored = Mail.objects.select_related("application__lead__partner").get(pk=queued.pk)
        return mail_texts.compose(stored, at=at)

    return compose


@pytest.fixture
def key(make_api_key):
    partner = make_partner(name="acme-1", support_email="help@acme.example.com")
    return make_api_key(partner, label="Payroll server", at=NOON, lifetime=timedelta(days=7)).key


def compose_notice(key, *, at=NOON):
    queued = outbox.queue(MailKind.KEY_EXPIRY, api_key=key, language="en", at=NOON)
    return mail_texts.compose(Mail.objects.get(pk=queued.pk), at=at)


def in_status(kind):
    """Move the application to where it is written about so."""
    Application.objects.update(
        status=STATUSES.get(kind, Status.IN_REVIEW), expiration_date=date(2026, 4, 1)
    )


def test_the_mail_says_what_is_wanted_and_until_when(application, composed):
    mail = composed()

    assert mail.to == ["ada@example.com"]
    assert mail.subject == "Reminder, action needed: account for Harbor Coffee (Acme Payroll)"
    assert mail.body == (
        "You applied for a bank account for Harbor Coffee at Example Bank, through Acme Payroll.\n"
        "\n"
        "We need documents or information from you before we can continue.\n"
        "\n"
        "What we need from you:\n"
        "\n"
        "- The articles of organization.\n"
        "- The IRS letter or form SS-4 with the EIN.\n"
        "\n"
        "Please send everything before May 1, 2026. If we do not have it by then, your application "
        "ends.\n"
        "\n"
        "Open your application here:\n"
        "\n"
        f"http://testserver/apply/{links.derive_link(application)}\n"
        "\n"
        "If you have already sent it, please ignore this email.\n"
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


def test_the_mail_has_no_personal_data_beside_the_name_of_the_business(application, composed):
    application.document_requests = [
        {
            "llc_file_type": "UTILITY_BILL",
            "reason": "The bill of Ada Byron, 1 Pier Road, is blurred.",
            "requested_at": NOON.isoformat(),
        }
    ]
    application.save()

    mail = composed()

    assert "- Utility bill\n" in mail.body
    for value in ("Ada", "Byron", "Pier", "6789", "ada@", "blurred"):
        assert value not in mail.body + mail.subject


def test_what_is_wanted_of_another_owner_is_told_without_a_name(application, composed, make_owner):
    owner = make_owner(application.lead, first_name="Grace")
    asked = {"llc_file_type": "PASSPORT", "reason": "Blurred.", "requested_at": NOON.isoformat()}
    application.document_requests = [asked, {**asked, "ubo_id": str(owner.external_id)}]
    application.save()

    body = composed().body

    assert "- Passport\n- For another owner: Passport\n" in body
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


def test_questions_go_to_the_partner(application, composed):
    partner = application.lead.partner
    partner.support_email = "help@acme.example.com"
    partner.save()

    mail = composed()

    assert mail.reply_to == ["help@acme.example.com"]
    assert "Write to Acme Payroll: help@acme.example.com" in mail.body


def test_a_business_without_a_name_is_yours(application, composed):
    application.lead.business_name = ""
    application.lead.save()

    assert composed().subject.startswith("Reminder, action needed: account for your business")


def test_no_name_breaks_the_header_or_is_escaped(application, composed):
    application.lead.business_name = "Ben & Co\nBcc: eve@example.com"
    application.lead.save()

    mail = composed()

    assert "Ben & Co Bcc: eve@example.com" in mail.subject
    assert "\n" not in mail.subject
    assert "Ben & Co" in mail.body


@pytest.mark.parametrize("kind", TO_APPLICANTS)
@pytest.mark.parametrize("language", ["en", "es"])
def test_each_mail_has_the_same_in_text_and_in_html(composed, kind, language):
    in_status(kind)

    mail = composed(kind, language=language)

    [(html, content_type)] = mail.alternatives
    assert content_type == "text/html"
    assert f'<html lang="{language}">' in html
    names_applicant = kind in {MailKind.OWNER_ASKED, MailKind.OWNER_REMINDER}
    for text in (mail.subject, mail.body, html):
        assert ("Byron" in text) == names_applicant
        assert "6789" not in text
    said = [line.removeprefix("- ") for line in mail.body.splitlines() if "/apply/" not in line]
    assert all(line in html for line in said)
    assert ("/apply/" in mail.body) == ("/apply/" in html)


def test_the_html_is_in_the_partners_colour_and_loads_nothing(application, composed):
    application.lead.partner.brand_color = "#7a1f5c"
    application.lead.partner.save()

    [(html, _)] = composed().alternatives

    assert "background: #7a1f5c" in html
    for loads in ("<img", "<link", "<script", "url("):
        assert loads not in html


def test_the_html_takes_no_name_for_markup(application, composed):
    application.lead.business_name = "<b>Ben</b> & Co"
    application.lead.save()

    [(html, _)] = composed().alternatives

    assert "&lt;b&gt;Ben&lt;/b&gt; &amp; Co" in html


def test_a_code_stands_by_itself(composed):
    mail = composed(MailKind.CODE)

    assert mail.subject == "123456 is your code for Example Bank"
    assert mail.body.startswith("Your code is:\n\n123456\n\nEnter it in the application")
    assert "Harbor" not in mail.body


def test_a_code_to_sign_says_so(composed, settings):
    settings.BANK_PHONE = "+1 212 555 0100"
    mail = composed(MailKind.SIGNING_CODE)

    assert mail.subject == "123456 is your code to sign for Example Bank"
    assert "Enter it to sign and submit your application" in mail.body
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
        "We have reviewed the application for Harbor Coffee again and reopened it. Your answers "
        "are saved. Check them, change anything that is no longer correct, then sign and submit "
        "the application.\n"
        "\n"
        "Open your application here:\n"
        "\n"
        f"{links.location(application)}\n"
        "\n"
        "This is a new link, only for you. It works until April 1, 2026. When you open it, we "
        "will send a six-digit code to this email address.\n"
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
        )
    )


def test_who_is_invited_gets_a_link_to_choose_a_password(user, composed):
    mail = composed(MailKind.INVITATION)

    link = re.search(rf"http://testserver/welcome/{user.external_id}/\S+", mail.body)[0]
    assert invitations.tokens.check_token(user, link.rpartition("/")[2])
    assert mail.subject == "Choose your password for Example Bank"
    assert mail.body == (
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
    invitations.accept(user, "copper-otter-9")

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
    invitations.accept(partner, "copper-otter-9")

    mail = composed(MailKind.OWNER_INVITATION, user=partner)

    assert "the password that you already have:\n\nhttp://testserver/sign-in\n" in mail.body
    assert "/welcome/" not in mail.body


def test_an_owner_who_does_not_sign_in_any_more_is_not_invited(partner, composed):
    BusinessOwner.objects.filter(user=partner).update(user=None)

    with pytest.raises(mail_texts.Overtaken):
        composed(MailKind.OWNER_INVITATION, user=partner)


@pytest.mark.parametrize("kind", sorted(OWNER_MAILS))
def test_a_mail_to_an_owner_is_mailed_to_the_owner_alone(application, composed, kind):
    in_status(kind)

    mail = composed(MailKind(kind))

    assert mail.to == ["grace@example.com"]
    link = links.owner_location(application.lead.owners.get().invitation)
    assert (link in mail.body) == (kind != MailKind.OWNER_CODE)
    assert links.location(application) not in mail.body


@pytest.mark.parametrize("kind", sorted(OWNER_MAILS))
def test_nothing_is_mailed_to_an_owner_who_was_removed(application, composed, kind):
    in_status(kind)

    with pytest.raises(Overtaken):
        composed(MailKind(kind), owner=None)


@pytest.mark.parametrize("kind", sorted(OWNER_MAILS))
def test_nothing_is_mailed_to_an_owner_whose_part_was_taken_over(application, composed, kind):
    in_status(kind)
    make_invited_owner(application)
    OwnerInvitation.objects.update(status="TAKEN_OVER")

    with pytest.raises(Overtaken):
        composed(MailKind(kind))


def test_an_owner_reads_who_asks_and_for_what(composed):
    in_status(MailKind.OWNER_ASKED)

    mail = composed(MailKind.OWNER_ASKED)

    assert mail.subject == "Ada Byron asks for your details: account for Harbor Coffee"
    assert "Ada Byron sees when your part is complete, and not what you entered." in mail.body


def test_the_applicant_reads_whether_another_owner_is_waited_for(application, composed):
    in_status(MailKind.OWNER_COMPLETED)
    ready = composed(MailKind.OWNER_COMPLETED)
    make_invited_owner(application)

    waiting = composed(MailKind.OWNER_COMPLETED)

    assert ready.to == waiting.to == ["ada@example.com"]
    assert "sign and submit it" in ready.body
    assert "who still has to complete" in waiting.body


def test_a_mail_that_is_composed_again_is_the_same_one(application, settings):
    settings.BASE_URL = "https://bank.example.com"
    queued = outbox.queue(MailKind.REMINDER, application=application, language="en", at=NOON)

    ids = [
        mail_texts.compose(queued, at=at).message()["Message-ID"] for at in (NOON, later(days=1))
    ]

    assert ids == [f"<{queued.external_id}@bank.example.com>"] * 2


@pytest.mark.parametrize("kind", TO_APPLICANTS)
def test_nothing_is_said_that_is_not_so_any_more(composed, kind):
    for status in Status:
        Application.objects.update(status=status)
        is_good = {
            MailKind.CODE: True,
            MailKind.SIGNING_CODE: True,
            MailKind.WANTED: status.group == "ACTION_REQUIRED",
            MailKind.REMINDER: status.group == "ACTION_REQUIRED",
            MailKind.APPROVED: status == Status.APPROVED,
            MailKind.APPROVED_TEMPORARY: status == Status.APPROVED_TEMPORARY,
            MailKind.DENIED: status == Status.DENIED,
            MailKind.MESSAGE: True,
            MailKind.INVITATION: status.group == "APPROVED",
            MailKind.OWNER_INVITATION: status.group == "APPROVED",
            MailKind.OWNER_ASKED: status.is_editable,
            MailKind.OWNER_REMINDER: status.is_editable,
            MailKind.OWNER_COMPLETED: status.is_editable,
            MailKind.OWNER_CODE: True,
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


def test_a_partner_is_told_which_key_expires_and_when(key, settings):
    settings.BANK_NAME = "Example Bank"

    mail = compose_notice(key)

    assert (mail.to, mail.reply_to) == (["help@acme.example.com"], [])
    assert mail.subject == "An access key of acme-1 expires on March 9, 2026"
    assert f"The access key {key.access_key} (Payroll server)" in mail.body
    assert "expires on March 9, 2026 at 12:00 UTC" in mail.body


def test_of_a_key_that_has_ended_nothing_is_said(key):
    with pytest.raises(Overtaken):
        compose_notice(key, at=key.expires_at)
    key.revoked_at = NOON
    key.save()
    with pytest.raises(Overtaken):
        compose_notice(key)


def test_without_an_address_a_partner_is_told_nothing(key):
    key.partner.support_email = ""
    key.partner.save()

    with pytest.raises(Overtaken, match="no address"):
        compose_notice(key)


@pytest.fixture
def failing(make_webhook, settings):
    """A webhook that has only failed since noon, with a delivery that waits and one given up."""
    settings.BASE_URL, settings.BANK_NAME = "https://bank.example.com", "Example Bank"
    partner = make_partner(name="acme-1", support_email="help@acme.example.com")
    webhook = make_webhook(
        partner, server_url="https://ada:pw@hooks.example.com/in?key=s3cret", failing_since=NOON
    )
    deliveries.send_test(webhook, at=NOON)
    deliveries.send_test(webhook, at=NOON)
    given_up, waiting = Delivery.objects.order_by("pk")
    Delivery.objects.update(failing_since=NOON)
    Delivery.objects.filter(pk=given_up.pk).update(
        status=DeliveryStatus.FAILED, next_attempt_at=None
    )
    for delivery, at, values in (
        (waiting, later(hours=1), {"fault": "connection refused"}),
        (given_up, NOON, {"status_code": 500}),
    ):
        DeliveryAttempt.objects.create(delivery=delivery, number=1, at=at, duration_ms=1, **values)
    return webhook


def compose_about(webhook, kind, *, at=NOON, language="en"):
    queued = outbox.queue(kind, webhook=webhook, language=language, at=at)
    return mail_texts.compose(Mail.objects.get(pk=queued.pk), at=at)


def disable(webhook, *, reason="Nothing but failure for 7 days."):
    Webhook.objects.filter(pk=webhook.pk).update(status="DISABLED", disabled_reason=reason)


def test_a_partner_is_told_which_webhook_fails_and_what_comes_of_it(failing):
    mail = compose_about(failing, MailKind.WEBHOOK_FAILING, at=later(days=1))

    url = f"https://bank.example.com/service/api/v1/webhooks/{failing.external_id}"
    assert (mail.to, mail.reply_to) == (["help@acme.example.com"], [])
    assert mail.subject == "A webhook of acme-1 is failing"
    assert mail.body == (
        "Every delivery to the webhook hooks.example.com/in of acme-1 has failed since March 2, "
        "2026 at 12:00 UTC. The last attempt failed: connection refused.\n"
        "\n"
        "If no delivery succeeds, we will disable the webhook at the first failure after March 9, "
        "2026 at 12:00 UTC and send nothing more to it. One successful delivery prevents this.\n"
        "\n"
        "1 delivery is waiting. To test the endpoint, call:\n"
        "\n"
        f"POST {url}/test\n"
        "\n"
        "We do not retry deliveries after their last attempt has failed. To send them again when "
        "the endpoint works, call:\n"
        "\n"
        f"POST {url}/recover\n"
        '{"since": "2026-03-02T00:00:00Z"}\n'
        "\n"
        "API documentation: https://bank.example.com/service/api/v1/docs\n"
        "\n"
        "Example Bank"
    )


def test_a_partner_is_told_that_a_webhook_was_disabled_and_how_to_enable_it(failing):
    DeliveryAttempt.objects.filter(status_code=500).update(at=later(hours=2))
    disable(failing)

    mail = compose_about(failing, MailKind.WEBHOOK_DISABLED, at=later(days=7))

    url = f"https://bank.example.com/service/api/v1/webhooks/{failing.external_id}"
    assert mail.subject == "A webhook of acme-1 was disabled"
    assert mail.body == (
        "The webhook hooks.example.com/in of acme-1 was disabled on March 9, 2026 at 12:00 UTC. "
        "Nothing is sent to it until it is enabled again.\n"
        "\n"
        "Every delivery has failed since March 2, 2026 at 12:00 UTC. The last attempt was answered "
        "with the HTTP status 500.\n"
        "\n"
        "When the endpoint works again, enable the webhook. Call:\n"
        "\n"
        f"POST {url}\n"
        '{"status": "ACTIVE"}\n'
        "\n"
        "1 delivery is held and will be sent then. We do not automatically send deliveries whose "
        "last attempt has failed, or events that happened while the webhook was disabled. To send "
        "them, call:\n"
        "\n"
        f"POST {url}/recover\n"
        '{"since": "2026-03-02T00:00:00Z"}\n'
        "\n"
        "API documentation: https://bank.example.com/service/api/v1/docs\n"
        "\n"
        "Example Bank"
    )


def test_a_webhook_whose_endpoint_is_gone_was_disabled_for_that(failing):
    disable(failing, reason="The endpoint answered 410 Gone.")

    body = compose_about(failing, MailKind.WEBHOOK_DISABLED).body

    assert "410 (Gone). This status tells us to send nothing more." in body
    assert "Every delivery has failed" not in body


def test_of_a_disabled_webhook_that_still_answered_the_mail_leaves(failing):
    Webhook.objects.update(failing_since=None)
    disable(failing)

    assert "was disabled on March 2" in compose_about(failing, MailKind.WEBHOOK_DISABLED).body


def test_mails_about_webhooks_are_there_in_spanish(failing):
    body = compose_about(failing, MailKind.WEBHOOK_FAILING, language="es").body
    assert "han fallado desde el 2 de marzo de 2026 a las 12:00 UTC." in body
    assert "1 entrega está en espera." in body
    disable(failing)

    mail = compose_about(failing, MailKind.WEBHOOK_DISABLED, language="es")

    assert mail.subject == "Un webhook de acme-1 fue desactivado"
    assert "1 entrega está retenida y se enviará entonces." in mail.body


@pytest.mark.parametrize("kind", [MailKind.WEBHOOK_FAILING, MailKind.WEBHOOK_DISABLED])
def test_a_mail_about_a_webhook_tells_no_secret(failing, kind):
    if kind is MailKind.WEBHOOK_DISABLED:
        disable(failing)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE onboarding_webhook SET token = 'e1.gone.AAAA'")  # is not opened

    mail = compose_about(failing, kind)

    (html, _), text = mail.alternatives[0], mail.subject + mail.body
    for secret in ("s3cret", "pw@", "ada", "whsec_", "gone"):
        assert secret not in text + html


def test_of_a_webhook_that_works_by_now_nothing_is_said(failing):
    endpoints.disable_webhook(failing, reason="Disabled by the bank.")
    with pytest.raises(Overtaken, match="disabled or enabled since"):
        compose_about(failing, MailKind.WEBHOOK_FAILING)
    endpoints.enable_webhook(failing)
    with pytest.raises(Overtaken, match="disabled or enabled since"):
        compose_about(failing, MailKind.WEBHOOK_DISABLED)
    with pytest.raises(Overtaken, match="has worked since"):
        compose_about(failing, MailKind.WEBHOOK_FAILING)
    Webhook.objects.update(failing_since=later(seconds=1))
    with pytest.raises(Overtaken, match="has worked since"):
        compose_about(failing, MailKind.WEBHOOK_FAILING)


def test_of_a_deleted_webhook_nothing_is_said(failing):
    endpoints.delete_webhook(failing, at=NOON)

    with pytest.raises(Overtaken, match="was deleted"):
        compose_about(failing, MailKind.WEBHOOK_DISABLED)


def test_a_partner_that_took_its_address_back_is_not_told_of_webhooks(failing):
    Partner.objects.update(support_email="")

    with pytest.raises(Overtaken, match="no address"):
        compose_about(failing, MailKind.WEBHOOK_FAILING)
