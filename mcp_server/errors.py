"""Errors of tools, as assistants see them."""

from django.db.models import TextChoices


class ErrorCode(TextChoices):
    """The reason why a call was refused; each code has its HTTP status.

    Source: assistant-tools specification, section 7; the statuses are ours (docs/spec-gaps.md).
    """

    AUTHENTICATION_REQUIRED = "AUTHENTICATION_REQUIRED", "Not signed in"
    ACCESS_DENIED = "ACCESS_DENIED", "Refused"
    INVALID_PARAMETER = "INVALID_PARAMETER", "Asked wrongly"
    NOT_FOUND = "NOT_FOUND", "Not found"
    RATE_LIMITED = "RATE_LIMITED", "Too many calls"
    INTERNAL_ERROR = "INTERNAL_ERROR", "Failed"

    @property
    def http_status(self) -> int:
        return HTTP_STATUSES[self]


HTTP_STATUSES = {
    ErrorCode.AUTHENTICATION_REQUIRED: 401,
    ErrorCode.ACCESS_DENIED: 403,
    ErrorCode.INVALID_PARAMETER: 400,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.INTERNAL_ERROR: 500,
}


class ToolError(Exception):
    """A refusal of a tool call; `message` tells the assistant how to correct it."""

    def __init__(self, code: ErrorCode, message: str, **details: object) -> None:
        self.code = code
        self.message = message
        self.details = details
        super().__init__(message)

    def as_json(self) -> dict[str, dict[str, object]]:
        """Return the error as the specification's section 7 writes it."""
        status = self.code.http_status
        return {
            "error": {
                "code": self.code.value,
                "message": self.message,
                "httpStatus": status,
                **self.details,
            }
        }


def invalid(parameter: str, expectation: str) -> ToolError:
    """Return the refusal of an argument, with its name and the allowed values."""
    return ToolError(ErrorCode.INVALID_PARAMETER, f"{parameter}: {expectation}")


def denied(message: str) -> ToolError:
    """Return the refusal of data; its text must not tell whether the named business exists."""
    return ToolError(ErrorCode.ACCESS_DENIED, message)


def not_found(message: str) -> ToolError:
    """Return the error for an object that is not among the caller's own."""
    return ToolError(ErrorCode.NOT_FOUND, message)
