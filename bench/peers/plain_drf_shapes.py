"""What a partner may send, in nested ModelSerializers: for the plain DRF peer."""

import base64
import binascii
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from rest_framework import serializers

from bench.peers import django_records, rules
from bench.peers.changes import wire
from bench.peers.models import Document, Lead, Owner

ADDRESS = ["line1", "line2", "city", "state", "postal_code", "country"]
PERSON = [
    *("email", "phone_number", "ssn", "birth_date", "first_name", "last_name"),
    *("passport_number", "id_gov_number", "id_country", "id_expiration_date"),
    *("ownership_percent", "is_control_person", "title"),
]
BUSINESS = [
    *("ein", "business_name", "business_address", "mailing_address", "business_type"),
    *("incorporation_state", "unique_id", "duns", "naics_code", "campaign"),
    *("details", "edd_answers"),
]


class CamelCase:
    """Declares fields in snake_case and speaks camelCase; everything but the email is optional."""

    needed = frozenset({"email"})
    spelled: dict[str, str] = {}

    def get_fields(self) -> dict[str, serializers.Field]:
        renamed = {}
        for name, field in super().get_fields().items():
            spelled = self.spelled.get(name) or wire(name)
            if spelled != name and field.source is None:
                field.source = name
            if not field.read_only and name not in self.needed:
                field.required, field.allow_null = False, True
            renamed[spelled] = field
        return renamed

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Leave out what is null, which is the same as absent."""
        values = super().to_internal_value(data)
        return {name: value for name, value in values.items() if value is not None}


class Checked(serializers.CharField):
    """A text that a rule of the contract brings into its normal form."""

    def __init__(self, check: Callable[[str], str], **options: Any) -> None:
        super().__init__(**{"allow_blank": True, "max_length": 255, **options})
        self.check = check

    def to_internal_value(self, data: Any) -> str:
        try:
            return self.check(super().to_internal_value(data))
        except ValueError as exc:
            raise serializers.ValidationError(str(exc)) from None


class Content(serializers.CharField):
    """A file in Base64."""

    def to_internal_value(self, data: Any) -> bytes:
        try:
            content = base64.b64decode(super().to_internal_value(data), validate=True)
        except binascii.Error:
            raise serializers.ValidationError("This is no Base64.") from None
        if len(content) > rules.DOCUMENT_MAX_BYTES:
            raise serializers.ValidationError("The file is too large.")
        return content


def text(limit: int = 255) -> serializers.CharField:
    """Return a field of text that may be blank."""
    return serializers.CharField(max_length=limit, allow_blank=True)


class AddressSerializer(CamelCase, serializers.Serializer):
    """A postal address."""

    line1 = text()
    line2 = text()
    city = text(30)
    state = Checked(rules.region)
    postal_code = text(16)
    country = Checked(rules.country)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return check_address(attrs)


class PersonSerializer(CamelCase, serializers.ModelSerializer):
    """What the applicant and the other owners have in common."""

    email = serializers.EmailField(max_length=254)
    phone_number = Checked(rules.phone_number)
    ssn = Checked(rules.ssn)
    id_country = Checked(rules.country)
    ownership_percent = serializers.DecimalField(
        max_digits=None, decimal_places=None, min_value=Decimal(0), max_value=Decimal(100)
    )
    is_control_person = serializers.BooleanField()

    def validate_email(self, email: str) -> str:
        return email.lower()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        try:
            if attrs.get("birth_date"):
                rules.birth_date(attrs["birth_date"])
        except ValueError as exc:
            raise serializers.ValidationError({"birthDate": str(exc)}) from None
        if attrs.get("ownership_percent") is not None:
            attrs["ownership_percent"] = rules.percent(attrs["ownership_percent"])
        return attrs


class OwnerSerializer(PersonSerializer):
    """An owner besides the applicant."""

    role = serializers.ChoiceField(rules.OWNER_ROLES)
    address = AddressSerializer()
    needed = frozenset()

    class Meta:
        model = Owner
        fields = [*PERSON, "role", "address"]


class AnswerSerializer(CamelCase, serializers.Serializer):
    """An answered question."""

    question = text()
    answer = text()
    question_id = text()


class DocumentSerializer(CamelCase, serializers.ModelSerializer):
    """A document with its content."""

    content = Content()
    llc_file_type = serializers.ChoiceField(rules.FILE_TYPES)
    needed = frozenset({"content", "content_type", "file_name"})

    class Meta:
        model = Document
        fields = ["content", "content_type", "file_name", "llc_file_type"]


class LeadSerializer(PersonSerializer):
    """What a partner may send about an applicant and the business."""

    state = Checked(rules.region)
    country = Checked(rules.country)
    ein = Checked(rules.ein)
    business_address = AddressSerializer()
    mailing_address = AddressSerializer()
    business_type = serializers.ChoiceField(rules.BUSINESS_TYPES)
    incorporation_state = Checked(rules.state)
    duns = Checked(rules.duns)
    naics_code = Checked(rules.naics_code)
    details = serializers.DictField(child=text(rules.METADATA_VALUE_MAX))
    edd_answers = AnswerSerializer(many=True, max_length=rules.ANSWERS_MAX)
    owners = OwnerSerializer(many=True, max_length=rules.OWNERS_MAX)
    documents = DocumentSerializer(many=True, max_length=rules.DOCUMENTS_MAX)
    spelled = {"documents": "documentDataList"}

    class Meta:
        model = Lead
        fields = [*PERSON, *ADDRESS, *BUSINESS, "owners", "documents"]

    def validate_metadata(self, sent: dict[str, str]) -> dict[str, str]:
        longest = max(map(len, sent), default=0)
        if len(sent) > rules.METADATA_KEYS_MAX or longest > rules.METADATA_KEY_MAX:
            raise serializers.ValidationError("Too many keys, or too long ones.")
        return sent

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = check_address(super().validate(attrs))
        owners = [(one.get("email", ""), one.get("ownership_percent")) for one in owners_of(attrs)]
        try:
            rules.check_owners(attrs["email"], attrs.get("ownership_percent"), owners)
        except ValueError as exc:
            raise serializers.ValidationError({"uboList": str(exc)}) from None
        return attrs

    def create(self, validated_data: dict[str, Any]) -> Any:
        apart = {"email", "owners", "documents", "partner"}
        values = {name: value for name, value in validated_data.items() if name not in apart}
        return django_records.create(
            validated_data["partner"],
            validated_data["email"],
            values,
            owners_of(validated_data),
            validated_data.get("documents", []),
        )

    def update(self, instance: Any, validated_data: dict[str, Any]) -> Any:
        apart = {"email", "owners", "documents", "partner"}
        values = {name: value for name, value in validated_data.items() if name not in apart}
        partner, owners = validated_data["partner"], owners_of(validated_data)
        return django_records.update(partner, instance, values, owners)


def check_address(attrs: dict[str, Any]) -> dict[str, Any]:
    """Check state and postal code by the country. Raises: ValidationError."""
    try:
        rules.check_address(*(attrs.get(name, "") for name in ("state", "postal_code", "country")))
    except ValueError as exc:
        raise serializers.ValidationError({"postalCode": str(exc)}) from None
    return attrs


def owners_of(attrs: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the owners that were sent."""
    return attrs.get("owners", [])
