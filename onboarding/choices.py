"""Choices: the enumerations of onboarding, with the values that the API contract prescribes."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class OwnerRole(models.TextChoices):
    """The access of an owner to the account."""

    PARTNER = "PARTNER", "Partner"
    PARTNER_FULL_ACCESS = "PARTNER_FULL_ACCESS", "Partner with full access"


class LlcFileType(models.TextChoices):
    """The kind of a document, for any type of business. The API calls it `llcFileType`, too."""

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
        """Return value and label of the kinds that the API accepts when a lead is created.

        Updates and uploads accept all kinds.
        """
        later = {cls.PASSPORT, cls.SS4_DOCUMENT}
        return [(kind.value, str(kind.label)) for kind in cls if kind not in later]


class DocumentSide(models.TextChoices):
    """The side of an identity card that a document shows."""

    FRONT = "FRONT", _("Front side")
    BACK = "BACK", _("Back side")


class DocumentDoubt(models.TextChoices):
    """The reason for which the picture of an identity document may not be legible."""

    BLURRED = "BLURRED", "Blurred"
    DARK = "DARK", "Dark"
    SMALL = "SMALL", "Low resolution"
    NARROW = "NARROW", "Possibly cut off"


class DocumentStatus(models.TextChoices):
    """The status of a document. `RECEIVED` and `ACCEPTED` documents count as supplied.

    So do `PENDING` documents that have their file and wait for a scan. A received document that
    may be illegible counts only once its sender has confirmed that it can be read.
    """

    PENDING = "PENDING", "To be fetched or scanned"
    NOT_FETCHED = "NOT_FETCHED", "Could not be fetched"
    RECEIVED = "RECEIVED", "Received"
    QUARANTINED = "QUARANTINED", "Quarantined"
    ACCEPTED = "ACCEPTED", "Accepted"
    REJECTED = "REJECTED", "Rejected"
    REPLACED = "REPLACED", "Replaced by another"


class IdentityStatus(models.TextChoices):
    """The status of a person's identity verification."""

    PENDING = "PENDING", "Not asked yet"
    REQUESTED = "REQUESTED", "Asked"
    VERIFIED = "VERIFIED", "Verified"
    FAILED = "FAILED", "Failed"


class HolderKind(models.TextChoices):
    """The kind of a holder: a trust or company, not a person, that owns a share of a business."""

    TRUST = "TRUST", _("Trust")
    COMPANY = "COMPANY", _("Company")


class InvitationStatus(models.TextChoices):
    """The status of an invitation to an owner to enter their own data in the application."""

    INVITED = "INVITED", "Waiting for the owner"
    COMPLETED = "COMPLETED", "Completed by the owner"
    TAKEN_OVER = "TAKEN_OVER", "Taken over by the applicant"


class Supplier(models.TextChoices):
    """The party that supplied a value or a document."""

    PARTNER = "PARTNER", "Partner"
    APPLICANT = "APPLICANT", "Applicant"
    OWNER = "OWNER", "Owner"
    REVIEWER = "REVIEWER", "Reviewer"


class Role(models.TextChoices):
    """The role of the person or program that acts on a lead; CLOCK acts when a deadline passes."""

    PARTNER = "PARTNER", "Partner"
    APPLICANT = "APPLICANT", "Applicant"
    OWNER = "OWNER", "Owner"
    REVIEWER = "REVIEWER", "Reviewer"
    CHECKS = "CHECKS", "Automatic checks"
    CLOCK = "CLOCK", "Clock"
    BANK = "BANK", "The bank's systems"


class WarningCode(models.TextChoices):
    """A warning about a value that was not saved although the request succeeded."""

    UNKNOWN_FIELD = "UNKNOWN_FIELD", "This field is not known and was ignored."
    VALUE_KEPT = "VALUE_KEPT", "The applicant or the owner has changed this value; it was kept."


class Permission(models.TextChoices):
    """A permission of an access key."""

    LEAD_WRITE = "lead:write", "Create, update and withdraw leads"
    LEAD_READ = "lead:read", "Read leads"
    WEBHOOK_MANAGE = "webhook:manage", "Manage webhooks"
    SANDBOX_SIMULATE = "sandbox:simulate", "Simulate outcomes in the sandbox"


