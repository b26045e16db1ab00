"""The Lead API in plain DRF: nested ModelSerializers, Django's ORM, APIViews."""

from typing import Any
from uuid import UUID

from django.urls import path
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bench.peers import django_records, keys
from bench.peers.models import ApiKey, Application, Document, Lead, Owner, Partner
from bench.peers.plain_drf_shapes import ADDRESS, BUSINESS, PERSON, CamelCase, LeadSerializer


class KeyAuthentication(BaseAuthentication):
    """Knows partners by their access keys."""

    def authenticate(self, request: Request) -> tuple[Partner, ApiKey]:
        try:
            key = django_records.check_key(request.headers.get("Authorization", ""))
        except keys.Unauthorized:
            raise AuthenticationFailed from None
        return key.partner, key

    def authenticate_header(self, request: Request) -> str:
        return keys.SCHEME


class LastFour(serializers.CharField):
    """The end of a personal number."""

    def to_representation(self, value: str) -> str:
        return keys.masked(value)


class Known(CamelCase, serializers.Serializer):
    """An object that is stored as JSON; what is not known is null."""

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any] | None:
        if not instance:
            return None
        return {name: instance.get(field.source) for name, field in self.fields.items()}


class AddressOut(Known):
    """A postal address."""

    line1 = serializers.CharField()
    line2 = serializers.CharField()
    city = serializers.CharField()
    state = serializers.CharField()
    postal_code = serializers.CharField()
    country = serializers.CharField()


class AnswerOut(Known):
    """An answered question."""

    question = serializers.CharField()
    answer = serializers.CharField()
    question_id = serializers.CharField()


class PersonOut(CamelCase, serializers.ModelSerializer):
    """A person; numbers by their last four."""

    ssn = LastFour()
    passport_number = LastFour()
    id_gov_number = LastFour()
    ownership_percent = serializers.FloatField()


class OwnerOut(PersonOut):
    """An owner as it is stored."""

    ubo_id = serializers.UUIDField(source="external_id")
    status = serializers.CharField(source="identity_status")
    address = AddressOut()

    class Meta:
        model = Owner
        fields = [*PERSON, "supplied_by", "corrected", "ubo_id", "status", "role", "address"]


class OwnerIdOut(CamelCase, serializers.ModelSerializer):
    """An owner by id."""

    ubo_id = serializers.UUIDField(source="external_id")
    status = serializers.CharField(source="identity_status")

    class Meta:
        model = Owner
        fields = ["email", "ubo_id", "status"]


class LeadOut(PersonOut):
    """The applicant and the business as they are stored."""

    ein = LastFour()
    business_address = AddressOut()
    mailing_address = AddressOut()
    edd_answers = AnswerOut(many=True)

    class Meta:
        model = Lead
        fields = [*PERSON, "supplied_by", "corrected", *ADDRESS, *BUSINESS]


class DocumentOut(CamelCase, serializers.ModelSerializer):
    """A document as it is stored."""

    document_id = serializers.UUIDField(source="external_id")
    duplicate = serializers.BooleanField(default=False)

    class Meta:
        model = Document
        fields = [
            *("document_id", "file_name", "content_type", "llc_file_type", "size_bytes"),
            *("sha256", "status", "duplicate", "uploaded_at"),
        ]


class FileOut(CamelCase, serializers.ModelSerializer):
    """A lead with what is known of it."""

    created_at = serializers.DateTimeField(source="lead.created_at")
    updated_at = serializers.DateTimeField(source="lead.updated_at")
    lead = LeadOut()
    owners = OwnerOut(source="lead.owners", many=True)
    documents = DocumentOut(source="lead.documents", many=True)
    spelled = {"owners": "owners"}

    class Meta:
        model = Application
        fields = [
            *("attempt", "status_changed_at", "submitted_at", "created_at", "updated_at"),
            *("lead", "owners", "documents"),
        ]


class LeadsView(APIView):
    """All leads of the partner."""

    authentication_classes = [KeyAuthentication]

    def put(self, request: Request) -> Response:
        """Register an applicant, or merge what is sent into the lead with that email."""
        serializer = LeadSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        application, owners, access = serializer.save(partner=request.user)
        answer = {
            **state(application, owners),
            "location": access.location,
            "locationExpiresAt": application.link_expires_at,
            "token": access.token,
            "tokenExpiresAt": application.token_expires_at,
            "warnings": [],
        }
        return Response(answer, status=201)


class LeadView(APIView):
    """One lead of the partner."""

    authentication_classes = [KeyAuthentication]

    def get(self, request: Request, customer_id: UUID) -> Response:
        """Return a lead with its owners and documents."""
        application = django_records.get(request.user, customer_id)
        if application is None:
            raise NotFound
        owners = list(application.lead.owners.all())
        return Response({**state(application, owners), **FileOut(application).data})

    def post(self, request: Request, customer_id: UUID) -> Response:
        """Merge what is sent into a lead."""
        serializer = LeadSerializer(customer_id, data=request.data, partial=True)
        serializer.is_valid(raise_exception=True)
        updated = serializer.save(partner=request.user)
        if not updated:
            raise NotFound
        application, owners, changed = updated
        answer = {"updatedFields": changed, "documents": [], "warnings": []}
        return Response({**state(application, owners), **answer})


def state(application: Application, owners: list[Owner]) -> dict[str, Any]:
    """Return what every answer has."""
    lead = application.lead
    return {
        "customerId": lead.external_id,
        "personId": lead.external_id,
        "partnerSuppliedId": lead.unique_id,
        "uboData": OwnerIdOut(owners, many=True).data,
        "applicationId": application.external_id,
        "status": application.status,
        "metadata": lead.details,
    }


urlpatterns = [
    path("service/api/v1/lead", LeadsView.as_view()),
    path("service/api/v1/lead/<uuid:customer_id>", LeadView.as_view()),
]
