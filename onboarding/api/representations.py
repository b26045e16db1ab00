"""Responses about leads. Personal numbers are masked to their last four characters."""

from dataclasses import dataclass, field
from typing import Any

from rest_framework import serializers

from banking.choices import AccountStatus
from foundation.privacy.masks import mask
from onboarding.api.change_representations import CustomerChangeRepresentation
from onboarding.api.document_representations import DocumentSerializer, RequirementSerializer
from onboarding.api.error_representations import ErrorItemSerializer, WarningSerializer
from onboarding.api.serialization import Representation, Timestamp
from onboarding.choices import (
    ApplicationStatus,
    DenialReason,
    IdentityStatus,
    InvitationStatus,
    OwnerRole,
    StatusGroup,
    Supplier,
)
from onboarding.lead_fields import ENCRYPTED, OF_API, PERSON, LeadField, ValueType
from onboarding.models import Application, CustomerCase, Lead, Owner, OwnerInvitation
from onboarding.names import wire
from onboarding.queries.requirements import Requirement
from onboarding.services.access import links
from onboarding.services.access.links import Access
from onboarding.services.documents.intake import AttachedDocument


@dataclass
class Answer:
    """The data of a response about a lead; each serializer reads the fields it declares."""

    application: Application
    owners: list[Owner] = field(default_factory=list)
    access: Access | None = None
    documents: list[AttachedDocument] = field(default_factory=list)
    requirements: list[Requirement] = field(default_factory=list)
    updated_fields: list[str] = field(default_factory=list)
    changes: list[CustomerCase] = field(default_factory=list)
    warnings: list[dict[str, str]] = field(default_factory=list)

    @property
    def lead(self) -> Lead:
        """Return the lead of the application."""
        return self.application.lead


@dataclass
class OwnerAccess:
    """An owner's invitation with the owner's link."""

    application: Application
    invitation: OwnerInvitation

    @property
    def location(self) -> str:
        """Return the URL of the owner's link."""
        return links.owner_location(self.invitation)


class UboDataSerializer(Representation):
    """The email, the id and the identity status of an owner."""

    email = serializers.CharField()
    ubo_id = serializers.UUIDField(source="external_id")
    status = serializers.ChoiceField(IdentityStatus.choices, source="identity_status")


class LeadState(Representation):
    """The identifiers and the state of a lead."""

    customer_id = serializers.UUIDField(source="lead.external_id")
    person_id = serializers.UUIDField(source="lead.external_id", help_text="Same as customerId.")
    partner_supplied_id = serializers.CharField(
        source="lead.unique_id", help_text="Echo of `uniqueId`; empty if none was supplied."
    )
    ubo_data = UboDataSerializer(source="owners", many=True)
    application_id = serializers.UUIDField(source="application.external_id")
    status = serializers.ChoiceField(ApplicationStatus.choices, source="application.status")
    metadata = serializers.DictField(child=serializers.CharField(), source="lead.metadata")


class AccessMixin(serializers.Serializer):
    """The link and the token of an application."""

    location = serializers.URLField(
        source="access.location", help_text="The applicant's personal link to the application."
    )
    location_expires_at = Timestamp(source="access.location_expires_at")
    token = serializers.CharField(
        source="access.token", help_text="For the embedded flow; works once, for an hour."
    )
    token_expires_at = Timestamp(source="access.token_expires_at")


class LeadCreatedSerializer(AccessMixin, LeadState):
    """The created or updated lead, its link and token, and warnings about fields not saved."""

    warnings = WarningSerializer(many=True)


class SessionSerializer(AccessMixin, Representation):
    """A new token of an application, and its link, which is new only if it was to be replaced."""

    customer_id = serializers.UUIDField(source="lead.external_id")


class OwnerSessionSerializer(Representation):
    """An owner's link to their own part of the application."""

    customer_id = serializers.UUIDField(source="application.lead.external_id")
    ubo_id = serializers.UUIDField(source="invitation.owner.external_id")
    invitation_status = serializers.ChoiceField(
        InvitationStatus.choices, source="invitation.status"
    )
    location = serializers.URLField(help_text="The owner's personal link to their own part.")
    location_expires_at = Timestamp(source="invitation.link_expires_at")


