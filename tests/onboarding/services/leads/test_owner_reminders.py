"""Owners who were asked for their own part are reminded by the clock, and may stop it."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, Event, Mail, OwnerInvitation
from onboarding.queries.owner_invitations import open_owner_link
from onboarding.services.access import links, reminder_links
from onboarding.services.leads import drafts, owner_invitations, owner_reminders
from tests.factories import NOON, later


@pytest.fixture
def application(make_application, make_lead):
    return make_application(make_lead(email="ada@example.com"), status=Status.IN_PROGRESS)


@pytest.fixture
def grace(application, make_owner):
    owner = make_owner(application.lead, email="grace@example.com", first_name="Grace")
    owner_invitations.invite(application, str(owner.external_id), language="es", at=NOON)
    Mail.objects.all().delete()
    return owner


def run(**after):
    return len(list(owner_reminders.remind_due(at=later(**after))))


def reminders():
    return Mail.objects.filter(kind=MailKind.OWNER_REMINDER).count()


def test_an_owner_is_reminded_after_two_five_and_ten_days(grace):
    days = range(1, 20)
    sent = [(owner_reminders.count_due(at=later(days=day)), run(days=day)) for day in days]

    assert [day for day, counts in zip(days, sent, strict=True) if counts == (1, 1)] == [2, 5, 10]
    assert sum(map(sum, sent)) == 6
    mail = Mail.objects.first()
    assert (mail.kind, mail.owner, mail.language) == (MailKind.OWNER_REMINDER, grace, "es")
    events = Event.objects.filter(type=EventType.OWNER_REMINDED, role="CLOCK")
    assert {one.details["ubo_id"] for one in events} == {str(grace.external_id)}
    assert OwnerInvitation.objects.get().remind_at is None


def test_of_reminders_that_were_missed_one_is_sent(grace):
    assert run(days=6) == 1
    assert run(days=6, minutes=1) == 0
    assert reminders() == 1


@pytest.mark.parametrize("status", ["COMPLETED", "TAKEN_OVER"])
def test_an_owner_who_is_not_waited_for_is_not_reminded(grace, status):
    completed_at = NOON if status == "COMPLETED" else None
    OwnerInvitation.objects.update(status=status, completed_at=completed_at)

    assert run(days=2) == 0
    assert OwnerInvitation.objects.get().remind_at is None


def test_after_the_submission_no_owner_is_reminded(grace):
    Application.objects.update(status=Status.SUBMITTED)

    assert run(days=2) == 0


def test_the_partner_may_switch_reminders_off(grace):
    partner = grace.lead.partner
    partner.sends_nudges = False
    partner.save()

    assert run(days=2) == 0


def test_who_stops_the_reminders_gets_none_until_they_resume(grace):
    invitation = OwnerInvitation.objects.get()
    owner_reminders.switch_reminders(invitation, is_on=False, at=NOON)
    assert run(days=2) == 0

    owner_reminders.switch_reminders(invitation, is_on=True, at=NOON)

    assert run(days=5) == 1


def test_a_reminder_of_the_applicant_replaces_that_of_the_day(application, grace):
    owner_invitations.remind(application, str(grace.external_id), at=later(days=1, hours=12))

    assert run(days=2) == 0
    assert run(days=5) == 1


def test_who_is_asked_again_is_reminded_again(application, grace):
    run(days=10)
    OwnerInvitation.objects.update(status="COMPLETED", completed_at=NOON)
    key = str(grace.external_id)
    owner_invitations.invite(application, key, language="en", at=later(days=11))

    assert run(days=13) == 1


def test_an_expired_link_is_replaced_in_the_reminder(grace):
    OwnerInvitation.objects.update(link_expires_at=later(days=1))

    run(days=2)

    link = links.derive_owner_link(OwnerInvitation.objects.get())
    assert open_owner_link(link, at=later(days=2))[0].owner == grace


def test_at_another_address_the_reminders_begin_anew(application, grace):
    OwnerInvitation.objects.update(reminders_stopped_at=NOON, reminders_sent=2)
    old = reminder_links.owner_location(OwnerInvitation.objects.select_related("owner").get())

    owner_invitations.save_contact(
        application, str(grace.external_id), {"email": "g@example.com"}, seen="", at=later(days=3)
    )

    invitation = OwnerInvitation.objects.select_related("owner").get()
    assert (invitation.reminders_stopped_at, invitation.reminders_sent) == (None, 0)
    assert invitation.remind_at == later(days=5)
    assert reminder_links.owner_location(invitation) != old
    with pytest.raises(OwnerInvitation.DoesNotExist):
        reminder_links.get_invitation(old.rpartition("/")[2])


def test_at_another_address_the_owner_is_reminded_as_often_as_at_the_first(application, grace):
    run(days=2)
    run(days=5)
    owner_invitations.remind(application, str(grace.external_id), at=later(days=8, hours=12))
    owner_invitations.save_contact(
        application, str(grace.external_id), {"email": "g@example.com"}, seen="", at=later(days=9)
    )

    sent = [day for day in range(9, 30) if run(days=day)]

    assert sent == [11, 14, 19]
    invitation = OwnerInvitation.objects.get()
    assert (invitation.invited_at, invitation.reminded_at) == (later(days=9), None)


@pytest.mark.parametrize(
    ("email", "days"), [("grace@example.com", []), ("g@example.com", [3, 6, 11])]
)
def test_who_stopped_the_reminders_stops_them_at_their_own_address_alone(
    application, grace, email, days
):
    key = str(grace.external_id)
    owner_reminders.switch_reminders(OwnerInvitation.objects.get(), is_on=False, at=NOON)
    owner_invitations.take_over(application, key, at=NOON)
    drafts.save_owner(application, key, {"email": email}, seen="", at=NOON)
    owner_invitations.invite(application, key, language="en", at=later(days=1))

    assert [day for day in range(1, 20) if run(days=day)] == days
