"""Mails about an application as it is stored."""

import pytest

from banking.choices import BusinessOwnerRole
from banking.models import User
from banking.services import invitations
from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import CHANGE_MAILS, CODE_MAILS, OWNER_MAILS, MailKind
from onboarding.models import Application, Customer, CustomerCase, Mail
from onboarding.services.mails import mail_texts, outbox
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
        ),
        at=NOON,
    )


def make_decided_change(application, kind, *, user=None, at=NOON):
    """Return a change that another owner asked for, and that was decided as a mail tells."""
    user = user or make_partner_user(application)
    business = application.account.business
    customer, _ = Customer.objects.get_or_create(
        application=application,
        defaults={"lead": application.lead, "business": business, "risk": "LOW", "since": NOON},
    )
    is_made = kind is MailKind.CHANGE_MADE
    return CustomerCase.objects.create(
        customer=customer,
        kind="CHANGE",
        status="CLOSED",
        changed=["businessAddress", "uboList"],
        opened_as="OWNER",
        opened_by=user,
        opened_at=NOON,
        due_at=NOON,
        outcome="CHANGE_APPROVED" if is_made else "CHANGE_DENIED",
        denial_reason="" if is_made else "NOT_PROVEN",
        closed_at=at,
    )


def make_invited_owner(application, **values):
    """Return an owner who is asked for their own part; a new invitation has `values`."""
    known = application.lead.owners.first()
    if known:
        return known
    return make_invitation(make_owner(application.lead, email="grace@example.com"), **values).owner


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
        if kind in CHANGE_MAILS and "user" not in values:
            values["user"] = make_decided_change(application, kind).opened_by
        if kind in OWNER_MAILS and "owner" not in values:
            completed = {"status": "COMPLETED", "completed_at": NOON}
            signed = completed if kind is MailKind.OWNER_SIGNED else {}
            values["owner"] = make_invited_owner(application, **signed)
        queued = outbox.queue(kind, application=application, **values)
        stored = Mail.objects.select_related("application__lead__partner").get(pk=queued.pk)
        return mail_texts.compose(stored, at=at)

    return compose
