"""Mails to owners who fill in their own part, and to the applicant about them."""

import pytest

from onboarding.event_types import OWNER_MAILS, MailKind
from onboarding.models import Mail, OwnerInvitation
from onboarding.services.access import links, reminder_links
from onboarding.services.mails.facts import Overtaken
from tests.factories import NOON, make_event
from tests.onboarding.services.mails.conftest import make_invited_owner
from tests.onboarding.services.mails.kinds import in_status


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
    assert "Ada Byron can see when your part is complete, but not what you enter." in mail.body


def test_the_applicant_reads_whether_another_owner_is_waited_for(application, composed):
    in_status(MailKind.OWNER_COMPLETED)
    ready = composed(MailKind.OWNER_COMPLETED)
    make_invited_owner(application)

    waiting = composed(MailKind.OWNER_COMPLETED)

    assert ready.to == waiting.to == ["ada@example.com"]
    assert "sign and submit it" in ready.body
    assert "who still has to complete" in waiting.body


def test_an_automatic_reminder_has_a_link_that_stops_it(application, composed):
    in_status(MailKind.OWNER_REMINDER)
    owner = make_invited_owner(application)
    event = make_event(application)
    url = reminder_links.owner_location(owner.invitation)

    by_hand = composed(MailKind.OWNER_REMINDER, owner=owner)
    by_itself = composed(MailKind.OWNER_REMINDER, owner=owner, event=event)

    assert url not in by_hand.body
    assert url in by_itself.body
    assert by_itself.extra_headers["List-Unsubscribe"] == f"<{url}>"
    OwnerInvitation.objects.update(reminders_stopped_at=NOON)
    Mail.objects.all().delete()
    with pytest.raises(Overtaken):
        composed(MailKind.OWNER_REMINDER, owner=owner, event=event)
