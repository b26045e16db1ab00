"""Signed records: the operation that returns an application as it was signed."""

import base64
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from foundation.files import Download
from onboarding.api import schema
from onboarding.api.schema import operation
from onboarding.api.serialization import Representation, Timestamp
from onboarding.api.views import READ, OneLeadView
from onboarding.choices import LegalText
from onboarding.errors import ErrorCode
from onboarding.models import SignedRecord
from onboarding.queries.leads import get_current_application
from onboarding.services.leads import signed_record_files, signed_records


class SignedLineSerializer(Representation):
    """A label and a value, as the applicant read them."""

    label = serializers.CharField()
    value = serializers.CharField()


class SignedSectionSerializer(Representation):
    """The values of the business or of one person."""

    heading = serializers.CharField()
    lines = SignedLineSerializer(many=True)


class SignedTextSerializer(Representation):
    """A text that the applicant agreed to."""

    text = serializers.ChoiceField(LegalText.choices)
    version = serializers.CharField()
    language = serializers.CharField()
    title = serializers.CharField()
    sha256 = serializers.CharField(help_text="Of the file of the text, in hexadecimal.")


class SignedRecordSerializer(Representation):
    """The application as the applicant signed it, in the language of the signature."""

    reference = serializers.CharField(help_text="The number that the applicant was told.")
    language = serializers.CharField()
    signed_name = serializers.CharField(help_text="As the applicant typed it.")
    signed_at = Timestamp()
    digest = serializers.CharField(
        help_text="SHA-256 of the record, in hexadecimal, which the bank's sealed history holds."
    )
    sections = SignedSectionSerializer(
        many=True, help_text="Personal numbers show their last four digits."
    )
    documents = serializers.ListField(child=serializers.CharField())
    texts = SignedTextSerializer(many=True)
    pdf = serializers.CharField(
        help_text="The same as a PDF with the bank's digital signature, in Base64."
    )


RECORD = SignedRecordSerializer()


class SignedRecordView(OneLeadView):
    """Operation that returns the signed record of an application."""

    permissions = {"GET": READ}

    @operation(
        "getSignedRecord",
        responses={200: SignedRecordSerializer},
        errors=[ErrorCode.LEAD_NOT_FOUND, ErrorCode.RESOURCE_NOT_FOUND],
        parameters=[schema.CUSTOMER_ID],
    )
    def get(self, request: Request, customer_id: str) -> Response:
        """Get the application as it was signed, with a signed PDF; 404 before the signature."""
        application = get_current_application(partner=request.user, customer_id=customer_id)
        record = signed_records.get_record(application)
        pdf = signed_record_files.write_pdf(record, at=timezone.now())
        return Response(represent_record(record, pdf))


def represent_record(record: SignedRecord, pdf: Download) -> dict[str, Any]:
    """Serialize a record with its PDF."""
    content = record.content
    shown = {
        **content,
        "sections": [
            {"heading": one["heading"], "lines": [_line(*line) for line in one["lines"]]}
            for one in content["sections"]
        ],
        "signed_name": content["signature"]["name"],
        "signed_at": record.signed_at,
        "digest": record.digest,
        "pdf": base64.b64encode(pdf.content).decode(),
    }
    return RECORD.to_representation(shown)


def _line(label: str, value: str) -> dict[str, str]:
    return {"label": label, "value": value}
