"""Mails sent again: which may be, with a reason, and what the event says."""

import pytest

from onboarding.choices import MailStatus
from onboarding.event_types import CHANGE_MAILS, EventType, MailKind
from onboarding.models import Event, Mail, OwnerInvitation
from onboarding.services.mails import mail_texts, outbox, repeats
from onboarding.services.mails.facts import Overtaken
from onboarding.services.reviews.cases import Incomplete
from tests.factories import NOON, later, make_invitation, make_owner


@pytest.fixture
def ada(make_user):
    return make_user(user_type="STAFF")


def queue(application, kind, **values):
    mail = outbox.queue(kind, application=application, language="en", at=NOON)
    Mail.objects.filter(pk=mail.pk).update(**values)
    mail.refresh_from_db()
    return mail


SENT = {"status": MailStatus.SENT, "sent_at": NOON}


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (MailKind.CODE, SENT),
        (MailKind.NUDGE, SENT),
        (MailKind.LINK, {"status": MailStatus.QUEUED}),
        (MailKind.LINK, {"status": MailStatus.CANCELLED}),
    ],
)
def test_other_mails_are_not_sent_again(kind, values, make_application, ada):
    mail = queue(make_application(), kind, **values)

    with pytest.raises(repeats.NotRepeatable):
        repeats.send_again(mail, reason="The caller asked", by=ada, at=later(hours=1))

    assert not Event.objects.exists()


@pytest.mark.parametrize("reason", ["", "  ok  "])
def test_a_reason_is_asked_for(reason, make_application, ada):
    mail = queue(make_application(), MailKind.LINK, **SENT)

    with pytest.raises(Incomplete):
        repeats.send_again(mail, reason=reason, by=ada, at=later(hours=1))


def test_a_given_up_mail_is_queued_itself_and_a_sent_one_as_a_new_mail(make_application, ada):
    failed = queue(make_application(), MailKind.LINK, status=MailStatus.FAILED)
    sent = queue(make_application(), MailKind.LINK, **SENT)

    again = [
        repeats.send_again(one, reason=" The caller asked ", by=ada, at=later(hours=1))
        for one in (failed, sent)
    ]

    assert again[0] == failed
    assert again[1].pk not in {failed.pk, sent.pk}
    assert list(Mail.objects.filter(status="QUEUED")) == again[::-1]
    details = [event.details for event in Event.objects.filter(type=EventType.MAIL_REPEATED)]
    assert [one["mail_id"] for one in details] == [str(failed.external_id), str(sent.external_id)]
    assert {one["reason"] for one in details} == {"The caller asked"}


@pytest.mark.parametrize("kind", sorted(CHANGE_MAILS))
def test_a_given_up_mail_about_a_change_is_sent_again_for_the_same_event(
    kind, make_application, make_event, make_user, ada
):
    application = make_application()
    event = make_event(application)
    mail = outbox.queue(
        kind, application=application, user=make_user(), event=event, language="en", at=NOON
    )
    mail.give_up(fault="ValueError")

    again = repeats.send_again(mail, reason="After an upgrade", by=ada, at=later(hours=1))

    again.refresh_from_db()
    assert (again.pk, again.status, again.event) == (mail.pk, MailStatus.QUEUED, event)


@pytest.fixture
def signed_mail(make_application, ada):
    """A repeated mail to an owner who has signed their part, a day after the signature."""
    application = make_application(status="IN_PROGRESS")
    owner = make_owner(application.lead, email="grace@example.com")
    make_invitation(owner, status="COMPLETED", completed_at=NOON)
    mail = queue(application, MailKind.OWNER_SIGNED, owner=owner, **SENT)
    return repeats.send_again(mail, reason="The owner asked", by=ada, at=later(days=1))


def test_a_repeated_mail_about_a_signature_names_the_time_of_the_signature(signed_mail):
    message = mail_texts.compose(signed_mail, at=later(days=1))

    assert "on March 2, 2026" in message.body


def test_a_mail_about_a_signature_is_not_sent_to_an_owner_who_was_asked_again(signed_mail):
    OwnerInvitation.objects.update(status="INVITED", completed_at=None)
    signed_mail.owner.invitation.refresh_from_db()

    with pytest.raises(Overtaken):
        mail_texts.compose(signed_mail, at=later(days=1))
