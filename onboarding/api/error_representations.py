"""Responses about errors of requests, and warnings."""

from rest_framework import serializers

from onboarding.api.serialization import Representation
from onboarding.choices import WarningCode


class WarningSerializer(Representation):
    """A warning about a value that was not saved, although the request succeeded."""

    code = serializers.ChoiceField(WarningCode.choices)
    field = serializers.CharField(help_text="JSON pointer into the request.")
    message = serializers.CharField()


class ErrorItemSerializer(Representation):
    """One error of a request."""

    code = serializers.IntegerField(help_text="Never changes its meaning.")
    code_name = serializers.CharField()
    message = serializers.CharField(help_text="In English.")
    localized_message = serializers.CharField(help_text="In the language asked for.")
    field = serializers.CharField(
        allow_null=True,
        help_text="JSON pointer into the body, or the parameter's name after a slash; null, "
        "and absent from XML, where the whole request is at fault.",
    )


class ErrorSerializer(Representation):
    """The body of every error response, with all errors of the request."""

    http_status = serializers.IntegerField()
    reason_phrase = serializers.CharField()
    errors = ErrorItemSerializer(many=True)
    request_id = serializers.CharField()
