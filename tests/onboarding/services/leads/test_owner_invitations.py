"""Owners are asked for their own part, reminded, written to elsewhere, and relieved of it."""

import uuid

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CodePurpose, InvitationStatus, Supplier
from onboarding.errors import Invalid
from onboarding.event_types import EventType, MailKind
from onboarding.models import (
    AccessCode,
    Application,
    Event,
    FlowSession,
    FormDraft,
    Mail,
    Owner,
    OwnerInvitation,
)
from onboarding.queries import audit
from onboarding.queries.owner_invitations import (
    OwnerLinkExpired,
    OwnerLinkReplaced,
    OwnerPartClosed,
    open_owner_link,
)
from onboarding.services.access import access_codes, links, sessions
from onboarding.services.applications.attempts import ApplicationClosed, LeadLocked
from onboarding.services.leads import drafts, form_drafts, owner_invitations
from onboarding.services.leads.drafts import NotYourPart
from onboarding.services.leads.form_drafts import Draft
from tests.factories import NOON, later


@pytest.fixture
def application(make_application, make_lead):
    return make_application(make_lead(email="ada@example.com"), status=Status.IN_PROGRESS)


@pytest.fixture
def grace(application, make_owner):
    return make_owner(application.lead, email="grace@example.com", first_name="Grace")


def key(owner):
    return str(owner.external_id)


def invite(application, owner, at=NOON):
    return owner_invitations.invite(application, key(owner), language="es", at=at)


def link_of(owner):
    return links.derive_owner_link(OwnerInvitation.objects.get(owner=owner))


def types():
    return list(Event.objects.order_by("number").values_list("type", flat=True))


def test_an_owner_is_invited_by_mail_and_the_partner_is_told(application, grace):
    invitation = invite(application, grace)

    event, mail = Event.objects.get(), Mail.objects.get()
    assert (invitation.status, invitation.language) == (InvitationStatus.INVITED, "es")
    assert (event.type, event.sequence, event.details) == (
        EventType.OWNER_INVITED, 1, {"ubo_id": key(grace)},
    )  # fmt: skip
    assert (mail.kind, mail.owner, mail.language) == (MailKind.OWNER_ASKED, grace, "es")
    assert open_owner_link(link_of(grace), at=NOON) == (invitation, application)


def test_who_is_invited_twice_gets_one_mail(application, grace):
    invite(application, grace)

    invite(application, grace)

    assert (Mail.objects.count(), Event.objects.count()) == (1, 1)


@pytest.mark.parametrize("email", ["", "ada@example.com"])
def test_an_owner_needs_an_address_of_their_own(application, grace, email):
    Owner.objects.update(email=email)

    with pytest.raises(Invalid):
        invite(application, grace)

    assert not OwnerInvitation.objects.exists()


def test_nobody_is_invited_after_the_submission(application, grace):
    Application.objects.update(status=Status.SUBMITTED)

    with pytest.raises(LeadLocked):
        invite(application, grace)


def test_an_owner_of_another_lead_is_not_found(application, make_owner):
    with pytest.raises(Owner.DoesNotExist):
        invite(application, make_owner())


def test_so_many_mails_are_sent_to_owners_and_no_more(application, grace, settings):
    settings.OWNER_MAILS_PER_DAY = 2
    invite(application, grace)
    owner_invitations.remind(application, key(grace), at=NOON)

    with pytest.raises(owner_invitations.TooManyMails):
        owner_invitations.remind(application, key(grace), at=NOON)

    assert Mail.objects.count() == 2


def test_an_owner_is_reminded_with_the_same_link_until_it_expires(application, grace):
    invite(application, grace)
    first = link_of(grace)

    owner_invitations.remind(application, key(grace), at=later(days=1))
    same = link_of(grace)
    owner_invitations.remind(application, key(grace), at=later(days=40))

    assert (first == same, first == link_of(grace)) == (True, False)
    assert types() == [
        EventType.OWNER_INVITED,
        EventType.OWNER_REMINDED,
        EventType.LINK_REPLACED,
        EventType.OWNER_REMINDED,
    ]
    assert list(audit.find_faults()) == []


