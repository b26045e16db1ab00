"""Mail samples: each kind of mail in each language, about demo rows that are rolled back."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db import transaction

from banking.choices import BusinessType
from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    CaseOutcome,
    ChangeDenialReason,
    CustomerCaseKind,
    CustomerCaseStatus,
    DenialReason,
    InvitationStatus,
    LlcFileType,
    NotificationKind,
    OwnerRole,
    ProposalKind,
    ProposalStatus,
    Role,
    WebhookStatus,
)
from onboarding.event_types import CODE_MAILS, OWNER_MAILS, STAFF_MAILS, MailKind
from onboarding.models import (
    Application,
    CustomerCase,
    Lead,
    Mail,
    Note,
    Notification,
    Owner,
    OwnerInvitation,
    Partner,
)
from onboarding.services.access import links
from onboarding.services.applications import account_opening
from onboarding.services.events.history import CLOCK
from onboarding.services.mails import mail_texts, outbox
from onboarding.services.partners import api_keys
from onboarding.services.webhooks import endpoints

DAY = timedelta(days=1)
STATUSES = {  # in which a mail is true; other kinds are true in IN_PROGRESS
    MailKind.EXPIRED: Status.EXPIRED,
    MailKind.WITHDRAWN: Status.WITHDRAWN,
    MailKind.SUBMITTED: Status.SUBMITTED,
    MailKind.REMINDER: Status.DOCUMENTS_REQUIRED,
    MailKind.WANTED: Status.DOCUMENTS_REQUIRED,
    MailKind.APPROVED: Status.APPROVED,
    MailKind.APPROVED_TEMPORARY: Status.APPROVED_TEMPORARY,
    MailKind.TEMPORARY_ENDING: Status.APPROVED_TEMPORARY,
    MailKind.INVITATION: Status.APPROVED,
    MailKind.OWNER_INVITATION: Status.APPROVED,
    MailKind.CHANGE_MADE: Status.APPROVED,
    MailKind.CHANGE_DENIED: Status.APPROVED,
    MailKind.DENIED: Status.DENIED,
    MailKind.MESSAGE: Status.IN_REVIEW,
}
ADDRESS = {"line1": "12 Harbor Street", "city": "Brooklyn", "state": "NY", "postal_code": "11201"}
PERSON = {"birth_date": date(1985, 12, 10), "phone_number": "+12125550123", "ssn": "123456789"}
REASON = "Page 2 is missing. Send all pages in one file."


@dataclass(frozen=True)
class Sample:
    """A composed mail with its kind and language."""

    kind: MailKind
    language: str
    message: EmailMultiAlternatives

    @property
    def name(self) -> str:
        """Return the HTML anchor of the mail on the page of samples."""
        return f"{self.kind}-{self.language}"

    @property
    def title(self) -> str:
        """Return the label of the kind with the code of the language."""
        return f"{self.kind.label} ({self.language})"

    @property
    def html(self) -> str:
        """Return the HTML alternative of the message."""
        return str(self.message.alternatives[0][0])


def list_samples(*, at: datetime) -> list[Sample]:
    """Return each kind of mail in each language. Nothing is saved or sent."""
    with transaction.atomic():
        samples = list(_compose_all(at))
        transaction.set_rollback(True)
    return samples


def _compose_all(at: datetime) -> Iterator[Sample]:
    partner = Partner.objects.create(
        name=f"preview {uuid4()}",
        display_name="Harbor Ledger",
        brand_color="#7a1f5c",
        support_email="help@example.com",
    )
    about = {**_about_partner(partner, at), **_about_application(partner, at)}
    for kind in MailKind:
        values = about.get(kind) or about[MailKind.LINK]
        for language, _name in settings.LANGUAGES:
            yield Sample(kind, language, _compose(kind, language, values, at))


def _compose(
    kind: MailKind, language: str, values: dict[str, Any], at: datetime
) -> EmailMultiAlternatives:
    if application := values.get("application"):
        Application.objects.filter(pk=application.pk).update(
            status=STATUSES.get(kind, Status.IN_PROGRESS)
        )
    if kind in CODE_MAILS:
        values = {**values, "code": "123456", "expires_at": at + settings.CODE_LIFETIME}
    queued = outbox.queue(kind, language=language, at=at, **values)
    stored = Mail.objects.select_related("application__lead__partner").get(pk=queued.pk)
    if kind == MailKind.STAFF_NOTICE:
        about = {"application": stored.application, "user": stored.user}
        stored.notification = Notification(kind=NotificationKind.RETURNED, at=at, **about)
    return mail_texts.compose(stored, at=at)


def _about_application(partner: Partner, at: datetime) -> dict[MailKind, dict[str, Any]]:
    """Create an application with an opened account; return the rows that mails are about.

    The rows are by kind of mail and name the arguments of `outbox.queue`. Kinds that are not
    there have those of `MailKind.LINK`.
    """
    business = {"business_name": "Harbor Coffee LLC", "business_type": BusinessType.LLC}
    lead = Lead.objects.create(
        partner=partner,
        email=f"ada-{uuid4()}@example.com",
        first_name="Ada",
        last_name="Example",
        country="US",
        business_address={**ADDRESS, "country": "US"},
        **PERSON,
        **ADDRESS,
        **business,
    )
    owner = Owner.objects.create(
        lead=lead,
        email=f"grace-{uuid4()}@example.com",
        first_name="Grace",
        last_name="Example",
        address={**ADDRESS, "country": "US"},
        role=OwnerRole.PARTNER_FULL_ACCESS,
        **PERSON | {"ssn": "123456780"},
    )
    requested = {"llc_file_type": LlcFileType.UTILITY_BILL.value, "requested_at": at.isoformat()}
    application = Application(
        lead=lead,
        created_at=at,
        status_changed_at=at,
        submitted_at=at,
        expiration_date=at.date() + 30 * DAY,
        document_requests=[{**requested, "reason": REASON}],
    )
    links.grant(application, at=at)
    application.save()
    account_opening.open_account(application, by=CLOCK, at=at)
    user = User.objects.get(email=owner.email)
    _decide_change(application, user, CaseOutcome.CHANGE_APPROVED, at)
    note = Note(application=application, text=REASON, is_for_applicant=True, by=user, at=at)
    note.save()
    about: dict[str, Any] = {"application": application}
    to_owner = {**about, "owner": _invite(lead, at).owner}
    to_staff = {**about, "user": _alert(application, at)}
    return {
        MailKind.LINK: about,
        MailKind.OWNER_INVITATION: {**about, "user": user},
        MailKind.CHANGE_MADE: {**about, "user": user},
        MailKind.CHANGE_DENIED: {**about, "user": _deny_change(application, at)},
        **dict.fromkeys(STAFF_MAILS, to_staff),
        **dict.fromkeys(OWNER_MAILS, to_owner),
        MailKind.OWNER_SIGNED: {**about, "owner": _invite_signer(lead, at)},
    }


def _deny_change(application: Application, at: datetime) -> User:
    """Create a denied change that the applicant has asked for; return the applicant's user."""
    user = User.objects.get(email=application.lead.email)
    _decide_change(application, user, CaseOutcome.CHANGE_DENIED, at)
    return user


