"""Changes of customers: operations that ask for or read a change, and report to the bank."""

from datetime import datetime

from django.conf import settings
from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding import validators
from onboarding.api import examples, schema
from onboarding.api.change_representations import CustomerChangeRepresentation
from onboarding.api.error_representations import WarningSerializer
from onboarding.api.partner_view import from_replica
from onboarding.api.request_serializers import CharField, ListField, RequestSerializer
from onboarding.api.schema import operation
from onboarding.api.serialization import Representation, Timestamp
from onboarding.api.serializers import (
    AddressUpdateSerializer,
    DocumentDataSerializer,
    OwnerUpdateSerializer,
    document_list,
    request_field,
)
from onboarding.api.views import READ, WRITE, OneLeadView, warnings
from onboarding.api.writes import Sent, write
from onboarding.errors import ErrorCode, Fault
from onboarding.lead_fields import BUSINESS, PERSON
from onboarding.queries import customer_changes
from onboarding.queries.customer_changes import MAX_LISTED
from onboarding.services.customers import partner_changes
from onboarding.services.documents.file_store import FileStore

FIXED = {"ssn", "birth_date"}  # of the applicant; the bank corrects them by itself
LONGEST_TEXT = 500


class ChangeRequestSerializer(RequestSerializer):
    """Values that a customer is to have: absent is kept, null is cleared."""

    lead_fields = [
        *(one for one in PERSON if one.name not in FIXED),
        *(one for one in BUSINESS if one.name == "business_name"),
    ]
    make_field = staticmethod(request_field)
    line1 = CharField(help_text="The first line of the applicant's home address.")
    line2 = CharField()
    city = CharField(limit=30)
    state = CharField(check=validators.region)
    country = CharField(check=validators.country, help_text="ISO 3166 alpha-2.")
    postal_code = CharField(max_length=validators.POSTAL_CODE_MAX)
    business_address = AddressUpdateSerializer(required=False, allow_null=True)
    mailing_address = AddressUpdateSerializer(required=False, allow_null=True)
    ubo_list = ListField(
        OwnerUpdateSerializer(),
        limit=settings.OWNERS_MAX_PER_LEAD,
        source="owners",
        help_text="Owners to add, or to change by email.",
    )
    removed_ubo_ids = ListField(
        CharField(limit=36, allow_null=False),
        limit=settings.OWNERS_MAX_PER_LEAD,
        help_text="The `uboId`s of people who are no longer owners.",
    )
    document_data_list = document_list(DocumentDataSerializer())
    reason = CharField(
        limit=LONGEST_TEXT, help_text="The reason for the change; the bank's staff read it."
    )

    def faults_between(self, values: dict[str, object]) -> list[Fault]:
        return validators.address_faults(values, path=()) if "country" in values else []


class ReportSerializer(RequestSerializer):
    """A partner's report about a customer."""

    text = CharField(
        limit=LONGEST_TEXT,
        required=True,
        allow_null=False,
        help_text="The bank's staff read it; the customer does not.",
    )


class ChangeRequestedSerializer(CustomerChangeRepresentation):
    """The requested change, and warnings about unknown fields."""

    warnings = WarningSerializer(many=True)


class CustomerChangesSerializer(Representation):
    """The newest 100 changes that were requested for a customer, the newest first."""

    changes = CustomerChangeRepresentation(many=True)


class ReportedSerializer(Representation):
    """Confirms that a report was received. The bank does not tell the partner of consequences."""

    customer_id = serializers.UUIDField()
    received_at = Timestamp()


NEW_CHANGE, REPORT = ChangeRequestSerializer(), ReportSerializer()
CHANGE, CHANGES = CustomerChangeRepresentation(), CustomerChangesSerializer()
REPORTED = ReportedSerializer()