def test_another_address_gets_another_link_and_the_old_one_ends(application, grace):
    invitation = invite(application, grace)
    old = link_of(grace)
    sessions.open_owner_session(invitation, language="en", at=NOON)
    access_codes.send_code(application, CodePurpose.ENTRY, owner=grace, language="en", at=NOON)
    typed = {"ssn": "123456789", "address.line1": "1 Main Street"}
    drafts.save_owner(application, key(grace), typed, by=Supplier.OWNER, seen="", at=NOON)
    page = form_drafts.part_page(grace.external_id)
    form_drafts.keep(application, page, Draft({"line2": ["Floor 2"]}), at=NOON)
    values = {"email": "hopper@example.com"}

    owner_invitations.save_contact(application, key(grace), values, seen="", at=NOON)

    owner = Owner.objects.get()
    assert (owner.ssn, owner.address, owner.email) == ("", {}, "hopper@example.com")
    assert not FormDraft.objects.exists()
    assert not FlowSession.objects.exists()
    assert not AccessCode.objects.exists()
    with pytest.raises(OwnerLinkReplaced):
        open_owner_link(old, at=NOON)
    assert open_owner_link(link_of(grace), at=NOON)
    kinds = list(Mail.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == [MailKind.OWNER_ASKED, MailKind.OWNER_CODE, MailKind.OWNER_ASKED]
    assert list(audit.find_faults()) == []


def test_another_share_leaves_the_link(application, grace):
    invite(application, grace)
    old = link_of(grace)

    owner_invitations.save_contact(application, key(grace), {"title": "CTO"}, seen="", at=NOON)

    assert link_of(grace) == old
    assert Owner.objects.get().title == "CTO"


def test_the_applicant_cannot_be_put_in_the_place_of_an_invited_owner(application, grace):
    invite(application, grace)
    values = {"email": "ada@example.com"}

    with pytest.raises(Invalid):
        owner_invitations.save_contact(application, key(grace), values, seen="", at=NOON)

    assert Owner.objects.get().email == "grace@example.com"


@pytest.mark.parametrize("name", ["ssn", "birth_date", "address.city", "phone_number"])
def test_the_applicant_does_not_fill_in_the_part_of_an_invited_owner(application, grace, name):
    invite(application, grace)

    with pytest.raises(NotYourPart):
        drafts.save_owner(application, key(grace), {name: "1"}, seen="", at=NOON)


@pytest.mark.parametrize("name", ["email", "first_name", "ssn"])
def test_a_completed_part_is_changed_by_nobody_else(application, grace, name):
    invite(application, grace)
    OwnerInvitation.objects.update(status=InvitationStatus.COMPLETED, completed_at=NOON)

    with pytest.raises(NotYourPart):
        drafts.save_owner(application, key(grace), {name: "x@example.com"}, seen="", at=NOON)


def test_who_takes_a_part_over_sees_nothing_that_the_owner_entered(application, grace):
    invitation = invite(application, grace)
    drafts.save_owner(
        application,
        key(grace),
        {"ssn": "123456789", "address.line1": "1 Main Street", "last_name": "Hopper"},
        by=Supplier.OWNER,
        seen="",
        at=NOON,
    )
    sessions.open_owner_session(invitation, language="en", at=NOON)
    page = form_drafts.part_page(grace.external_id)
    form_drafts.keep(application, page, Draft({"ssn": ["1"]}), at=NOON)

    owner_invitations.take_over(application, key(grace), at=NOON)

    owner = Owner.objects.get()
    assert (owner.ssn, owner.address, owner.last_name) == ("", {}, "Hopper")
    assert owner.invitation.status == InvitationStatus.TAKEN_OVER
    assert not FlowSession.objects.exists()
    assert not FormDraft.objects.exists()
    with pytest.raises(OwnerPartClosed):
        open_owner_link(link_of(grace), at=NOON)
    assert EventType.OWNER_TAKEN_OVER in types()
    assert list(audit.find_faults()) == []
    drafts.save_owner(application, key(grace), {"ssn": "223456789"}, seen="", at=NOON)


def test_an_owner_is_asked_again_under_another_link(application, grace):
    invite(application, grace)
    old = link_of(grace)
    OwnerInvitation.objects.update(status=InvitationStatus.COMPLETED, completed_at=NOON)

    invitation = invite(application, grace, at=later(days=1))

    assert (invitation.status, invitation.completed_at) == (InvitationStatus.INVITED, None)
    assert link_of(grace) != old


@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.EXPIRED, Status.DENIED])
def test_a_link_ends_with_the_application(application, grace, status):
    invitation = invite(application, grace)
    Application.objects.update(status=status)

    with pytest.raises(OwnerPartClosed):
        open_owner_link(link_of(grace), at=NOON)
    with pytest.raises(sessions.NoWayIn):
        sessions.open_owner_session(invitation, language="en", at=NOON)


