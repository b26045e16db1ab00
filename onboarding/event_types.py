"""The kinds of mails, and the types of events, each declared once with its effects."""

from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import ProposalKind, WebhookType
from onboarding.lazy_texts import StrOrPromise


class MailKind(models.TextChoices):
    """The kind of a mail. Its template is `templates/onboarding/mail/<kind in lower case>.txt`."""

    LINK = "LINK", "The way into the application"
    CODE = "CODE", "Code to open the application"
    SIGNING_CODE = "SIGNING_CODE", "Code to sign"
    NUDGE = "NUDGE", "Unfinished application"
    ENDING = "ENDING", "Application ends soon"
    EXPIRED = "EXPIRED", "Application has ended"
    WITHDRAWN = "WITHDRAWN", "Application withdrawn"
    SUBMITTED = "SUBMITTED", "Application received"
    REMINDER = "REMINDER", "Reminder"
    WANTED = "WANTED", "Documents or proof of identity asked for"
    APPROVED = "APPROVED", "Approved"
    APPROVED_TEMPORARY = "APPROVED_TEMPORARY", "Approved temporarily"
    TEMPORARY_ENDING = "TEMPORARY_ENDING", "Temporary approval ends soon"
    DENIED = "DENIED", "Denied"
    REOPENED = "REOPENED", "Reopened"
    MESSAGE = "MESSAGE", "Message from the bank"
    INVITATION = "INVITATION", "Invitation to sign in"
    OWNER_INVITATION = "OWNER_INVITATION", "Invitation of another owner to sign in"
    OWNER_ASKED = "OWNER_ASKED", "Owner asked for their own part"
    OWNER_REMINDER = "OWNER_REMINDER", "Reminder of an owner"
    OWNER_LINK = "OWNER_LINK", "An owner's link"
    OWNER_CODE = "OWNER_CODE", "Code to open an owner's part"
    OWNER_SIGNED = "OWNER_SIGNED", "Owner's signature received"
    OWNER_COMPLETED = "OWNER_COMPLETED", "Owner has completed their part"
    CHANGE_MADE = "CHANGE_MADE", "Requested change made, to the owner who asked"
    CHANGE_DENIED = "CHANGE_DENIED", "Requested change denied, to the owner who asked"
    SCREENING_HITS = "SCREENING_HITS", "New screening hits, to staff"
    PROPOSAL_VOIDED = "PROPOSAL_VOIDED", "Proposal voided, to its proposer"
    STAFF_NOTICE = "STAFF_NOTICE", "Notice about a case, to staff"
    KEY_EXPIRY = "KEY_EXPIRY", "Access key expires"
    WEBHOOK_FAILING = "WEBHOOK_FAILING", "Webhook fails"
    WEBHOOK_DISABLED = "WEBHOOK_DISABLED", "Webhook disabled"


CODE_MAILS = {MailKind.CODE, MailKind.SIGNING_CODE, MailKind.OWNER_CODE}
OWNER_MAILS = {  # to an owner who is asked for their own part
    MailKind.OWNER_ASKED,
    MailKind.OWNER_REMINDER,
    MailKind.OWNER_LINK,
    MailKind.OWNER_CODE,
    MailKind.OWNER_SIGNED,
}
CHANGE_MAILS = {MailKind.CHANGE_MADE, MailKind.CHANGE_DENIED}  # to an owner who signs in
STAFF_MAILS = {MailKind.SCREENING_HITS, MailKind.PROPOSAL_VOIDED, MailKind.STAFF_NOTICE}


class Effect(Enum):
    """The effect of an event on proposed decisions and on the checks of an application."""

    VOIDS_PROPOSALS = auto()  # it changes a fact that an open proposal is based on
    NEW_EVIDENCE = auto()  # it changes data that was checked: voids proposals, and checks run again


@dataclass(frozen=True, kw_only=True)
class EventSpec:
    """The declaration of an event type. Create declarations with `published` or `internal`.

    `unpublished_because` is the reason for which partners are not sent the event; None if they are.
    `webhook_type` is the type of the webhooks to which a published event is sent. `details` name
    the details in the published payload; all others stay internal. `action` is the payload's usual
    action; `documentation` says in docs/webhooks.md when the action is `other_action` instead,
    which takes the place of `{}`. `mail` is the kind of mail that is queued when the event is
    published. `status` is the application's status from the event on, `applicant_text` the line of
    the event in the applicant's history, `proposal` the kind of proposal that the event carries
    out.
    """

    unpublished_because: str | None
    webhook_type: WebhookType = WebhookType.ONBOARDING
    details: tuple[str, ...] = ()
    action: str | None = None
    other_action: str = ""
    documentation: str = ""
    mail: MailKind | None = None
    status: Status | None = None
    applicant_text: StrOrPromise = ""
    proposal: ProposalKind | None = None
    effect: Effect | None = None

    @property
    def is_published(self) -> bool:
        return self.unpublished_because is None