class Font(models.TextChoices):
    """A font of the applicant's pages; each is on the reader's device already."""

    SANS = "SANS", "Sans serif"
    SERIF = "SERIF", "Serif"
    ROUNDED = "ROUNDED", "Rounded sans serif"


class StatusGroup(models.TextChoices):
    """A group of statuses of an application, by who must act next or how the application ended."""

    PENDING_APPLICANT = "PENDING_APPLICANT", "Waiting for the applicant to submit"
    PROCESSING = "PROCESSING", "The bank is checking"
    ACTION_REQUIRED = "ACTION_REQUIRED", "The applicant must send something"
    APPROVED = "APPROVED", "Approved"
    CLOSED = "CLOSED", "Closed"


class ApplicationStatus(models.TextChoices):
    """The status of an application. The constant MOVES has the allowed changes of status."""

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
        """Return the group of this status."""
        return GROUPS[self]

    @property
    def moves(self) -> frozenset["ApplicationStatus"]:
        """Return the statuses that may directly follow this status in the same application."""
        return frozenset(MOVES[self])

    def roles_moving_to(self, target: "ApplicationStatus") -> frozenset[Role]:
        """Return the roles that may move an application from this status to `target`."""
        return MOVES[self].get(target, frozenset())

    @property
    def is_editable(self) -> bool:
        """Return whether all data may still change, because the application is not submitted."""
        return self.group is StatusGroup.PENDING_APPLICANT

    @property
    def takes_documents(self) -> bool:
        """Return whether documents may still be sent, also after a temporary approval."""
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
_SENDERS = _EITHER | {Role.OWNER}  # of the documents that an application waits for
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
        _S.SUBMITTED: _SENDERS | _CHECKS,
        _S.IN_REVIEW: _SENDERS | _CHECKS | _STAFF,
        _S.DOCUMENTS_REQUIRED: _SENDERS | _CHECKS | _STAFF,
        _S.EXPIRED: _CLOCK,
        _S.WITHDRAWN: _EITHER,
    },
    _S.DOCUMENTS_REQUIRED: {
        _S.IN_REVIEW: _SENDERS | _STAFF,
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
    """The reason of a denial, as shown to the partner.

    Neither the partner nor the applicant may learn that a person is on a list: no reason says so,
    and none may be added.
    """

    NOT_VERIFIED = "NOT_VERIFIED", "The business or a person could not be verified."
    NOT_ELIGIBLE = "NOT_ELIGIBLE", "The bank cannot serve this business."
    DOCUMENTS_OVERDUE = "DOCUMENTS_OVERDUE", "The documents did not come in time."
    PROHIBITED_ACTIVITY = "PROHIBITED_ACTIVITY", "The bank does not serve this industry."
    UNVERIFIABLE_OWNERSHIP = "UNVERIFIABLE_OWNERSHIP", "The ownership could not be verified."
    RISK_APPETITE = "RISK_APPETITE", "The business does not fit what the bank offers."
    DUPLICATE_APPLICATION = "DUPLICATE_APPLICATION", "The business has applied already."

    @property
    def applicant_text(self) -> str:
        """Return the text for the applicant, in the reader's language."""
        return str(APPLICANT_TEXTS[self])


_D = DenialReason
APPLICANT_TEXTS = {
    _D.NOT_VERIFIED: _("We could not verify your business or the people behind it."),
    _D.NOT_ELIGIBLE: _("We cannot offer an account to your business."),
    _D.DOCUMENTS_OVERDUE: _("The documents that we asked for did not reach us in time."),
    _D.PROHIBITED_ACTIVITY: _("We do not serve the industry that your business is in."),
    _D.UNVERIFIABLE_OWNERSHIP: _("We could not verify who owns your business."),
    _D.RISK_APPETITE: _("Your business does not fit the accounts that we offer."),
    _D.DUPLICATE_APPLICATION: _("There is an application for your business already."),
}


class CheckResult(models.TextChoices):
    """The result of a check."""

    PASS = "PASS", "Passed"
    WARN = "WARN", "Warned"
    FAIL = "FAIL", "Failed"


class CheckSource(models.TextChoices):
    """The source of a check: the rules, staff, the sandbox, a provider or the partner."""

    BUILT_IN = "BUILT_IN", "Built-in rules"
    MANUAL = "MANUAL", "Staff"
    SANDBOX = "SANDBOX", "Sandbox"
    PROVIDER = "PROVIDER", "Verification provider"
    PARTNER = "PARTNER", "Partner"


class CheckCode(models.TextChoices):
    """The codes of checks: by rules, staff, the sandbox, providers and the partner.

    The label of an automatic check names its subject, because it is shown beside every result. The
    label of an item, which is a check that staff do by hand, is the sentence that they confirm.
    """

    COMPLETENESS = "COMPLETENESS", "Required answers"
    AGES = "AGES", "Ages"
    OWNERSHIP = "OWNERSHIP", "Sum of the shares"
    CONTROL_PERSON = "CONTROL_PERSON", "Control person"
    NAICS = "NAICS", "Industry"
    DOCUMENTS = "DOCUMENTS", "Required documents"
    DUPLICATE_SSN = "DUPLICATE_SSN", "SSN compared with other leads"
    DUPLICATE_EIN = "DUPLICATE_EIN", "EIN compared with other leads"
    DUPLICATE_DOCUMENT = "DUPLICATE_DOCUMENT", "Files compared with other leads"
    SANCTIONS = "SANCTIONS", "Names compared with the sanctions lists"
    PEP = "PEP", "Names compared with politically exposed persons"

    IDENTITY_CONFIRMED = "IDENTITY_CONFIRMED", "The people are who they say they are"
    BUSINESS_REGISTERED = "BUSINESS_REGISTERED", "The business is registered and in good standing"
    ADDRESS_CONFIRMED = "ADDRESS_CONFIRMED", "The business works at its address"
    ACTIVITY_PLAUSIBLE = "ACTIVITY_PLAUSIBLE", "What the business does is plausible"

    SSN_SERIAL = "SSN_SERIAL", "Serial of the SSN"

    IDENTITY_VERIFIED = "IDENTITY_VERIFIED", "Identity, verified by a provider"
    REGISTRY_VERIFIED = "REGISTRY_VERIFIED", "Registration, verified by a provider"
    ADDRESS_VERIFIED = "ADDRESS_VERIFIED", "Address, verified by a provider"
    PARTNER_IDENTITY = "PARTNER_IDENTITY", "Identity, verified by the partner"
    PARTNER_REGISTRY = "PARTNER_REGISTRY", "Registration, verified by the partner"
    PARTNER_ADDRESS = "PARTNER_ADDRESS", "Address, verified by the partner"


class OpeningReason(models.TextChoices):
    """The reason that staff must state to open a document if they do not work on cases."""

    EXAMINATION = "EXAMINATION", "Audit or examination"
    REQUEST = "REQUEST", "Request of the customer or of the partner"
    COMPLAINT = "COMPLAINT", "Complaint or dispute"
    SUSPICION = "SUSPICION", "Suspected fraud or misuse"
    FAULT = "FAULT", "Technical fault of the file"


class RunCause(models.TextChoices):
    """The cause for which the checks of an application were run."""

    SUBMITTED = "SUBMITTED", "The application was submitted"
    ANSWERED = "ANSWERED", "What was asked for came in"
    LIST_LOADED = "LIST_LOADED", "A new sanctions list was loaded"
    STAFF = "STAFF", "Staff asked for it"
    VERIFIED = "VERIFIED", "A provider answered, or did not in time"


class Risk(models.TextChoices):
    """The risk of a business."""

    LOW = "LOW", "Low"
    MEDIUM = "MEDIUM", "Medium"
    HIGH = "HIGH", "High"


class RiskFactor(models.TextChoices):
    """The factor that a risk rule rates; it determines the meaning of the rule's `value`."""

    BUSINESS_TYPE = "BUSINESS_TYPE", "Business type"
    NAICS = "NAICS", "NAICS code that begins with"
    COUNTRY = "COUNTRY", "Country of an address, an ID or an owner"
    OWNER_ABROAD = "OWNER_ABROAD", "An owner lives outside the US"
    CHECK = "CHECK", "A check that warned or failed"


class ProposalKind(models.TextChoices):
    """The kind of a proposed decision."""

    APPROVE = "APPROVE", "Approve"
    APPROVE_TEMPORARILY = "APPROVE_TEMPORARILY", "Approve temporarily"
    DENY = "DENY", "Deny"
    REOPEN = "REOPEN", "Reopen"


class ProposalStatus(models.TextChoices):
    """The status of a proposed decision, which a second person confirms or rejects."""

    OPEN = "OPEN", "Waits for a second person"
    CONFIRMED = "CONFIRMED", "Confirmed"
    REFUSED = "REFUSED", "Rejected"
    WITHDRAWN = "WITHDRAWN", "Withdrawn"
    VOIDED = "VOIDED", "Voided by a change"


class NotificationKind(models.TextChoices):
    """The kind of a notification to staff. The label is the text of the notification."""

    ASSIGNED = "ASSIGNED", "A case was assigned to you"
    HANDED_OVER = "HANDED_OVER", "A case was handed over to you"
    ESCALATED = "ESCALATED", "You were asked a question about a case"
    ANSWERED = "ANSWERED", "Your question about a case was answered"
    MENTIONED = "MENTIONED", "A note mentions you"
    RETURNED = "RETURNED", "The applicant of your case has answered"
    NEW_HIT = "NEW_HIT", "There are new screening hits"
    PROPOSAL_VOIDED = "PROPOSAL_VOIDED", "Your proposal is void"
    PROPOSAL_REFUSED = "PROPOSAL_REFUSED", "Your proposal was rejected"
    PROPOSAL_CONFIRMED = "PROPOSAL_CONFIRMED", "Your proposal was confirmed"
    DUE_SOON = "DUE_SOON", "Your case is due within two hours"
    OVERDUE = "OVERDUE", "Your case is overdue"


class ListCode(models.TextChoices):
    """The lists that names are compared with: of sanctions, and of politically exposed persons."""

    SDN = "SDN", "OFAC SDN"
    CONS = "CONS", "OFAC consolidated"
    UN = "UN", "United Nations"
    EU = "EU", "European Union"
    UK = "UK", "United Kingdom"
    PEP = "PEP", "Politically exposed persons"


class RoutedWork(models.TextChoices):
    """The kind of work that a routing rule assigns to a team or a person."""

    CASE = "CASE", "Case ready for review"
    HIT = "HIT", "New screening hit of a customer"
    REVIEW = "REVIEW", "Review of a customer"
    CHANGE = "CHANGE", "Requested change of a customer"


class PartyKind(models.TextChoices):
    """The kind of a party whose names are compared with the sanctions lists.

    A LEAD party belongs to an application, any other to the bank's records.
    """

    LEAD = "LEAD", "Party of an application"
    BUSINESS = "BUSINESS", "Customer"
    OWNER = "OWNER", "Owner of a customer"
    SUPPLIER = "SUPPLIER", "Supplier"
    PAYEE = "PAYEE", "Payee"
    ACCOUNTANT = "ACCOUNTANT", "Accountant"
    FIRM = "FIRM", "Firm of accountants"


class HitSubject(models.TextChoices):
    """Whether the name that was compared with the lists is a person's or a business's."""

    PERSON = "PERSON", "Person"
    BUSINESS = "BUSINESS", "Business"


class HitStatus(models.TextChoices):
    """The verdict of staff about a screening hit: a similar name on a list.

    A current hit blocks every approval unless it is a false positive, or a confirmed match with a
    politically exposed person.
    """

    UNREVIEWED = "UNREVIEWED", "Unreviewed"
    FALSE_POSITIVE = "FALSE_POSITIVE", "False positive"
    CONFIRMED = "CONFIRMED", "Confirmed match"
    INCONCLUSIVE = "INCONCLUSIVE", "Inconclusive"


class ScreeningState(models.TextChoices):
    """The state of a lead's screening hits; open hits block every approval."""

    NONE = "NONE", "No hits"
    CLEARED = "CLEARED", "Hits, all cleared"
    OPEN = "OPEN", "Hits that are not cleared"


class Decider(models.TextChoices):
    """The role of staff who may decide or propose under a rule of the decision policy."""

    REVIEWER = "REVIEWER", "A reviewer"
    APPROVER = "APPROVER", "An approver"


class QualityVerdict(models.TextChoices):
    """The verdict of a colleague who judges an approval by one person a second time."""

    AGREE = "AGREE", "I would have approved it, too"
    DENY = "DENY", "I would have denied it"
    ASK = "ASK", "I would have asked for more"


class Entry(models.TextChoices):
    """The way in which an applicant opened the application."""

    HOSTED = "HOSTED", "The bank's own page"
    EMBEDDED = "EMBEDDED", "A frame in the partner's page"


class CodePurpose(models.TextChoices):
    """The step that a mailed code is for; the code is refused at the other step."""

    ENTRY = "ENTRY", "To open the application"
    SIGNATURE = "SIGNATURE", "To sign"


class LegalText(models.TextChoices):
    """A text that applicants agree to or certify; its versions are files in `onboarding/legal`."""

    ELECTRONIC_RECORDS = "ELECTRONIC_RECORDS", "Electronic records and signatures"
    ACCOUNT_AGREEMENT = "ACCOUNT_AGREEMENT", "Account agreement"
    PRIVACY_NOTICE = "PRIVACY_NOTICE", "Privacy notice"
    OWNERSHIP_CERTIFICATION = "OWNERSHIP_CERTIFICATION", "Certification of beneficial owners"


class WebhookStatus(models.TextChoices):
    """The status of a webhook; disabled webhooks are sent nothing."""

    ACTIVE = "ACTIVE", "Active"
    DISABLED = "DISABLED", "Disabled"


class WebhookType(models.TextChoices):
    """The kind of events that a webhook is for."""

    ONBOARDING = "ONBOARDING", "Onboarding"
    PAYMENT = "PAYMENT", "Payments"
    ALL = "ALL", "Everything"


class WebhookVersion(models.TextChoices):
    """The version of the webhook's payload."""

    V2_0 = "V2_0", "2.0"


class ClockMoveStatus(models.TextChoices):
    """The status of a move of the sandbox's clock, by which a partner lets simulated time pass."""

    IN_PROGRESS = "IN_PROGRESS", "In progress"
    DONE = "DONE", "Done"


class DeliveryStatus(models.TextChoices):
    """The status of the delivery of an event or a test to a webhook."""

    PENDING = "PENDING", "To be sent"
    DELIVERED = "DELIVERED", "Delivered"
    FAILED = "FAILED", "Given up"
    DROPPED = "DROPPED", "Dropped on purpose"


class ShownDeliveryStatus(models.TextChoices):
    """The status of a delivery as partners and staff see it.

    HELD is shown for a pending delivery whose webhook is disabled.
    """

    PENDING = "PENDING", "To be sent"
    HELD = "HELD", "Held: webhook disabled"
    DELIVERED = "DELIVERED", "Delivered"
    FAILED = "FAILED", "Given up"
    DROPPED = "DROPPED", "Dropped on purpose"


class MailStatus(models.TextChoices):
    """The status of a mail."""

    QUEUED = "QUEUED", "To be sent"
    SENT = "SENT", "Sent"
    FAILED = "FAILED", "Given up"
    CANCELLED = "CANCELLED", "Not needed any more"


class VerificationKind(models.TextChoices):
    """The kind of a verification by a provider or by the partner."""

    IDENTITY = "IDENTITY", "Identity of a person"
    REGISTRY = "REGISTRY", "Registration of the business"
    ADDRESS = "ADDRESS", "Address of the business"

    @property
    def item(self) -> "CheckCode":
        """Return the code of the check by staff that the verification is evidence for."""
        return CheckCode(VERIFIED_ITEMS[self])

    @property
    def provider_code(self) -> "CheckCode":
        """Return the code of the check that holds the result of a provider."""
        return CheckCode(f"{self}_VERIFIED")

    @property
    def partner_code(self) -> "CheckCode":
        """Return the code of the check that holds the verification by the partner."""
        return CheckCode(f"PARTNER_{self}")


VERIFIED_ITEMS = {
    "IDENTITY": CheckCode.IDENTITY_CONFIRMED,
    "REGISTRY": CheckCode.BUSINESS_REGISTERED,
    "ADDRESS": CheckCode.ADDRESS_CONFIRMED,
}


class VerificationStatus(models.TextChoices):
    """The status of a request to a verification provider."""

    WAITING = "WAITING", "To be sent"
    SENT = "SENT", "Sent, no answer yet"
    ANSWERED = "ANSWERED", "Answered"
    REJECTED = "REJECTED", "Refused by the provider"
    UNANSWERED = "UNANSWERED", "Not answered in time"


class BreakerState(models.TextChoices):
    """The state of a circuit breaker, which stops requests to a provider after several failures."""

    CLOSED = "CLOSED", "Asked"
    HALF_OPEN = "HALF_OPEN", "One trial"
    OPEN = "OPEN", "Not asked for now"


class VerificationMethod(models.TextChoices):
    """The method by which a partner verified a person or a business."""

    DOCUMENT = "DOCUMENT", "Document looked at"
    DATABASE = "DATABASE", "Compared with a database"
    BIOMETRIC = "BIOMETRIC", "Face compared with a document"
    IN_PERSON = "IN_PERSON", "Met in person"
    REGISTRY = "REGISTRY", "Extract of a registry"


class CustomerStatus(models.TextChoices):
    """The status of a customer: a business whose application was approved."""

    ACTIVE = "ACTIVE", "Active"
    RESTRICTED = "RESTRICTED", "Restricted"
    LEAVING = "LEAVING", "To be closed"
    CLOSED = "CLOSED", "Closed"


class CustomerCaseKind(models.TextChoices):
    """The kind of a customer case: a review, or a requested change of data."""

    PERIODIC = "PERIODIC", "Periodic review"
    TRIGGERED = "TRIGGERED", "Triggered review"
    CHANGE = "CHANGE", "Change request"


class CustomerCaseStatus(models.TextChoices):
    """The status of a customer case."""

    OPEN = "OPEN", "Open"
    PROPOSED = "PROPOSED", "Waits for a second person"
    CLOSED = "CLOSED", "Closed"


class ReviewCause(models.TextChoices):
    """The cause of a customer case. While a review is open, further causes are added to it."""

    DUE = "DUE", "The periodic review is due"
    NEW_HIT = "NEW_HIT", "A new screening hit"
    CONFIRMED_HIT = "CONFIRMED_HIT", "A screening hit was confirmed"
    DATA_CHANGED = "DATA_CHANGED", "The name, an address or an owner changed"
    IDENTITY_EXPIRES = "IDENTITY_EXPIRES", "An identity document expires"
    PARTNER_REPORT = "PARTNER_REPORT", "The partner reported something"
    STAFF = "STAFF", "Staff asked for it"
    REQUESTED = "REQUESTED", "A change was requested"


class CaseOutcome(models.TextChoices):
    """The outcome of a customer case."""

    NO_CHANGE = "NO_CHANGE", "No change"
    RISK_CHANGED = "RISK_CHANGED", "Another risk"
    RESTRICTED = "RESTRICTED", "Restrict the customer"
    RESTRICTION_LIFTED = "RESTRICTION_LIFTED", "Lift the restriction"
    EXIT = "EXIT", "End the relationship"
    CHANGE_APPROVED = "CHANGE_APPROVED", "Approve the change"
    CHANGE_DENIED = "CHANGE_DENIED", "Deny the change"
    CUSTOMER_CLOSED = "CUSTOMER_CLOSED", "The customer's accounts were closed"
    WITHDRAWN = "WITHDRAWN", "Withdrawn by the owner who asked"


class ChangeDenialReason(models.TextChoices):
    """The reason of a denied change, as shown to the partner.

    No reason may reveal that a person is on a sanctions list.
    """

    NOT_PROVEN = "NOT_PROVEN", "The documents do not show the change."
    NOT_AUTHORIZED = "NOT_AUTHORIZED", "The person may not ask for this change."
    NOT_POSSIBLE = "NOT_POSSIBLE", "The bank cannot make this change."


class ChangeStatus(models.TextChoices):
    """The status of a requested change as partners see it, without the steps of staff."""

    RECEIVED = "RECEIVED", "Received, not decided yet"
    APPROVED = "APPROVED", "Made"
    DENIED = "DENIED", "Denied"
    CLOSED = "CLOSED", "The account was closed before the decision"
    WITHDRAWN = "WITHDRAWN", "Withdrawn by the owner who asked"
