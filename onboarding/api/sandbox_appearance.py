"""Sandbox appearance: partners try origins and looks of the application without the bank."""

from dataclasses import replace
from typing import Any

from django.core.exceptions import ValidationError
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding.api import examples
from onboarding.api.error_representations import WarningSerializer
from onboarding.api.partner_view import PartnerView
from onboarding.api.request_serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    ListField,
    NumberField,
    RequestSerializer,
)
from onboarding.api.sandbox import SIMULATE, TAG
from onboarding.api.schema import operation
from onboarding.api.serialization import Representation
from onboarding.api.views import warnings
from onboarding.api.writes import Sent, write
from onboarding.choices import Font
from onboarding.errors import ErrorCode, Fault, Invalid
from onboarding.models import Partner
from onboarding.names import camel
from onboarding.services.documents.file_store import FileStore
from onboarding.services.partners import appearance
from onboarding.services.partners.appearance import NAME_MAX, ORIGINS_MAX, RETURN_URL_MAX
from onboarding.themes import RADIUS_MAX

EMPTY = appearance.Appearance()


class AppearanceSerializer(RequestSerializer):
    """Values to change. Absent fields keep their value; null or an empty value removes it."""

    display_name = CharField(limit=NAME_MAX, help_text="What applicants read.")
    brand_color = CharField(limit=7, help_text="#rrggbb, on which white text can be read.")
    font = ChoiceField(Font.choices)
    corner_radius = NumberField(most=RADIUS_MAX, help_text="Of fields and buttons, in pixels.")
    hides_header = BooleanField(help_text="In your pages: no name, no logo, a plain background.")
    support_email = CharField(help_text="Applicants can send questions here.")
    return_url = CharField(limit=RETURN_URL_MAX, help_text="Where applicants go at the end.")
    embed_origins = ListField(
        CharField(allow_null=False),
        limit=ORIGINS_MAX,
        help_text="The origins whose pages can show the application.",
    )


class AppearanceRepresentation(Representation):
    """How applicants see the partner; empty values and null are not set."""

    display_name = serializers.CharField()
    brand_color = serializers.CharField()
    font = serializers.ChoiceField(Font.choices, allow_blank=True)
    corner_radius = serializers.IntegerField(allow_null=True)
    hides_header = serializers.BooleanField()
    support_email = serializers.CharField()
    return_url = serializers.CharField()
    embed_origins = serializers.ListField(child=serializers.CharField())


class AppearanceUpdatedSerializer(AppearanceRepresentation):
    """How applicants see the partner from now on, and warnings about unknown fields."""

    warnings = WarningSerializer(many=True)


APPEARANCE = AppearanceSerializer()
SHOWN = AppearanceRepresentation()


class AppearanceView(PartnerView):
    """Operations on the partner's appearance."""

    permissions = {"GET": SIMULATE, "POST": SIMULATE}

    @operation(
        "getAppearance",
        responses={200: AppearanceRepresentation},
        errors=[ErrorCode.RESOURCE_NOT_FOUND],
        tag=TAG,
    )
    def get(self, request: Request) -> Response:
        """Get the look of your application, and the origins whose pages can show it.

        In production the bank's staff change them. There is no such path in production.
        """
        return Response(_shown(Partner.objects.get(pk=request.user.pk)))

    @operation(
        "updateAppearance",
        request=AppearanceSerializer,
        responses={200: AppearanceUpdatedSerializer},
        errors=[
            ErrorCode.RESOURCE_NOT_FOUND,
            ErrorCode.VALUE_NOT_ALLOWED,
            ErrorCode.VALUE_TOO_LONG,
            ErrorCode.VALUE_OUT_OF_RANGE,
            ErrorCode.APPEARANCE_REJECTED,
        ],
        is_idempotent=True,
        tag=TAG,
        examples=[examples.APPEARANCE],
    )
    @write(APPEARANCE)
    def post(self, request: Request, sent: Sent, _store: FileStore) -> Response:
        """Change the look of your application, and the origins whose pages can show it.

        There is no such path in production.
        """
        partner = Partner.objects.select_for_update().get(pk=request.user.pk)
        change(partner, sent.values)
        partner.refresh_from_db()
        return Response({**_shown(partner), "warnings": warnings(sent.unknown)})


def change(partner: Partner, values: dict[str, Any]) -> None:
    """Save the sent values of a partner's appearance; None removes a value.

    Raises: Invalid, with each value that is rejected.
    """
    present = appearance.Appearance.of(partner)
    given = {
        name: getattr(EMPTY, name) if value is None else value for name, value in values.items()
    }
    if given.get("corner_radius") is not None:
        given["corner_radius"] = int(given["corner_radius"])
    try:
        appearance.dress(partner, replace(present, **given))
    except ValidationError as exc:
        raise Invalid(
            Fault(ErrorCode.APPEARANCE_REJECTED, (camel(name),), {"reason": " ".join(said)})
            for name, said in exc.message_dict.items()
        ) from None


def _shown(partner: Partner) -> dict[str, Any]:
    return dict(SHOWN.to_representation(appearance.Appearance.of(partner)))
