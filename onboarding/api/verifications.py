"""Verifications: the operation by which a partner hands in a verification that it made itself."""

from typing import Any, Final

from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding import validators
from onboarding.api import examples, schema
from onboarding.api.error_representations import WarningSerializer
from onboarding.api.request_serializers import (
    CharField,
    ChoiceField,
    DateField,
    ListField,
    RequestSerializer,
)
from onboarding.api.schema import operation
from onboarding.api.serialization import Representation
from onboarding.api.views import WRITE, OneLeadView, warnings
from onboarding.api.writes import Sent, write
from onboarding.choices import VerificationKind, VerificationMethod
from onboarding.errors import ErrorCode
from onboarding.services.documents.file_store import FileStore
from onboarding.services.verification import partner_verifications

DOCUMENTS_MAX: Final = 20


class VerificationSerializer(RequestSerializer):
    """A verification of yours: kind, method, date, and the documents that show the result."""

    kind = ChoiceField(VerificationKind.choices, required=True, allow_null=False)
    ubo_id = CharField(help_text="The owner, for `IDENTITY`; absent for the applicant.")
    method = ChoiceField(VerificationMethod.choices, required=True, allow_null=False)
    date = DateField(check=validators.iso_date, source="verified_on", help_text="Today or earlier.")
    reference = CharField(
        limit=100, required=True, allow_null=False, help_text="Your reference to your records."
    )
    document_ids = ListField(
        CharField(limit=36, allow_null=False),
        limit=DOCUMENTS_MAX,
        required=True,
        allow_null=False,
        min_length=1,
        help_text="The `documentId` of each document of the lead that shows the verification.",
    )

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        fields["date"].required, fields["date"].allow_null = True, False
        return fields


class VerificationReceivedSerializer(Representation):
    """A verification that the bank has received, and relies on."""

    verification_id = serializers.UUIDField(source="external_id")
    kind = serializers.ChoiceField(VerificationKind.choices)
    ubo_id = serializers.UUIDField(allow_null=True)
    method = serializers.ChoiceField(VerificationMethod.choices)
    date = serializers.DateField(source="verified_on")
    reference = serializers.CharField()
    document_ids = serializers.ListField(child=serializers.CharField())


class VerificationAnswerSerializer(VerificationReceivedSerializer):
    """A verification that the bank has received, and warnings about unknown fields."""

    warnings = WarningSerializer(many=True)


VERIFICATION = VerificationSerializer()
RECEIVED = VerificationReceivedSerializer()


class VerificationsView(OneLeadView):
    """Operation that receives a verification by the partner."""

    permissions = {"POST": WRITE}

    @operation(
        "addVerification",
        request=VerificationSerializer,
        responses={201: VerificationAnswerSerializer},
        errors=[
            ErrorCode.LEAD_NOT_FOUND,
            ErrorCode.OWNER_NOT_FOUND,
            ErrorCode.DOCUMENT_NOT_FOUND,
            ErrorCode.DOCUMENT_LIST_EMPTY,
            ErrorCode.INVALID_DATE,
            ErrorCode.VALUE_OUT_OF_RANGE,
            ErrorCode.RELIANCE_NOT_AGREED,
            ErrorCode.TOO_MANY_VERIFICATIONS,
            ErrorCode.APPLICATION_CLOSED,
        ],
        parameters=[schema.CUSTOMER_ID],
        is_idempotent=True,
        examples=[examples.VERIFICATION],
    )
    @write(VERIFICATION)
    def post(self, request: Request, sent: Sent, _store: FileStore, customer_id: str) -> Response:
        """Hand in your own verification of a person or the business, with its documents.

        It counts for the bank's checks while a contract says that the bank relies on you; without
        one it is refused. Upload the documents first.
        """
        made = partner_verifications.hand_in(
            partner=request.user, customer_id=customer_id, details=sent.values, at=timezone.now()
        )
        answer: dict[str, Any] = RECEIVED.to_representation(made)
        answer["warnings"] = warnings(sent.unknown)
        return Response(answer, status=status.HTTP_201_CREATED)
