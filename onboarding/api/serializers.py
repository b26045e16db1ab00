"""Request bodies about leads."""

from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from rest_framework import serializers

from onboarding import validators
from onboarding.api.request_serializers import (
    OBJECT,
    BooleanField,
    CharField,
    ChoiceField,
    DateField,
    ListField,
    PercentField,
    RequestSerializer,
)
from onboarding.choices import (
    LlcFileType,
    OwnerRole,
)
from onboarding.errors import ErrorCode, Fault, Invalid, InvalidValue
from onboarding.lead_fields import OF_API, PERSON, LeadField, ValueType
from onboarding.services.documents.intake import SentDocument, inspect
from onboarding.uploads import Upload, decode_base64

EDD_ANSWERS_MAX: Final = 100


class AddressSerializer(RequestSerializer):
    """A postal address; all fields are optional."""

    line1 = CharField()
    line2 = CharField()
    city = CharField(limit=30)
    state = CharField(
        check=validators.region,
        help_text="USPS two-letter code where the country is US or absent.",
    )
    postal_code = CharField(
        max_length=validators.POSTAL_CODE_MAX,
        help_text="`XXXXX` or `XXXXX-XXXX` where the country is US or absent.",
    )
    country = CharField(check=validators.country, help_text="ISO 3166 alpha-2.")

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        return validators.address_faults(values, path=())


class AddressUpdateSerializer(AddressSerializer):
    """Changes of an address; state and postal code are judged by the country after the merge."""

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        return super().faults_between(values) if "country" in values else []


def request_field(declared: LeadField) -> serializers.Field:
    """Return the request field of a declared lead field."""
    help_text = declared.api_help or None
    match declared.kind:
        case ValueType.DATE:
            return DateField(check=declared.check, help_text=help_text)
        case ValueType.PERCENT:
            return PercentField()
        case ValueType.FLAG:
            return BooleanField(help_text=help_text)
        case ValueType.CHOICE:
            return ChoiceField(declared.choices, help_text=help_text)
    return CharField(check=declared.check, limit=declared.max_length, help_text=help_text)


class PersonRequestSerializer(RequestSerializer):
    """The values that a request sends of the applicant and of the other owners."""

    lead_fields = PERSON
    make_field = staticmethod(request_field)


class OwnerSerializer(PersonRequestSerializer):
    """An owner of more than 25 % of the business (UBO), besides the applicant."""

    email = CharField(check=validators.email, help_text="Identifies the owner when sent again.")
    role = ChoiceField(OwnerRole.choices)
    address = AddressSerializer(required=False, allow_null=True)


class OwnerUpdateSerializer(OwnerSerializer):
    """An owner to add, or to change by email."""

    email = CharField(check=validators.email, required=True, allow_null=False)
    address = AddressUpdateSerializer(required=False, allow_null=True)


class Content(serializers.CharField):
    """A file in Base64, which becomes an Upload.

    Of a large body, the reader has decoded it: the value is an Upload or an InvalidValue already.
    """

    def clean(self, sent: Any) -> Upload:
        if isinstance(sent, InvalidValue):
            raise sent
        if isinstance(sent, Upload):
            return sent
        if not isinstance(sent, str):
            raise InvalidValue(ErrorCode.INVALID_TYPE, expected=validators.TEXT)
        return decode_base64(sent)


class DocumentDataSerializer(RequestSerializer):
    """A document with its content."""

    content = Content(
        source="upload", help_text="Base64, standard or URL-safe; at most 10 MiB decoded."
    )
    content_type = CharField(
        check=validators.content_type, required=True, allow_null=False, limit=127,
        help_text="MIME type; one that contradicts the content puts the file into quarantine.",
    )  # fmt: skip
    file_name = CharField(
        check=validators.file_name, required=True, allow_null=False, help_text="Without a path."
    )
    llc_file_type = ChoiceField(LlcFileType.choices)

    def clean(self, data: Any) -> SentDocument:
        return inspect(**{name: value or "" for name, value in super().clean(data).items()})


class NewLeadDocumentSerializer(DocumentDataSerializer):
    """A document sent when the lead is created."""

    llc_file_type = ChoiceField(LlcFileType.choices_on_create())


class EddAnswerSerializer(RequestSerializer):
    """A question of enhanced due diligence with its answer."""

    question = CharField()
    answer = CharField()
    question_id = CharField()