def test_a_link_ends_with_the_owner(application, grace):
    invite(application, grace)
    link = link_of(grace)

    drafts.remove_owner(application, key(grace), at=NOON)

    with pytest.raises(OwnerInvitation.DoesNotExist):
        open_owner_link(link, at=NOON)


def test_a_session_is_not_opened_under_a_link_that_was_replaced_meanwhile(application, grace):
    invitation = invite(application, grace)
    values = {"email": "hopper@example.com"}
    owner_invitations.save_contact(application, key(grace), values, seen="", at=NOON)

    with pytest.raises(sessions.NoWayIn):
        sessions.open_owner_session(invitation, language="en", at=NOON)


def test_who_comes_in_is_written_down(application, grace):
    invitation = invite(application, grace)

    opened = sessions.open_owner_session(invitation, language="es", at=NOON)

    event = Event.objects.get(type=EventType.OWNER_ENTERED)
    assert (event.role, event.details) == ("OWNER", {"ubo_id": key(grace)})
    assert (opened.session.owner, opened.session.code_entered_at) == (grace, NOON)


def test_an_expired_link_gets_a_new_one_by_mail(application, grace):
    invite(application, grace)
    old = link_of(grace)
    with pytest.raises(OwnerLinkExpired):
        open_owner_link(old, at=later(days=31))

    owner_invitations.request_link(old, at=later(days=31))

    assert link_of(grace) != old
    assert Mail.objects.order_by("pk").last().kind == MailKind.OWNER_LINK


@pytest.mark.parametrize("status", ["TAKEN_OVER", None])
def test_nothing_is_mailed_for_a_link_that_leads_nowhere(application, grace, status):
    invite(application, grace)
    link = link_of(grace)
    if status:
        OwnerInvitation.objects.update(status=status)
    else:
        Owner.objects.all().delete()

    owner_invitations.request_link(link, at=NOON)
    owner_invitations.request_link("unknown", at=NOON)

    assert Mail.objects.count() == 1


class TestForPartners:
    def open(self, application, ubo_id, **values):
        return owner_invitations.open_owner_access(
            partner=application.lead.partner,
            customer_id=str(application.lead.external_id),
            ubo_id=ubo_id,
            **{"rotates_link": False, "at": NOON, **values},
        )

    def test_the_first_call_invites(self, application, grace):
        self.open(application, key(grace))

        self.open(application, key(grace), at=later(days=1))

        assert types() == [EventType.OWNER_INVITED]
        invitation = OwnerInvitation.objects.get()
        assert invitation.link_expires_at == later(days=31)

    @pytest.mark.parametrize("is_mailed", [True, False])
    def test_the_bank_mails_the_link_for_partners_that_let_it(self, application, grace, is_mailed):
        partner = application.lead.partner
        partner.mails_links = is_mailed
        partner.save()

        self.open(application, key(grace))

        assert Mail.objects.exists() == is_mailed

    def test_a_link_is_replaced_on_demand(self, application, grace):
        self.open(application, key(grace))
        old = link_of(grace)

        self.open(application, key(grace), rotates_link=True)

        with pytest.raises(OwnerLinkReplaced):
            open_owner_link(old, at=NOON)

    @pytest.mark.parametrize("ubo_id", ["", "x", str(uuid.UUID(int=1))])
    def test_an_owner_who_is_not_there_is_not_found(self, application, ubo_id):
        with pytest.raises(owner_invitations.OwnerNotFound):
            self.open(application, ubo_id)

    def test_a_closed_application_has_no_links(self, application, grace):
        Application.objects.update(status=Status.WITHDRAWN)

        with pytest.raises(ApplicationClosed):
            self.open(application, key(grace))

    def test_who_completed_keeps_the_link_after_the_submission(self, application, grace):
        invite(application, grace)
        OwnerInvitation.objects.update(status=InvitationStatus.COMPLETED, completed_at=NOON)
        Application.objects.update(status=Status.IN_REVIEW)

        assert self.open(application, key(grace))[1].status == InvitationStatus.COMPLETED
