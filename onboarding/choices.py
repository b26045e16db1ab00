"""The closed sets of onboarding, spelled as the contract spells them."""

from django.db import models


class OwnerRole(models.TextChoices):
    """What an owner may later do with the account."""

    PARTNER = "PARTNER", "Partner"
    PARTNER_FULL_ACCESS = "PARTNER_FULL_ACCESS", "Partner with full access"


class LlcFileType(models.TextChoices):
    """What a document is."""

    IRS_EIN_LETTER = "IRS_EIN_LETTER", "IRS EIN letter"
    ARTICLES_OF_ORGANIZATION = "ARTICLES_OF_ORGANIZATION", "Articles of organization"
    LETTER_OF_REINSTATEMENT = "LETTER_OF_REINSTATEMENT", "Letter of reinstatement"
    GOVERNMENT_IDENTIFICATION = "GOVERNMENT_IDENTIFICATION", "Government identification"
    ARTICLES_OF_INCORPORATION = "ARTICLES_OF_INCORPORATION", "Articles of incorporation"
    SIGNED_PARTNERSHIP_AGREEMENT = "SIGNED_PARTNERSHIP_AGREEMENT", "Signed partnership agreement"
    AMENDMENT_DOCUMENT = "AMENDMENT_DOCUMENT", "Amendment document"
    OPERATING_AGREEMENT = "OPERATING_AGREEMENT", "Operating agreement"
    UTILITY_BILL = "UTILITY_BILL", "Utility bill"
    PASSPORT = "PASSPORT", "Passport"
    SS4_DOCUMENT = "SS4_DOCUMENT", "IRS SS-4 document"

    @classmethod
    def choices_on_create(cls) -> list[tuple[str, str]]:
        """Return the choices of the create operation; update and upload have all."""
        later = {cls.PASSPORT, cls.SS4_DOCUMENT}
        return [(kind.value, kind.label) for kind in cls if kind not in later]


class DocumentStatus(models.TextChoices):
    """Where a document stands. Only `RECEIVED` and `ACCEPTED` ones count as supplied."""

    PENDING = "PENDING", "To be fetched"
    RECEIVED = "RECEIVED", "Received"
    QUARANTINED = "QUARANTINED", "Quarantined"
    ACCEPTED = "ACCEPTED", "Accepted"
    REJECTED = "REJECTED", "Rejected"


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
        return MOVES[self]

    @property
    def is_editable(self) -> bool:
        """Say whether everything may still change: nothing was submitted yet."""
        return self.group is StatusGroup.PENDING_APPLICANT


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
MOVES = {
    _S.CREATED: frozenset({_S.IN_PROGRESS, _S.EXPIRED, _S.WITHDRAWN}),
    _S.IN_PROGRESS: frozenset({_S.SUBMITTED, _S.EXPIRED, _S.WITHDRAWN}),
    _S.SUBMITTED: frozenset(
        {_S.ID_VERIFICATION, _S.DOCUMENTS_REQUIRED, _S.IN_REVIEW, _S.APPROVED, _S.DENIED}
        | {_S.WITHDRAWN}
    ),
    _S.ID_VERIFICATION: frozenset(
        {_S.SUBMITTED, _S.IN_REVIEW, _S.DOCUMENTS_REQUIRED, _S.EXPIRED, _S.WITHDRAWN}
    ),
    _S.DOCUMENTS_REQUIRED: frozenset({_S.IN_REVIEW, _S.EXPIRED, _S.WITHDRAWN}),
    _S.IN_REVIEW: frozenset(
        {_S.DOCUMENTS_REQUIRED, _S.ID_VERIFICATION, _S.APPROVED, _S.APPROVED_TEMPORARY}
        | {_S.DENIED, _S.WITHDRAWN}
    ),
    _S.APPROVED_TEMPORARY: frozenset({_S.APPROVED, _S.DENIED}),
    _S.APPROVED: frozenset(),
    _S.DENIED: frozenset(),
    _S.EXPIRED: frozenset(),
    _S.WITHDRAWN: frozenset(),
}
DECIDED = frozenset({_S.APPROVED, _S.APPROVED_TEMPORARY, _S.DENIED})
REPEATABLE = frozenset({_S.EXPIRED, _S.WITHDRAWN})  # creating the lead again opens a new attempt