class LeadUpdatedSerializer(LeadState):
    """The lead after an update, the changed fields, and warnings about fields not saved."""

    updated_fields = serializers.ListField(
        child=serializers.CharField(), help_text="Names of the request's fields that changed it."
    )
    documents = DocumentSerializer(many=True)
    warnings = WarningSerializer(many=True)


class AddressRepresentation(Representation):
    """An address; fields that are not known are null."""

    line1 = serializers.CharField(allow_null=True)
    line2 = serializers.CharField(allow_null=True)
    city = serializers.CharField(allow_null=True)
    state = serializers.CharField(allow_null=True)
    postal_code = serializers.CharField(allow_null=True)
    country = serializers.CharField(allow_null=True)

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any] | None:
        if not instance:
            return None
        return {name: instance.get(of.source) for name, of in self.fields.items()}


class LastFour(serializers.CharField):
    """A personal number, masked except for its last four characters: `••••6789`."""

    def to_representation(self, value: str) -> str:
        return mask(value)


class Suppliers(serializers.DictField):
    """A map of field names, as requests spell them, to the supplier of the value of each field."""

    child = serializers.ChoiceField(Supplier.choices)

    def to_representation(self, value: dict[str, str]) -> dict[str, str]:
        return {wire(name): supplier for name, supplier in value.items()}


class Corrected(serializers.ListField):
    """Names, as requests spell them, of values of the partner that somebody else has replaced.

    Personal numbers are left out. If the name of one were listed, the partner would know that its
    number was wrong; if an applicant had typed the number and the name were missing, that it
    was right.
    """

    child = serializers.CharField()

    def to_representation(self, value: list[str]) -> list[str]:
        return [wire(name) for name in value if name not in ENCRYPTED]


def answer_field(declared: LeadField) -> serializers.Field:
    """Return the response field of a declared lead field."""
    match declared.kind:
        case ValueType.ENCRYPTED_TEXT:
            return LastFour()
        case ValueType.DATE:
            return serializers.DateField(allow_null=True)
        case ValueType.PERCENT:
            return serializers.FloatField(allow_null=True)
        case ValueType.FLAG:
            return serializers.BooleanField(allow_null=True)
        case ValueType.CHOICE:
            return serializers.ChoiceField(declared.choices, allow_blank=True)
    return serializers.CharField()


class PersonRepresentation(Representation):
    """A person; SSN, passport and ID numbers by their last four."""

    lead_fields = PERSON
    make_field = staticmethod(answer_field)
    email = serializers.CharField()
    supplied_by = Suppliers(help_text="Who supplied a value; those of the partner are left out.")
    corrected = Corrected(
        help_text="Values of the partner that somebody else has replaced, except personal numbers."
    )


class OwnerRepresentation(PersonRepresentation):
    """An owner as it is stored."""

    ubo_id = serializers.UUIDField(source="external_id")
    status = serializers.ChoiceField(IdentityStatus.choices, source="identity_status")
    invitation_status = serializers.ChoiceField(
        InvitationStatus.choices,
        allow_null=True,
        help_text="Of the owner's own part; null for an owner who was not asked for it.",
    )
    role = serializers.ChoiceField(OwnerRole.choices, allow_blank=True)
    address = AddressRepresentation(allow_null=True)


class EddAnswerRepresentation(Representation):
    """An answered question of enhanced due diligence."""

    question = serializers.CharField(allow_null=True)
    answer = serializers.CharField(allow_null=True)
    question_id = serializers.CharField(allow_null=True)

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        return {name: instance.get(of.source) for name, of in self.fields.items()}


