"""Operations that tell what is stored: changes of records, and the kinds of records."""

from rest_framework.request import Request
from rest_framework.response import Response

from banking.feed import reading
from banking.feed.registry import KINDS
from foundation.anchoring.committed_ids import StillWriting
from onboarding.api.bank import representations as out
from onboarding.api.bank.base import AFTER, LIMIT, MAX_CHANGES, TAG, BankView, read_number
from onboarding.api.partner_view import PermissionMissing
from onboarding.api.schema import operation
from onboarding.errors import ErrorCode, Refused


class ChangesBusy(Refused):
    """A large batch is being written; the changes can be read after it."""

    code = ErrorCode.SERVICE_UNAVAILABLE


class ChangesView(BankView):
    """Operation that lists changes of records."""

    @operation(
        "listChanges",
        responses={200: out.ChangeListSerializer},
        parameters=[AFTER, LIMIT],
        errors=[ErrorCode.VALUE_OUT_OF_RANGE],
        tag=TAG,
    )
    def get(self, request: Request) -> Response:
        """List what was created, updated and removed, the oldest first, of the kinds of the key.

        A client that reads on from `nextAfter` misses no change.
        """
        after = read_number(request, "after", least=0, most=2**63 - 1, default=0)
        size = read_number(request, "limit", least=1, most=MAX_CHANGES, default=100)
        kinds = [name for name in KINDS if request.auth.allows("read", name)]
        if not kinds:
            raise PermissionMissing(permission="*:read")
        try:
            page = reading.read_changes(after=after, size=size, kinds=kinds)
        except StillWriting:
            raise ChangesBusy from None
        return Response(out.ChangeListSerializer(page).data)


class KindsView(BankView):
    """Operation that lists the kinds of records."""

    @operation("listKinds", responses={200: out.KindListSerializer}, tag=TAG)
    def get(self, request: Request) -> Response:
        """List the kinds of records, with the JSON Schema of their data."""
        kinds = [
            {"name": name, "shows": kind.shows, "schema": reading.json_schema(name)}
            for name, kind in sorted(KINDS.items())
        ]
        return Response({"kinds": kinds})
