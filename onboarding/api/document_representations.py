"""Responses about documents, and about requirements that are missing."""

from rest_framework import serializers

from onboarding.api.serialization import Representation, Timestamp
from onboarding.choices import ApplicationStatus, DocumentStatus, LlcFileType
from onboarding.queries.requirements import Kind, Party


class DocumentSerializer(Representation):
    """A document as it is stored."""

    document_id = serializers.UUIDField(source="document.external_id")
    file_name = serializers.CharField(source="document.file_name")
    content_type = serializers.CharField(source="document.content_type")
    llc_file_type = serializers.ChoiceField(
        LlcFileType.choices, allow_blank=True, source="document.llc_file_type"
    )
    size_bytes = serializers.IntegerField(source="document.size_bytes")
    sha256 = serializers.CharField(
        source="document.sha256", help_text="In hexadecimal; empty until the file was fetched."
    )
    status = serializers.ChoiceField(DocumentStatus.choices, source="document.status")
    rejected_reason = serializers.CharField(
        source="document.rejected_reason",
        allow_null=True,
        help_text="Why it was rejected, as the applicant reads it; null if it was not.",
    )
    duplicate = serializers.BooleanField(
        source="is_duplicate", help_text="Whether the lead had the file already."
    )
    uploaded_at = Timestamp(source="document.uploaded_at")


class RequirementSerializer(Representation):
    """A value, document, identity or answer that the application still lacks."""

    code = serializers.CharField()
    kind = serializers.ChoiceField(Kind.choices)
    target = serializers.CharField(help_text="JSON pointer into the lead, or into the owner.")
    ubo_id = serializers.UUIDField(allow_null=True, help_text="The owner; null for the applicant.")
    accepted_types = serializers.ListField(child=serializers.ChoiceField(LlcFileType.choices))
    message = serializers.CharField()
    satisfiable_by = serializers.ListField(child=serializers.ChoiceField(Party.choices))
    due_date = Timestamp(allow_null=True)


class DocumentsUploadedSerializer(Representation):
    """The documents of one upload, and the requirements that the application still lacks."""

    customer_id = serializers.UUIDField(source="lead.external_id")
    status = serializers.ChoiceField(ApplicationStatus.choices, source="application.status")
    documents = DocumentSerializer(many=True)
    requirements = RequirementSerializer(many=True)