class LeadRepresentation(PersonRepresentation):
    """The applicant and the business as they are stored, under the names they were sent with."""

    lead_fields = OF_API
    line1 = serializers.CharField()
    line2 = serializers.CharField()
    city = serializers.CharField()
    state = serializers.CharField()
    country = serializers.CharField()
    postal_code = serializers.CharField()
    business_address = AddressRepresentation(allow_null=True)
    mailing_address = AddressRepresentation(allow_null=True)
    metadata = serializers.DictField(child=serializers.CharField())
    edd_question_data = EddAnswerRepresentation(source="edd_answers", many=True)


class LeadSummarySerializer(Representation):
    """A lead in a list; made from its current application."""

    customer_id = serializers.UUIDField(source="lead.external_id")
    person_id = serializers.UUIDField(source="lead.external_id")
    partner_supplied_id = serializers.CharField(source="lead.unique_id")
    email = serializers.CharField(source="lead.email")
    business_name = serializers.CharField(source="lead.business_name")
    application_id = serializers.UUIDField(source="external_id")
    attempt = serializers.IntegerField()
    status = serializers.ChoiceField(ApplicationStatus.choices)
    status_group = serializers.ChoiceField(StatusGroup.choices, source="group")
    status_changed_at = Timestamp()
    created_at = Timestamp(source="lead.created_at")
    updated_at = Timestamp(source="lead.updated_at")


class LeadListSerializer(Representation):
    """A page of leads, the newest first."""

    leads = LeadSummarySerializer(source="items", many=True)
    next_cursor = serializers.CharField(
        allow_null=True, help_text="Send it as `cursor` for the next page; null on the last one."
    )


class DecisionSerializer(Representation):
    """How the application was decided."""

    outcome = serializers.ChoiceField(ApplicationStatus.choices)
    decided_at = Timestamp()
    reason_codes = serializers.ListField(
        child=serializers.ChoiceField(DenialReason.choices),
        help_text="Why it was denied; empty if it was not.",
    )
    reapply_after = Timestamp(
        allow_null=True,
        help_text="When you may create the lead again; null while only the bank can reopen it.",
    )


class AccountRepresentation(Representation):
    """The account that an approval opened."""

    account_number_masked = serializers.CharField(source="masked_number")
    routing_number = serializers.CharField()
    status = serializers.ChoiceField(AccountStatus.choices)


class LeadFileSerializer(LeadState):
    """A lead with values, owners, documents, missing requirements, decision, account, changes."""

    attempt = serializers.IntegerField(source="application.attempt")
    status_group = serializers.ChoiceField(StatusGroup.choices, source="application.group")
    status_changed_at = Timestamp(source="application.status_changed_at")
    submitted_at = Timestamp(
        source="application.submitted_at",
        allow_null=True,
        help_text="When the applicant signed; null before.",
    )
    created_at = Timestamp(source="lead.created_at")
    updated_at = Timestamp(source="lead.updated_at")
    lead = LeadRepresentation()
    owners = OwnerRepresentation(many=True)
    documents = DocumentSerializer(many=True)
    requirements = RequirementSerializer(many=True)
    decision = DecisionSerializer(source="application.decision", allow_null=True)
    is_temp = serializers.BooleanField(
        source="application.is_temporary", help_text="Whether the approval is temporary."
    )
    expiration_date = serializers.DateField(
        source="application.temporary_until",
        allow_null=True,
        help_text="The last day of a temporary approval; null if there is none.",
    )
    account = AccountRepresentation(
        source="application.account", allow_null=True, help_text="Null before it is opened."
    )
    changes = CustomerChangeRepresentation(
        many=True,
        required=False,
        help_text="The newest changes that were requested for the customer; empty before the "
        "account is opened.",
    )
    sequence = serializers.IntegerField(
        source="lead.last_sequence",
        help_text="That of the last event: this answer has all that the events up to it told.",
    )


class PreviewSerializer(Representation):
    """The result of a create with `validateOnly=true`, which validates and stores nothing."""

    valid = serializers.BooleanField()
    errors = ErrorItemSerializer(many=True)
    warnings = WarningSerializer(many=True)
    requirements = RequirementSerializer(many=True)