def _decide_change(
    application: Application, user: User, outcome: CaseOutcome, at: datetime
) -> None:
    """Create a decided change that a user has asked for."""
    is_denied = outcome is CaseOutcome.CHANGE_DENIED
    CustomerCase.objects.create(
        customer=application.customer,
        kind=CustomerCaseKind.CHANGE,
        status=CustomerCaseStatus.CLOSED,
        changed=["businessAddress", "uboList"],
        opened_as=Role.OWNER,
        opened_by=user,
        opened_at=at,
        due_at=at,
        outcome=outcome,
        denial_reason=ChangeDenialReason.NOT_PROVEN if is_denied else "",
        closed_at=at,
    )


def _alert(application: Application, at: datetime) -> User:
    """Set the time of a new screening hit, and create a voided proposal to deny an application.

    Return the user who proposed the denial.
    """
    Application.objects.filter(pk=application.pk).update(new_hit_at=at)
    proposer = User.objects.create_superuser(f"staff-{uuid4()}@example.com")
    application.proposals.create(
        kind=ProposalKind.DENY,
        status=ProposalStatus.VOIDED,
        reason_codes=[DenialReason.NOT_ELIGIBLE.value],
        internal_text=REASON,
        evidence_digest="0" * 64,
        proposed_by=proposer,
        proposed_at=at,
        settled_at=at,
        settled_note="A check has another result.",
    )
    return proposer


def _invite(lead: Lead, at: datetime) -> OwnerInvitation:
    """Create an owner who is invited to fill in the owner's own data; return the invitation."""
    email = f"alan-{uuid4()}@example.com"
    owner = Owner.objects.create(lead=lead, email=email, first_name="Alan", last_name="Example")
    invitation = OwnerInvitation(owner=owner, language="en", invited_at=at)
    links.grant_owner(invitation, at=at)
    invitation.save()
    return invitation


def _invite_signer(lead: Lead, at: datetime) -> Owner:
    """Create an invited owner who has signed the owner's own part; return the owner."""
    invitation = _invite(lead, at)
    invitation.status, invitation.completed_at = InvitationStatus.COMPLETED, at
    invitation.save(update_fields=["status", "completed_at"])
    return invitation.owner


def _about_partner(partner: Partner, at: datetime) -> dict[MailKind, dict[str, Any]]:
    issued = api_keys.issue_api_key(partner, label="Payroll server", at=at, lifetime=7 * DAY)
    url = {"server_url": "https://hooks.example.com/in"}
    failing, disabled = (endpoints.create_webhook(partner, url, at=at) for _ in range(2))
    for webhook in (failing, disabled):
        webhook.failing_since = at - DAY
        webhook.save(update_fields=["failing_since"])
    disabled.status = WebhookStatus.DISABLED
    disabled.save(update_fields=["status"])
    return {
        MailKind.KEY_EXPIRY: {"api_key": issued.key},
        MailKind.WEBHOOK_FAILING: {"webhook": failing},
        MailKind.WEBHOOK_DISABLED: {"webhook": disabled},
    }
