"""What partners send, as the contract spells it."""

from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.utils import timezone
from rest_framework import serializers

from banking.choices import BusinessType
from onboarding import validators
from onboarding.api.shapes import (
    OBJECT,
    Choice,
    Date,
    Flag,
    Items,
    Percent,
    Shape,
    Text,
)
from onboarding.choices import (
    LlcFileType,
    OwnerRole,
)
from onboarding.errors import ErrorCode, Fault, Invalid, InvalidValue
from onboarding.services.documents.intake import Incoming
from onboarding.uploads import Upload, decode_base64

EDD_ANSWERS_MAX: Final = 100


def born(text: str) -> Any:
    """Check a birth date against the calendar of today."""
    return validators.birth_date(text, today=timezone.localdate())


class AddressSerializer(Shape):
    """A postal address; all fields are optional."""

    line1 = Text()
    line2 = Text()
    city = Text(limit=30)
    state = Text(
        check=validators.region,
        help_text="USPS two-letter code where the country is US or absent.",
    )
    postal_code = Text(
        max_length=validators.POSTAL_CODE_MAX,
        help_text="`XXXXX` or `XXXXX-XXXX` where the country is US or absent.",
    )
    country = Text(check=validators.country, help_text="ISO 3166 alpha-2.")

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        return validators.address_faults(values, path=())


class AddressUpdateSerializer(AddressSerializer):
    """Changes of an address; state and postal code are judged by the country after the merge."""

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        return super().faults_between(values) if "country" in values else []


class PersonShape(Shape):
    """What the applicant and the other owners have in common."""

    phone_number = Text(
        check=validators.phone_number, help_text="E.164, for example `+14155550100`."
    )
    ssn = Text(check=validators.ssn, help_text="Shape `XXX-XX-XXXX`.")
    birth_date = Date(check=born, help_text="`YYYY-MM-DD`; 18 to 120 years ago.")
    first_name = Text(limit=100)
    last_name = Text(limit=100)
    passport_number = Text()
    id_gov_number = Text(help_text="National ID number of a non-US person.")
    id_country = Text(
        check=validators.country,
        help_text="ISO 3166 alpha-2; with a passport number, its country of issuance.",
    )
    id_expiration_date = Date(
        check=validators.iso_date, help_text="With a passport number, its expiration date."
    )
    ownership_percent = Percent()
    is_control_person = Flag(help_text="Whether this person controls the business.")
    title = Text(limit=100, help_text="For example `CEO`.")


class OwnerSerializer(PersonShape):
    """An owner of more than 25 % of the business (UBO), besides the applicant."""

    email = Text(check=validators.email, help_text="Identifies the owner when sent again.")
    role = Choice(OwnerRole.choices)
    address = AddressSerializer(required=False, allow_null=True)


class OwnerUpdateSerializer(OwnerSerializer):
    """An owner to add, or to change by email."""

    email = Text(check=validators.email, required=True, allow_null=False)
    address = AddressUpdateSerializer(required=False, allow_null=True)


class Content(serializers.CharField):
    """The file in Base64; never walked character by character."""

    def clean(self, sent: Any) -> Upload:
        if isinstance(sent, InvalidValue):
            raise sent
        if isinstance(sent, Upload):
            return sent
        if not isinstance(sent, str):
            raise InvalidValue(ErrorCode.INVALID_TYPE, expected=validators.TEXT)
        return decode_base64(sent)


class DocumentDataSerializer(Shape):
    """A document with its content."""

    content = Content(
        source="upload", help_text="Base64, standard or URL-safe; at most 10 MiB decoded."
    )
    content_type = Text(
        check=validators.content_type, required=True, allow_null=False, limit=127,
        help_text="MIME type; one that contradicts the content puts the file into quarantine.",
    )  # fmt: skip
    file_name = Text(
        check=validators.file_name, required=True, allow_null=False, help_text="Without a path."
    )
    llc_file_type = Choice(LlcFileType.choices)

    def clean(self, data: Any) -> Incoming:
        return Incoming(**{name: value or "" for name, value in super().clean(data).items()})