published = partial(EventSpec, unpublished_because=None)
of_payments = partial(published, webhook_type=WebhookType.PAYMENT)


def internal(because: str, effect: Effect | None = None) -> EventSpec:
    """Return the declaration of an event that partners are not sent, with the reason."""
    return EventSpec(unpublished_because=because, effect=effect)


NO_STATUS = "it changes no status, and a read of the lead returns the data"
APPLICANTS = "between the bank and the applicant"
BANKS = "the bank's own work"


class EventType(models.TextChoices):
    """The type of an event in the history of a lead: its name, declaration (`spec`) and label.

    The order is the order of the lifecycle and of the API's documentation.
    """

    spec: EventSpec

    CREATED = "application.created", published(mail=MailKind.LINK), "Application created"
    STARTED = (
        "application.started",
        published(status=Status.IN_PROGRESS, applicant_text=_("You started the application")),
        "Applicant began",
    )
    OWNER_INVITED = "owner.invited", published(details=("ubo_id",)), "Owner invited"
    OWNER_COMPLETED = (
        "owner.completed",
        published(details=("ubo_id",), mail=MailKind.OWNER_COMPLETED),
        "Owner completed their part",
    )
    SUBMITTED = (
        "application.submitted",
        published(
            action="submitApplication",
            mail=MailKind.SUBMITTED,
            status=Status.SUBMITTED,
            applicant_text=_("You signed and submitted it"),
        ),
        "Application submitted",
    )
    IDENTITY_REQUESTED = (
        "identity_verification.requested",
        published(
            details=("ubo_id",),
            action="idVerificationStart",
            other_action="idVerificationAdditionalUbos",
            documentation="for another owner {}",
            mail=MailKind.WANTED,
            status=Status.ID_VERIFICATION,
            applicant_text=_("We asked for proof of identity"),
            effect=Effect.VOIDS_PROPOSALS,
        ),
        "Proof of identity asked for",
    )
    IDENTITY_COMPLETED = (
        "identity_verification.completed",
        published(
            details=("ubo_id",),
            action="idVerification",
            applicant_text=_("We received proof of identity"),
            effect=Effect.VOIDS_PROPOSALS,
        ),
        "Identity answered",
    )
    DOCUMENTS_REQUIRED = (
        "application.documents_required",
        published(
            details=("missing_docs",),
            action="firstRequestedDocs",
            other_action="resubmitDocs",
            documentation="later {}",
            mail=MailKind.WANTED,
            status=Status.DOCUMENTS_REQUIRED,
            applicant_text=_("We asked for documents"),
        ),
        "Documents asked for",
    )
    DOCUMENT_RECEIVED = (
        "document.received",
        published(
            details=("document_id", "llc_file_type", "ubo_id"),
            other_action="firstUploadDocs",
            documentation="{} when it completes the list",
            effect=Effect.NEW_EVIDENCE,
        ),
        "Document received",
    )
    DOCUMENT_ACCEPTED = (
        "document.accepted",
        published(details=("document_id", "llc_file_type"), effect=Effect.VOIDS_PROPOSALS),
        "Document accepted",
    )
    DOCUMENT_REJECTED = (
        "document.rejected",
        published(details=("document_id", "llc_file_type"), effect=Effect.VOIDS_PROPOSALS),
        "Document rejected",
    )
    IN_REVIEW = (
        "application.in_review",
        published(status=Status.IN_REVIEW, applicant_text=_("The review started")),
        "Review began",
    )
    APPROVED = (
        "application.approved",
        published(
            mail=MailKind.APPROVED,
            status=Status.APPROVED,
            applicant_text=_("The application was approved"),
            proposal=ProposalKind.APPROVE,
        ),
        "Approved",
    )
    APPROVED_TEMPORARY = (
        "application.approved_temporary",
        published(
            details=("expiration_date", "missing_documents"),
            mail=MailKind.APPROVED_TEMPORARY,
            status=Status.APPROVED_TEMPORARY,
            applicant_text=_("The application was approved temporarily"),
            proposal=ProposalKind.APPROVE_TEMPORARILY,
        ),
        "Approved temporarily",
    )
    ACCOUNT_OPENED = (
        "account.opened",
        published(
            details=(
                "account_number_masked",
                "routing_number",
                "is_temp",
                "expiration_date",
                "missing_documents",
            ),
            action="onboardingComplete",
            mail=MailKind.INVITATION,
            applicant_text=_("The account was opened"),
        ),
        "Account opened",
    )
    DENIED = (
        "application.denied",
        published(
            details=("reason_codes",),
            action="applicationRejected",
            mail=MailKind.DENIED,
            status=Status.DENIED,
            applicant_text=_("The application was denied"),
            proposal=ProposalKind.DENY,
        ),
        "Denied",
    )
    EXPIRED = (
        "application.expired",
        published(
            mail=MailKind.EXPIRED,
            status=Status.EXPIRED,
            applicant_text=_("The application expired"),
        ),
        "Expired",
    )
    WITHDRAWN = (
        "application.withdrawn",
        published(
            mail=MailKind.WITHDRAWN,
            status=Status.WITHDRAWN,
            applicant_text=_("The application was withdrawn"),
            effect=Effect.VOIDS_PROPOSALS,
        ),
        "Withdrawn",
    )
    REOPENED = (
        "application.reopened",
        published(
            mail=MailKind.REOPENED,
            applicant_text=_("The application was reopened"),
            proposal=ProposalKind.REOPEN,
        ),
        "Reopened",
    )
    PAYMENT_SETTLED = (
        "payment.settled",
        of_payments(details=("payment_id", "method")),
        "Payment of a bill settled",
    )
    PAYMENT_RETURNED = (
        "payment.returned",
        of_payments(details=("payment_id", "method")),
        "Payment of a bill returned",
    )
    CARD_FROZEN = "card.frozen", of_payments(details=("card_id",)), "Card frozen"
    ACCOUNT_CLOSED = (
        "account.closed",
        of_payments(details=("account_number_masked",)),
        "Account closed",
    )

    CUSTOMER_CHANGED = (
        "customer.changed",
        published(details=("change_id", "changed_fields")),
        "Requested change made",
    )
    CUSTOMER_CHANGE_DENIED = (
        "customer.change_denied",
        published(details=("change_id", "change_denial_reason")),
        "Requested change denied",
    )
    CUSTOMER_RESTRICTED = (
        "customer.restricted",
        published(),
        "Customer restricted, told to the partner",
    )
    CUSTOMER_CLOSED = "customer.closed", published(), "Last account of the customer closed"

    CHANGED = "lead.changed", internal(NO_STATUS, Effect.NEW_EVIDENCE), "Data changed"
    DOCUMENT_REPLACED = (
        "document.replaced",
        internal(NO_STATUS, Effect.NEW_EVIDENCE),
        "Document replaced",
    )
    PARTNER_VERIFIED = (
        "verification.received",
        internal("the partner sent it", Effect.NEW_EVIDENCE),
        "Verification by the partner received",
    )
    LINK_REPLACED = (
        "link.replaced",
        internal("the partner asked for it, or the applicant was mailed the link"),
        "Link replaced",
    )
    ENTERED = "flow.entered", internal(APPLICANTS), "Applicant came in"
    OWNER_ENTERED = "owner.entered", internal(APPLICANTS), "Owner came in"
    PHONE_LINKED = "phone.linked", internal(APPLICANTS), "Link for a phone made"
    PHONE_ENTERED = "phone.entered", internal(APPLICANTS), "Phone opened the link"
    OWNER_REMINDED = "owner.reminded", internal(APPLICANTS), "Owner reminded"
    OWNER_TAKEN_OVER = (
        "owner.taken_over",
        internal(NO_STATUS),
        "Applicant took over the part of an owner",
    )
    CONSENTED = "consent.given", internal(APPLICANTS), "Consent given"
    REMINDED = "application.reminded", internal(APPLICANTS), "Applicant reminded"
    NUDGES_STOPPED = "reminders.stopped", internal(APPLICANTS), "Applicant stopped reminders"
    NUDGES_RESUMED = "reminders.resumed", internal(APPLICANTS), "Applicant wants reminders again"
    INVITED = "applicant.invited", internal(APPLICANTS), "Invited to sign in"
    MAIL_REPEATED = "mail.repeated", internal(APPLICANTS), "Mail sent again"
    MESSAGE_ANSWERED = "message.answered", internal(APPLICANTS), "Applicant answered a message"
    ANSWER_READ = "answer.read", internal(BANKS), "Answer of the applicant read"
    ERASED = "lead.erased", internal("no data is left to send"), "Personal data erased"

    CHECKED = "checks.completed", internal(BANKS), "Checks run"
    CHECK_TICKED = "check.ticked", internal(BANKS, Effect.VOIDS_PROPOSALS), "Check ticked"
    HITS_FOUND = "hits.found", internal(BANKS), "New screening hits"
    HITS_REOPENED = (
        "hits.reopened",
        internal(BANKS, Effect.VOIDS_PROPOSALS),
        "Screening hits to be judged again",
    )
    HITS_JUDGED = (
        "hits.judged",
        internal(BANKS, Effect.VOIDS_PROPOSALS),
        "Screening hits judged",
    )
    CLEARING_PROPOSED = "hits.clearing_proposed", internal(BANKS), "Clearing of hits proposed"
    CLEARING_ENDED = "hits.clearing_ended", internal(BANKS), "Clearing of hits ended without effect"
    ASSIGNED = "case.assigned", internal(BANKS), "Case assigned by a rule"
    CLAIMED = "case.claimed", internal(BANKS), "Case claimed"
    RELEASED = "case.released", internal(BANKS), "Case released"
    REASSIGNED = "case.reassigned", internal(BANKS), "Case handed to somebody else"
    ESCALATED = "case.escalated", internal(BANKS), "Case escalated with a question"
    ESCALATION_ANSWERED = "case.escalation_answered", internal(BANKS), "Question answered"
    NOTED = "note.added", internal(BANKS), "Note added"
    PROPOSED = "decision.proposed", internal(BANKS), "Decision proposed"
    PROPOSAL_WITHDRAWN = "decision.withdrawn", internal(BANKS), "Proposal withdrawn"
    PROPOSAL_REFUSED = "decision.refused", internal(BANKS), "Proposal rejected"
    PROPOSAL_VOIDED = "decision.voided", internal(BANKS), "Proposal voided by a change"
    CUSTOMER_CASE_OPENED = (
        "customer_case.opened",
        internal("a review would show a hit or a suspicion; requests of partners have an answer"),
        "Customer case opened",
    )
    CUSTOMER_CASE_CAUSED = (
        "customer_case.caused",
        internal("a cause would show a hit or a suspicion"),
        "Further cause of an open review",
    )
    CUSTOMER_CASE_CLAIMED = "customer_case.claimed", internal(BANKS), "Customer case claimed"
    CUSTOMER_CASE_RELEASED = "customer_case.released", internal(BANKS), "Customer case released"
    CUSTOMER_CASE_REASSIGNED = (
        "customer_case.reassigned",
        internal(BANKS),
        "Customer case handed to somebody else",
    )
    CUSTOMER_CASE_PROPOSED = (
        "customer_case.proposed",
        internal(BANKS),
        "Outcome of a customer case proposed",
    )
    CUSTOMER_CASE_PROPOSAL_ENDED = (
        "customer_case.proposal_ended",
        internal(BANKS),
        "Proposed outcome ended without effect",
    )
    CUSTOMER_CASE_CLOSED = (
        "customer_case.closed",
        internal("an outcome would show a hit or a suspicion"),
        "Customer case closed",
    )
    MALWARE_FOUND = (
        "document.malware_found",
        internal(BANKS, Effect.NEW_EVIDENCE),
        "Malware found in a document",
    )
    DOCUMENT_OPENED = "document.opened", internal(BANKS), "Document opened"
    DOCUMENT_CONFIRMED = (
        "document.confirmed",
        internal(NO_STATUS, Effect.NEW_EVIDENCE),
        "Document confirmed as legible",
    )
    KIND_CHANGED = (
        "document.kind_changed",
        internal(BANKS, Effect.NEW_EVIDENCE),
        "Kind of document changed",
    )
    NUMBER_REVEALED = "number.revealed", internal(BANKS), "Personal number revealed"
    QUALITY_CHOSEN = "quality.chosen", internal(BANKS), "Chosen to be judged a second time"
    QUALITY_JUDGED = "quality.judged", internal(BANKS), "Judged a second time"
    EXPORTED = "audit.exported", internal(BANKS), "Audit exported"

    def __new__(cls, value: str, *specs: EventSpec) -> Self:  # a lookup by value has no entry
        member = str.__new__(cls, value)
        member._value_ = value
        [member.spec] = specs
        return member


PUBLISHED = [one for one in EventType if one.spec.is_published]
NEW_EVIDENCE = [one for one in EventType if one.spec.effect is Effect.NEW_EVIDENCE]
EVENT_BY_STATUS = {one.spec.status: one for one in EventType if one.spec.status}
TEST_EVENT = "webhook.test"  # it belongs to no lead


def published_choices() -> list[tuple[str, str]]:
    """Return value and label of the published event types, in the order of the lifecycle."""
    return [(one.value, str(one.label)) for one in PUBLISHED]


def sent_choices() -> list[tuple[str, str]]:
    """Return value and label of the published event types and of the test event of webhooks."""
    return [*published_choices(), (TEST_EVENT, "Test")]
