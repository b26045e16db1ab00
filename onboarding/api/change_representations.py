"""The representation of a requested change of a customer."""

from rest_framework import serializers

from onboarding.api.serialization import Representation, Timestamp
from onboarding.choices import ChangeDenialReason, ChangeStatus, Role


class CustomerChangeRepresentation(Representation):
    """A requested change, without the values."""

    change_id = serializers.UUIDField(source="external_id")
    customer_id = serializers.UUIDField(source="customer.lead.external_id")
    status = serializers.ChoiceField(ChangeStatus.choices, source="change_status")
    changed_fields = serializers.ListField(
        child=serializers.CharField(), source="changed", help_text="Names as in the request."
    )
    document_ids = serializers.ListField(child=serializers.UUIDField())
    requested_by = serializers.ChoiceField(Role.choices, source="opened_as")
    denial_reason = serializers.ChoiceField(
        ChangeDenialReason.choices,
        source="published_denial_reason",
        allow_null=True,
        help_text="Null if it was not denied.",
    )
    created_at = Timestamp(source="opened_at")
    decided_at = Timestamp(source="closed_at", allow_null=True, help_text="Null before.")
