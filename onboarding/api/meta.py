"""API metadata: the operations that list errors, statuses and document rules."""

from typing import Any

from django.utils.html import escape
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banking.choices import BusinessType
from onboarding.api.partner_view import ApiView
from onboarding.api.schema import operation
from onboarding.api.serialization import Representation
from onboarding.choices import ApplicationStatus, LlcFileType, Role, StatusGroup
from onboarding.errors import ErrorCode, Refused
from onboarding.queries.document_rules import list_document_rules


class CatalogueEntrySerializer(Representation):
    """One error that an operation may answer; braces in a text stand for its parameters."""

    code = serializers.IntegerField()
    code_name = serializers.CharField()
    http_status = serializers.IntegerField()
    message = serializers.CharField()
    localized_messages = serializers.DictField(child=serializers.CharField())


class CatalogueSerializer(Representation):
    """The catalogue of all errors."""

    errors = CatalogueEntrySerializer(many=True)


class MoveSerializer(Representation):
    """A status that may follow, and the roles that may move an application to it."""

    to = serializers.ChoiceField(ApplicationStatus.choices)
    by = serializers.ListField(child=serializers.ChoiceField(Role.choices))


class LifecycleStatusSerializer(Representation):
    """A status, and the statuses that may follow it."""

    status = serializers.ChoiceField(ApplicationStatus.choices)
    group = serializers.ChoiceField(StatusGroup.choices)
    description = serializers.CharField()
    next = serializers.ListField(child=serializers.ChoiceField(ApplicationStatus.choices))
    moves = MoveSerializer(many=True)


class LifecycleSerializer(Representation):
    """The state machine of an application."""

    statuses = LifecycleStatusSerializer(many=True)


class DocumentRuleSerializer(Representation):
    """A document that a business of this type supplies, of one of the accepted types."""

    business_type = serializers.ChoiceField(BusinessType.choices)
    code = serializers.CharField()
    accepted_types = serializers.ListField(child=serializers.ChoiceField(LlcFileType.choices))
    message = serializers.CharField()


class DocumentRulesSerializer(Representation):
    """The documents that businesses supply, by business type."""

    rules = DocumentRuleSerializer(many=True)


DOCUMENT_RULES = DocumentRuleSerializer(many=True)


def catalogue_table() -> str:
    """Return the error catalogue as a Markdown table."""
    rows = [
        f"| {code.number} | `{code.name}` | {code.http_status} | {escape(code.texts['en'])} |"
        for code in ErrorCode
    ]
    return "\n".join(["| code | codeName | httpStatus | message |", "|---|---|---|---|", *rows])


class MetaView(ApiView):
    """Base of operations whose response is the same for every caller and cacheable."""

    is_cacheable = True


class ErrorsView(MetaView):
    """Operation that lists the error catalogue."""

    @operation(
        "listErrors",
        responses={200: CatalogueSerializer},
        is_public=True,
        description=catalogue_table(),
    )
    def get(self, request: Request) -> Response:
        """List every error with its code, HTTP status and texts."""
        return Response({"errors": [catalogue_entry(code) for code in ErrorCode]})


class LifecycleView(MetaView):
    """Operation that lists the statuses of an application and their transitions."""

    @operation("getLifecycle", responses={200: LifecycleSerializer}, is_public=True)
    def get(self, request: Request) -> Response:
        """List the statuses of an application and the moves between them."""
        statuses = [
            {
                "status": status.value,
                "group": status.group.value,
                "description": status.label,
                "next": [target.value for target in ApplicationStatus if target in status.moves],
                "moves": [
                    {"to": target.value, "by": sorted(status.roles_moving_to(target))}
                    for target in ApplicationStatus
                    if target in status.moves
                ],
            }
            for status in ApplicationStatus
        ]
        return Response({"statuses": statuses})


class DocumentRulesView(MetaView):
    """Operation that lists the documents that a business supplies, by business type; public."""

    @operation(
        "listDocumentRules",
        responses={200: DocumentRulesSerializer},
        is_public=True,
    )
    def get(self, request: Request) -> Response:
        """List the documents that each business type shows."""
        rules = list_document_rules()
        return Response({"rules": DOCUMENT_RULES.to_representation(rules)})


class NowhereView(ApiView):
    """View of all paths without an operation: responds with RESOURCE_NOT_FOUND."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise NothingHere


class NothingHere(Refused):
    """The path has no operation."""

    code = ErrorCode.RESOURCE_NOT_FOUND


def catalogue_entry(code: ErrorCode) -> dict[str, Any]:
    """Return the catalogue entry of an error."""
    return {
        "code": code.number,
        "codeName": code.name,
        "httpStatus": code.http_status,
        "message": code.texts["en"],
        "localizedMessages": code.texts,
    }