class NewLeadDocumentSerializer(DocumentDataSerializer):
    """A document sent when the lead is created."""

    llc_file_type = Choice(LlcFileType.choices_on_create())


class EddAnswerSerializer(Shape):
    """A question of enhanced due diligence with its answer."""

    question = Text()
    answer = Text()
    question_id = Text()


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


def document_list(child: Shape, **options: Any) -> Items:
    """Return a list of documents, as many as one request may bring."""
    return Items(
        child,
        limit=settings.DOCUMENTS_MAX_PER_REQUEST,
        over=ErrorCode.TOO_MANY_DOCUMENTS,
        source="documents",
        help_text="Files to add; one that the lead has already is not added again.",
        **options,
    )


class LeadSerializer(PersonShape):
    """What a partner may send about an applicant and the business."""

    email = Text(
        check=validators.email, required=True, allow_null=False,
        help_text="Identifies the customer; it never changes.",
    )  # fmt: skip
    line1 = Text()
    line2 = Text()
    city = Text(limit=30)
    state = Text(
        check=validators.region,
        help_text="USPS two-letter code where the country is US or absent.",
    )
    country = Text(check=validators.country, help_text="Country of residence, ISO 3166 alpha-2.")
    postal_code = Text(
        max_length=validators.POSTAL_CODE_MAX,
        help_text="`XXXXX` or `XXXXX-XXXX` where the country is US or absent.",
    )
    ein = Text(check=validators.ein, help_text="Nine digits, with or without the dash.")
    business_name = Text()
    business_address = AddressSerializer(required=False, allow_null=True)
    mailing_address = AddressSerializer(required=False, allow_null=True)
    business_type = Choice(BusinessType.choices)
    incorporation_state = Text(check=validators.state, help_text="USPS two-letter code.")
    unique_id = Text(help_text="Your own identifier; returned as `partnerSuppliedId`.")
    duns = Text(check=validators.duns, help_text="Nine digits, also as `12-345-6789`.")
    document_urls = Items(
        Text(check=validators.https_url, limit=2048, allow_null=False),
        limit=settings.DOCUMENT_URLS_MAX_PER_REQUEST,
        over=ErrorCode.TOO_MANY_DOCUMENTS,
        help_text="Where documents are, for us to fetch soon; https only, and no redirects. What "
        "cannot be fetched becomes a requirement; the same URL, sent again, is tried anew.",
    )
    document_data_list = document_list(NewLeadDocumentSerializer())
    ubo_list = Items(
        OwnerSerializer(),
        limit=settings.OWNERS_MAX_PER_LEAD,
        source="owners",
        help_text="Owners of more than 25 %, besides the applicant. All shares sum to 100 at most.",
    )
    naics_code = Text(check=validators.naics_code, help_text="Two to six digits.")
    campaign = Text(help_text="Your campaign code.")
    metadata = Metadata()
    edd_question_data = Items(
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
    ubo_list = Items(
        OwnerUpdateSerializer(),
        limit=settings.OWNERS_MAX_PER_LEAD,
        source="owners",
        help_text="Owners to add, or to change by email. All shares sum to 100 at most.",
    )

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        if "country" not in values:
            values = {**values, "state": None, "postal_code": None}
        return super().faults_between(values)


class UploadSerializer(Shape):
    """Documents to add to a lead."""

    document_data_list = document_list(
        DocumentDataSerializer(), required=True, allow_null=False, min_length=1
    )

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        if values.get("documents") == []:
            return [Fault(ErrorCode.DOCUMENT_LIST_EMPTY, ("documentDataList",))]
        return []


class NewSessionSerializer(Shape):
    """Whether the applicant's link is replaced, too; the body may be left out."""

    rotate_link = Flag(
        help_text="true replaces the link: the links sent before open nothing any more."
    )