class Metadata(serializers.DictField):
    """A map of strings to strings; null removes a key."""

    def __init__(self) -> None:
        super().__init__(
            child=serializers.CharField(allow_null=True, allow_blank=True, max_length=500),
            required=False, allow_null=True,
            help_text="At most 50 keys of 40 characters with values of 500.",
        )  # fmt: skip

    def clean(self, sent: Any) -> dict[str, str | None]:
        if not isinstance(sent, Mapping):
            raise InvalidValue(ErrorCode.INVALID_TYPE, expected=OBJECT)
        faults = validators.metadata_faults(sent, path=())
        if faults:
            raise Invalid(faults)
        return dict(sent)


def document_list(child: RequestSerializer, **options: Any) -> ListField:
    """Return a list field of at most DOCUMENTS_MAX_PER_REQUEST documents."""
    return ListField(
        child,
        limit=settings.DOCUMENTS_MAX_PER_REQUEST,
        over=ErrorCode.TOO_MANY_DOCUMENTS,
        source="documents",
        help_text="Files to add; one that the lead has already is not added again.",
        **options,
    )


class LeadSerializer(PersonRequestSerializer):
    """What a partner may send about an applicant and the business."""

    lead_fields = OF_API
    email = CharField(
        check=validators.email, required=True, allow_null=False,
        help_text="Identifies the customer; it never changes.",
    )  # fmt: skip
    line1 = CharField()
    line2 = CharField()
    city = CharField(limit=30)
    state = CharField(
        check=validators.region,
        help_text="USPS two-letter code where the country is US or absent.",
    )
    country = CharField(
        check=validators.country, help_text="Country of residence, ISO 3166 alpha-2."
    )
    postal_code = CharField(
        max_length=validators.POSTAL_CODE_MAX,
        help_text="`XXXXX` or `XXXXX-XXXX` where the country is US or absent.",
    )
    business_address = AddressSerializer(required=False, allow_null=True)
    mailing_address = AddressSerializer(required=False, allow_null=True)
    document_urls = ListField(
        CharField(check=validators.https_url, limit=2048, allow_null=False),
        limit=settings.DOCUMENT_URLS_MAX_PER_REQUEST,
        over=ErrorCode.TOO_MANY_DOCUMENTS,
        help_text="Where documents are, for us to fetch soon; https only, and no redirects. What "
        "cannot be fetched becomes a requirement; the same URL, sent again, is tried anew.",
    )
    document_data_list = document_list(NewLeadDocumentSerializer())
    ubo_list = ListField(
        OwnerSerializer(),
        limit=settings.OWNERS_MAX_PER_LEAD,
        source="owners",
        help_text="Owners of more than 25 %, besides the applicant. All shares sum to 100 at most.",
    )
    metadata = Metadata()
    edd_question_data = ListField(
        EddAnswerSerializer(),
        limit=EDD_ANSWERS_MAX,
        source="edd_answers",
        help_text="An answer replaces that to the same `questionId`, or else to the same question.",
    )

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        return [
            *validators.address_faults(values, path=()),
            *validators.ownership_faults(
                values.get("email") or "",
                values.get("ownership_percent"),
                values.get("owners") or [],
            ),
        ]


class LeadUpdateSerializer(LeadSerializer):
    """What a partner may change: absent is kept, null is cleared."""

    business_address = AddressUpdateSerializer(required=False, allow_null=True)
    mailing_address = AddressUpdateSerializer(required=False, allow_null=True)
    document_data_list = document_list(DocumentDataSerializer())
    ubo_list = ListField(
        OwnerUpdateSerializer(),
        limit=settings.OWNERS_MAX_PER_LEAD,
        source="owners",
        help_text="Owners to add, or to change by email. All shares sum to 100 at most.",
    )

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        if "country" not in values:
            values = {**values, "state": None, "postal_code": None}
        return super().faults_between(values)


class UploadSerializer(RequestSerializer):
    """Documents to add to a lead."""

    document_data_list = document_list(
        DocumentDataSerializer(), required=True, allow_null=False, min_length=1
    )

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        if values.get("documents") == []:
            return [Fault(ErrorCode.DOCUMENT_LIST_EMPTY, ("documentDataList",))]
        return []


class NewSessionSerializer(RequestSerializer):
    """Whether the link is replaced, too; the body may be left out."""

    rotate_link = BooleanField(
        help_text="true replaces the link: the links sent before open nothing any more."
    )