class ChangesView(OneLeadView):
    """Operations that ask for a change of a customer, and list them."""

    permissions = {"POST": WRITE, "GET": READ}

    @operation(
        "requestCustomerChange",
        request=ChangeRequestSerializer,
        responses={201: ChangeRequestedSerializer},
        errors=[
            *schema.LEAD_FAULTS,
            *schema.DOCUMENT_FAULTS,
            ErrorCode.LEAD_NOT_FOUND,
            ErrorCode.OWNER_NOT_FOUND,
            ErrorCode.APPLICATION_CLOSED,
            ErrorCode.CHANGE_TOO_EARLY,
            ErrorCode.CHANGE_EMPTY,
            ErrorCode.CHANGE_LIMIT_REACHED,
        ],
        parameters=[schema.CUSTOMER_ID],
        is_idempotent=True,
        examples=[examples.CHANGE],
    )
    @write(NEW_CHANGE)
    def post(self, request: Request, sent: Sent, store: FileStore, customer_id: str) -> Response:
        """Ask for a change of a customer, who has an account: the bank's staff decide about it.

        Nothing changes before that. The decision is told by `customer.changed` or
        `customer.change_denied`. After the denial of a temporary approval a change is taken without
        documents until the accounts are closed; one with documents is refused.
        """
        change = partner_changes.request_change(
            partner=request.user,
            customer_id=customer_id,
            details=sent.values,
            store=store,
            at=timezone.now(),
        )
        answer = {**CHANGE.to_representation(change), "warnings": warnings(sent.unknown)}
        return Response(answer, status=status.HTTP_201_CREATED)

    @operation(
        "listCustomerChanges",
        responses={200: CustomerChangesSerializer},
        errors=[ErrorCode.LEAD_NOT_FOUND],
        parameters=[schema.CUSTOMER_ID],
    )
    @from_replica
    def get(self, request: Request, customer_id: str) -> Response:
        """List the changes that were requested for a customer, by anybody."""
        found = customer_changes.list_changes(partner=request.user, customer_id=customer_id)
        return Response(CHANGES.to_representation({"changes": list(found[:MAX_LISTED])}))

    def complete_replay(self, stored: dict[str, object]) -> dict[str, object]:
        """Return the stored answer as it is."""
        return stored


class ChangeView(OneLeadView):
    """Operation that reads a requested change."""

    permissions = {"GET": READ}

    @operation(
        "getCustomerChange",
        responses={200: CustomerChangeRepresentation},
        errors=[ErrorCode.LEAD_NOT_FOUND, ErrorCode.CHANGE_NOT_FOUND],
        parameters=[schema.CUSTOMER_ID, schema.CHANGE_ID],
    )
    def get(self, request: Request, customer_id: str, change_id: str) -> Response:
        """Get a requested change: its status, and why it was denied."""
        change = customer_changes.get_change(
            partner=request.user, customer_id=customer_id, change_id=change_id
        )
        return Response(CHANGE.to_representation(change))


class ReportView(OneLeadView):
    """Operation that reports something about a customer."""

    permissions = {"POST": WRITE}

    @operation(
        "reportCustomer",
        request=ReportSerializer,
        responses={201: ReportedSerializer},
        errors=[
            ErrorCode.REQUIRED_FIELD_MISSING,
            ErrorCode.INVALID_TYPE,
            ErrorCode.VALUE_TOO_LONG,
            ErrorCode.LEAD_NOT_FOUND,
            ErrorCode.CHANGE_TOO_EARLY,
            ErrorCode.TOO_MANY_REPORTS,
        ],
        parameters=[schema.CUSTOMER_ID],
        is_idempotent=True,
    )
    @write(REPORT)
    def post(self, request: Request, sent: Sent, store: FileStore, customer_id: str) -> Response:
        """Report something about a customer that the bank should look at."""
        at: datetime = timezone.now()
        partner_changes.report(
            partner=request.user, customer_id=customer_id, text=sent.values["text"], at=at
        )
        answer = {"customer_id": customer_id, "received_at": at}
        return Response(REPORTED.to_representation(answer), status=status.HTTP_201_CREATED)

    def complete_replay(self, stored: dict[str, object]) -> dict[str, object]:
        """Return the stored answer as it is."""
        return stored
