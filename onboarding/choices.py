"""The closed sets of onboarding, spelled as the contract spells them."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class OwnerRole(models.TextChoices):
    """What an owner may later do with the account."""

    PARTNER = "PARTNER", "Partner"
    PARTNER_FULL_ACCESS = "PARTNER_FULL_ACCESS", "Partner with full access"


class LlcFileType(models.TextChoices):
    """What a document is."""

    IRS_EIN_LETTER = "IRS_EIN_LETTER", _("IRS EIN letter")
    ARTICLES_OF_ORGANIZATION = "ARTICLES_OF_ORGANIZATION", _("Articles of organization")
    LETTER_OF_REINSTATEMENT = "LETTER_OF_REINSTATEMENT", _("Letter of reinstatement")
    GOVERNMENT_IDENTIFICATION = "GOVERNMENT_IDENTIFICATION", _("Government identification")
    ARTICLES_OF_INCORPORATION = "ARTICLES_OF_INCORPORATION", _("Articles of incorporation")
    SIGNED_PARTNERSHIP_AGREEMENT = "SIGNED_PARTNERSHIP_AGREEMENT", _("Signed partnership agreement")
    AMENDMENT_DOCUMENT = "AMENDMENT_DOCUMENT", _("Amendment document")
    OPERATING_AGREEMENT = "OPERATING_AGREEMENT", _("Operating agreement")
    UTILITY_BILL = "UTILITY_BILL", _("Utility bill")
    PASSPORT = "PASSPORT", _("Passport")
    SS4_DOCUMENT = "SS4_DOCUMENT", _("IRS SS-4 document")

    @classmethod
    def choices_on_create(cls) -> list[tuple[str, str]]:
        """Return the choices of the create operation; update and upload have all."""
        later = {cls.PASSPORT, cls.SS4_DOCUMENT}
        return [(kind.value, str(kind.label)) for kind in cls if kind not in later]


class DocumentStatus(models.TextChoices):
    """Where a document stands. Only `RECEIVED` and `ACCEPTED` ones count as supplied."""

    PENDING = "PENDING", "To be fetched"
    NOT_FETCHED = "NOT_FETCHED", "Could not be fetched"
    RECEIVED = "RECEIVED", "Received"
    QUARANTINED = "QUARANTINED", "Quarantined"
    ACCEPTED = "ACCEPTED", "Accepted"
    REJECTED = "REJECTED", "Rejected"
    REPLACED = "REPLACED", "Replaced by another"


class IdentityStatus(models.TextChoices):
    """Whether a person has proved who they are."""

    PENDING = "PENDING", "Not asked yet"
    REQUESTED = "REQUESTED", "Asked"
    VERIFIED = "VERIFIED", "Verified"
    FAILED = "FAILED", "Failed"


class Supplier(models.TextChoices):
    """Who supplied a value or a document."""

    PARTNER = "PARTNER", "Partner"
    APPLICANT = "APPLICANT", "Applicant"
    REVIEWER = "REVIEWER", "Reviewer"


class Role(models.TextChoices):
    """Who acts on a lead."""

    PARTNER = "PARTNER", "Partner"
    APPLICANT = "APPLICANT", "Applicant"
    REVIEWER = "REVIEWER", "Reviewer"
    CHECKS = "CHECKS", "Automatic checks"
    CLOCK = "CLOCK", "Clock"


class WarningCode(models.TextChoices):
    """What was not refused, and not done either."""

    UNKNOWN_FIELD = "UNKNOWN_FIELD", "This field is not known and was ignored."
    VALUE_KEPT = "VALUE_KEPT", "The applicant has changed this value; it was kept."


class Permission(models.TextChoices):
    """What an access key may do."""

    LEAD_WRITE = "lead:write", "Create, update and withdraw leads"
    LEAD_READ = "lead:read", "Read leads"
    WEBHOOK_MANAGE = "webhook:manage", "Manage webhooks"
    SANDBOX_SIMULATE = "sandbox:simulate", "Simulate outcomes in the sandbox"


class StatusGroup(models.TextChoices):
    """Whose turn it is."""

    PENDING_APPLICANT = "PENDING_APPLICANT", "Waiting for the applicant to submit"
    PROCESSING = "PROCESSING", "Being checked"
    ACTION_REQUIRED = "ACTION_REQUIRED", "Something is wanted"
    APPROVED = "APPROVED", "Approved"
    CLOSED = "CLOSED", "Closed"


class ApplicationStatus(models.TextChoices):
    """Where an application stands; `moves` is the whole state machine."""

    CREATED = "CREATED", "Registered, link not opened"
    IN_PROGRESS = "IN_PROGRESS", "The applicant opened the flow"
    SUBMITTED = "SUBMITTED", "Submitted, automatic checks run"
    ID_VERIFICATION = "ID_VERIFICATION", "A person must prove identity"
    DOCUMENTS_REQUIRED = "DOCUMENTS_REQUIRED", "Documents are missing or must be sent again"
    IN_REVIEW = "IN_REVIEW", "Bank staff review"
    APPROVED_TEMPORARY = "APPROVED_TEMPORARY", "Account open, documents outstanding"
    APPROVED = "APPROVED", "Approved"
    DENIED = "DENIED", "Denied"
    EXPIRED = "EXPIRED", "Expired"
    WITHDRAWN = "WITHDRAWN", "Withdrawn"

    @property
    def group(self) -> StatusGroup:
        """Return whose turn it is in this status."""
        return GROUPS[self]

    @property
    def moves(self) -> frozenset["ApplicationStatus"]:
        """Return the statuses that may follow this one within the attempt."""
        return frozenset(MOVES[self])

    def movers(self, target: "ApplicationStatus") -> frozenset[Role]:
        """Return who may move an application from here to `target`; nobody where nobody may."""
        return MOVES[self].get(target, frozenset())

    @property
    def is_editable(self) -> bool:
        """Say whether everything may still change: nothing was submitted yet."""
        return self.group is StatusGroup.PENDING_APPLICANT

    @property
    def takes_documents(self) -> bool:
        """Say whether the applicant may still send documents."""
        return self.group is not StatusGroup.CLOSED and self is not ApplicationStatus.APPROVED


_S = ApplicationStatus
GROUPS = {
    _S.CREATED: StatusGroup.PENDING_APPLICANT,
    _S.IN_PROGRESS: StatusGroup.PENDING_APPLICANT,
    _S.SUBMITTED: StatusGroup.PROCESSING,
    _S.ID_VERIFICATION: StatusGroup.ACTION_REQUIRED,
    _S.DOCUMENTS_REQUIRED: StatusGroup.ACTION_REQUIRED,
    _S.IN_REVIEW: StatusGroup.PROCESSING,
    _S.APPROVED_TEMPORARY: StatusGroup.APPROVED,
    _S.APPROVED: StatusGroup.APPROVED,
    _S.DENIED: StatusGroup.CLOSED,
    _S.EXPIRED: StatusGroup.CLOSED,
    _S.WITHDRAWN: StatusGroup.CLOSED,
}
_APPLICANT, _PARTNER, _REVIEWER = Role.APPLICANT, Role.PARTNER, Role.REVIEWER
_EITHER = frozenset({_APPLICANT, _PARTNER})
_CHECKS, _CLOCK, _STAFF = map(frozenset, ([Role.CHECKS], [Role.CLOCK], [_REVIEWER]))
MOVES: dict[ApplicationStatus, dict[ApplicationStatus, frozenset[Role]]] = {
    _S.CREATED: {
        _S.IN_PROGRESS: frozenset({_APPLICANT}),
        _S.EXPIRED: _CLOCK,
        _S.WITHDRAWN: _EITHER,
    },
    _S.IN_PROGRESS: {
        _S.SUBMITTED: frozenset({_APPLICANT}),
        _S.EXPIRED: _CLOCK,
        _S.WITHDRAWN: _EITHER,
    },
    _S.SUBMITTED: {
        _S.ID_VERIFICATION: _CHECKS,
        _S.DOCUMENTS_REQUIRED: _CHECKS,
        _S.IN_REVIEW: _CHECKS,
        _S.APPROVED: _CHECKS,
        _S.DENIED: _CHECKS,
        _S.WITHDRAWN: _EITHER,
    },
    _S.ID_VERIFICATION: {
        _S.SUBMITTED: _EITHER | _CHECKS,
        _S.IN_REVIEW: _EITHER | _CHECKS,
        _S.DOCUMENTS_REQUIRED: _EITHER | _CHECKS,
        _S.EXPIRED: _CLOCK,
        _S.WITHDRAWN: _EITHER,
    },
    _S.DOCUMENTS_REQUIRED: {
        _S.IN_REVIEW: _EITHER,
        _S.EXPIRED: _CLOCK,
        _S.WITHDRAWN: _EITHER,
    },
    _S.IN_REVIEW: {
        _S.DOCUMENTS_REQUIRED: _STAFF,
        _S.ID_VERIFICATION: _STAFF,
        _S.APPROVED: _STAFF,
        _S.APPROVED_TEMPORARY: _STAFF,
        _S.DENIED: _STAFF,
        _S.WITHDRAWN: _EITHER,
    },
    _S.APPROVED_TEMPORARY: {
        _S.APPROVED: _STAFF,
        _S.DENIED: _STAFF | _CLOCK,
    },
    _S.APPROVED: {},
    _S.DENIED: {},
    _S.EXPIRED: {},
    _S.WITHDRAWN: {},
}
DECIDED = frozenset({_S.APPROVED, _S.APPROVED_TEMPORARY, _S.DENIED})
REPEATABLE = frozenset({_S.EXPIRED, _S.WITHDRAWN})  # creating the lead again opens a new attempt


class DenialReason(models.TextChoices):
    """Why an application is denied, as its partner may know."""

    NOT_VERIFIED = "NOT_VERIFIED", "The business or a person could not be verified."
    NOT_ELIGIBLE = "NOT_ELIGIBLE", "The bank cannot serve this business."
    DOCUMENTS_OVERDUE = "DOCUMENTS_OVERDUE", "The documents did not come in time."


class EventType(models.TextChoices):
    """What happens to a lead: spelled as partners receive it, those of `PUBLISHED`."""

    CREATED = "application.created", "Application created"
    STARTED = "application.started", "Applicant began"
    SUBMITTED = "application.submitted", "Application submitted"
    IDENTITY_REQUESTED = "identity_verification.requested", "Proof of identity asked for"
    IDENTITY_COMPLETED = "identity_verification.completed", "Identity answered"
    DOCUMENTS_REQUIRED = "application.documents_required", "Documents asked for"
    DOCUMENT_RECEIVED = "document.received", "Document received"
    DOCUMENT_ACCEPTED = "document.accepted", "Document accepted"
    DOCUMENT_REJECTED = "document.rejected", "Document rejected"
    IN_REVIEW = "application.in_review", "Review began"
    APPROVED = "application.approved", "Approved"
    APPROVED_TEMPORARY = "application.approved_temporary", "Approved for the time being"
    ACCOUNT_OPENED = "account.opened", "Account opened"
    DENIED = "application.denied", "Denied"
    EXPIRED = "application.expired", "Expired"
    WITHDRAWN = "application.withdrawn", "Withdrawn"
    REOPENED = "application.reopened", "Reopened"

    CHANGED = "lead.changed", "Data changed"
    DOCUMENT_REPLACED = "document.replaced", "Document replaced"
    LINK_REPLACED = "link.replaced", "Link replaced"
    ENTERED = "flow.entered", "Applicant came in"
    CONSENTED = "consent.given", "Consent given"
    REMINDED = "application.reminded", "Applicant reminded"


PUBLISHED = frozenset(EventType) - {  # the rest is the house's own business
    EventType.CHANGED,
    EventType.DOCUMENT_REPLACED,
    EventType.LINK_REPLACED,
    EventType.ENTERED,
    EventType.CONSENTED,
    EventType.REMINDED,
}


class LegalText(models.TextChoices):
    """What the applicant agrees to or certifies; the words are files of `onboarding/legal`."""

    ELECTRONIC_RECORDS = "ELECTRONIC_RECORDS", "Electronic records and signatures"
    ACCOUNT_AGREEMENT = "ACCOUNT_AGREEMENT", "Account agreement"
    PRIVACY_NOTICE = "PRIVACY_NOTICE", "Privacy notice"
    OWNERSHIP_CERTIFICATION = "OWNERSHIP_CERTIFICATION", "Certification of beneficial owners"


class WebhookStatus(models.TextChoices):
    """Whether a webhook is sent anything."""

    ACTIVE = "ACTIVE", "Active"
    DISABLED = "DISABLED", "Disabled"


class WebhookType(models.TextChoices):
    """What a webhook is for."""

    ONBOARDING = "ONBOARDING", "Onboarding"
    PAYMENT = "PAYMENT", "Payments"
    ALL = "ALL", "Everything"


class WebhookVersion(models.TextChoices):
    """The shape of what a webhook is sent."""

    V2_0 = "V2_0", "2.0"


TEST_EVENT = "webhook.test"  # which no lead has


def published_choices() -> list[tuple[str, str]]:
    """Return the types of events that partners are told of, in the order of the lifecycle."""
    return [
        (event_type.value, event_type.label) for event_type in EventType if event_type in PUBLISHED
    ]


def told_choices() -> list[tuple[str, str]]:
    """Return the types of whatever a webhook is sent."""
    return [*published_choices(), (TEST_EVENT, "Test")]


class DeliveryStatus(models.TextChoices):
    """How an event's way to a webhook stands."""

    PENDING = "PENDING", "To be sent"
    DELIVERED = "DELIVERED", "Delivered"
    FAILED = "FAILED", "Given up"
    DROPPED = "DROPPED", "Dropped on purpose"


class MailKind(models.TextChoices):
    """What a mail is about; each has its template."""

    LINK = "LINK", "The way into the application"
    CODE = "CODE", "Code to come in"
    REMINDER = "REMINDER", "Reminder"
    WANTED = "WANTED", "Documents or proof of identity asked for"
    APPROVED = "APPROVED", "Approved"
    APPROVED_TEMPORARY = "APPROVED_TEMPORARY", "Approved for the time being"
    DENIED = "DENIED", "Denied"
    KEY_EXPIRY = "KEY_EXPIRY", "Access key expires"


class MailStatus(models.TextChoices):
    """Whether a mail left."""

    QUEUED = "QUEUED", "To be sent"
    SENT = "SENT", "Sent"
    FAILED = "FAILED", "Given up"
