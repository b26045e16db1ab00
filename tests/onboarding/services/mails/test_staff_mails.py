"""Mails to staff: new screening hits, and a proposal that was voided."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import ProposalStatus
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, Mail
from onboarding.services.events import history
from onboarding.services.events.history import CHECKS
from onboarding.services.mails import mail_texts
from onboarding.services.mails.facts import Overtaken
from tests.factories import NOON, make_proposal
from tests.onboarding.cases import load, make_case, make_reviewer


def queue(application, user):
    return Mail.objects.create(
        kind=MailKind.SCREENING_HITS,
        application=application,
        user=user,
        language="en",
        due_at=NOON,
        created_at=NOON,
    )


def test_a_mail_about_hits_counts_customers_names_nobody_and_leads_to_the_queue(db, settings):
    ada = make_reviewer()
    customer = make_case(Status.APPROVED)
    make_case(Status.APPROVED)
    Application.objects.update(new_hit_at=NOON)

    message = mail_texts.compose(queue(load(customer), ada), at=NOON)

    assert message.to == [ada.email]
    assert message.subject == "2 customers have new screening hits"
    assert f"{settings.BASE_URL}/admin/onboarding/application/?queue=hits" in message.body
    assert customer.lead.last_name not in message.body
    assert customer.lead.business_name not in message.body


@pytest.mark.parametrize("reason", ["judged", "left", "no right"])
def test_a_mail_that_is_of_no_use_is_not_sent(db, reason):
    ada = make_reviewer()
    customer = make_case(Status.APPROVED)
    Application.objects.update(new_hit_at=None if reason == "judged" else NOON)
    if reason == "left":
        ada.is_active = False
        ada.save()
    elif reason == "no right":
        ada.user_permissions.clear()

    with pytest.raises(Overtaken):
        mail_texts.compose(Mail.objects.get(pk=queue(load(customer), ada).pk), at=NOON)


def test_the_proposer_of_a_voided_proposal_is_told_why(db, settings):
    proposal = make_proposal(make_case())
    application = load(proposal.application)

    history.record(application, EventType.HITS_JUDGED, by=CHECKS, at=NOON)

    mail = Mail.objects.get(kind=MailKind.PROPOSAL_VOIDED)
    message = mail_texts.compose(mail, at=NOON)
    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.VOIDED
    assert message.to == [proposal.proposed_by.email]
    assert message.subject == f"Your proposal for application {application.reference} is void"
    assert "something has changed since: Screening hits judged" in message.body
    assert f"/admin/onboarding/application/{application.pk}/change/#decision" in message.body
