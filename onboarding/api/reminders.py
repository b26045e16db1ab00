"""Reminders to applicants: partners switch them on and off for their own applicants."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding.api import examples
from onboarding.api.error_representations import WarningSerializer
from onboarding.api.partner_view import PartnerView
from onboarding.api.request_serializers import BooleanField, RequestSerializer
from onboarding.api.schema import operation
from onboarding.api.serialization import Representation
from onboarding.api.views import READ, WRITE, warnings
from onboarding.api.writes import Sent, write
from onboarding.models import Partner
from onboarding.services.documents.file_store import FileStore


class RemindersSerializer(RequestSerializer):
    """Whether your applicants are reminded by email to submit their application."""

    is_on = BooleanField(help_text="False: no reminders. Without it, nothing changes.")


class RemindersRepresentation(Representation):
    """Whether applicants are reminded by email of an application that they have not submitted."""

    is_on = serializers.BooleanField()


class RemindersUpdatedSerializer(RemindersRepresentation):
    """Whether applicants are reminded from now on, and warnings about unknown fields."""

    warnings = WarningSerializer(many=True)


REMINDERS = RemindersSerializer()


class RemindersView(PartnerView):
    """Operations on the reminders to the partner's applicants."""

    permissions = {"GET": READ, "POST": WRITE}

    @operation("getReminders", responses={200: RemindersRepresentation}, errors=[])
    def get(self, request: Request) -> Response:
        """Get whether your applicants are reminded to submit their application."""
        return Response(_shown(request.user))

    @operation(
        "updateReminders",
        request=RemindersSerializer,
        responses={200: RemindersUpdatedSerializer},
        errors=[],
        is_idempotent=True,
        examples=[examples.REMINDERS],
    )
    @write(REMINDERS)
    def post(self, request: Request, sent: Sent, _store: FileStore) -> Response:
        """Switch the reminders to your applicants on or off, and those to owners who are asked.

        The bank can do the same. Each applicant can switch off their own reminders, and mails about
        an application that was submitted are sent in any case.
        """
        partner = Partner.objects.get(pk=request.user.pk)
        if (is_on := sent.values.get("is_on")) is not None:
            partner.sends_nudges = is_on
            partner.save(update_fields=["sends_nudges"])
        return Response({**_shown(partner), "warnings": warnings(sent.unknown)})


def _shown(partner: Partner) -> dict[str, Any]:
    return {"isOn": partner.sends_nudges}
