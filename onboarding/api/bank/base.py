"""Base view and parameters of the record feed's operations."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from banking.feed.registry import KINDS, Kind
from onboarding.api.authentication import BankKeyAuthentication
from onboarding.api.partner_view import KeyedView, PermissionMissing
from onboarding.errors import ErrorCode, Fault, Invalid, Refused

TAG = "bank records"
MAX_MINUTES = 24 * 60
MAX_CHANGES = 1000
KIND = OpenApiParameter("kind", str, OpenApiParameter.PATH, description="A name of `…/kinds`.")
EXTERNAL_ID = OpenApiParameter(
    "external_id",
    str,
    OpenApiParameter.PATH,
    description="Your id of the record; of a record made here, the name that `changes` tells.",
)
BATCH_ID = OpenApiParameter(
    "batch_id", str, OpenApiParameter.PATH, description="The header `X-Batch-Id` of a batch."
)
ATOMIC = OpenApiParameter(
    "atomic", bool, default=False, description="`true` stores all lines or none; a limited number."
)
WAIT_MINUTES = OpenApiParameter(
    "waitMinutes",
    {"type": "integer", "minimum": 1, "maximum": MAX_MINUTES},
    description="Keep lines that refer to a record that is not there, until it comes.",
)
AFTER = OpenApiParameter(
    "after",
    {"type": "integer", "minimum": 0},
    description="A `changeId`; 0 is before all.",
)
LIMIT = OpenApiParameter(
    "limit",
    {"type": "integer", "minimum": 1, "maximum": MAX_CHANGES, "default": 100},
    description="How many a page has at most.",
)


class RecordKindUnknown(Refused):
    """There is no kind of record of this name."""

    code = ErrorCode.RECORD_KIND_UNKNOWN


class BankView(KeyedView):
    """Base of operations that need a key of a system of the bank."""

    authentication_classes = [BankKeyAuthentication]

    def require(self, action: str, kind: str) -> None:
        """Require that the caller's key may `read` or `write` records of a kind.

        Raises: PermissionMissing.
        """
        if not self.request.auth.allows(action, kind):
            raise PermissionMissing(permission=f"{kind}:{action}")


def find_kind(name: str) -> Kind[Any]:
    """Return a kind of record by its name. Raises: RecordKindUnknown."""
    if name not in KINDS:
        raise RecordKindUnknown
    return KINDS[name]


def read_number(request: Request, name: str, *, least: int, most: int, default: int) -> int:
    """Return a query parameter as a whole number, or `default` if it is absent.

    Raises: Invalid if it is not a number from `least` to `most`.
    """
    text = request.query_params.get(name, str(default))
    if text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most:
        return int(text)
    limits = {"en": f"a number from {least} to {most}", "es": f"un número de {least} a {most}"}
    raise Invalid([Fault(ErrorCode.VALUE_OUT_OF_RANGE, (name,), {"range": limits})])


def read_flag(request: Request, name: str) -> bool:
    """Return a query parameter as a boolean; False if it is absent.

    Raises: Invalid for other values than `true` and `false`.
    """
    text = request.query_params.get(name, "false")
    if text in {"true", "false"}:
        return text == "true"
    raise Invalid([Fault(ErrorCode.VALUE_NOT_ALLOWED, (name,), {"allowed": "true, false"})])
