"""Operations on one record: send it, read it."""

from django.utils import timezone
from pydantic_core import to_json
from rest_framework.request import Request
from rest_framework.response import Response

from banking.choices import FeedResult, FeedSource
from banking.feed import batches, reading
from banking.feed.lines import Outcome, RawLine, Terms
from banking.models import FeedBatch
from onboarding.api.bank import representations as out
from onboarding.api.bank.base import EXTERNAL_ID, KIND, TAG, BankView, find_kind
from onboarding.api.bank.bodies import read_line
from onboarding.api.parsers import as_object, loads
from onboarding.api.schema import operation
from onboarding.errors import ErrorCode, Fault, Invalid, Refused


class RecordNotFound(Refused):
    """There is no record of the kind with this id."""

    code = ErrorCode.RECORD_NOT_FOUND


class RecordStale(Refused):
    """A newer version of the record is stored."""

    code = ErrorCode.RECORD_STALE


class RecordView(BankView):
    """Operations on a record of one kind, by the sender's id."""

    @operation(
        "putRecord",
        request=out.RecordLineSerializer,
        responses={201: out.OutcomeSerializer, 200: out.OutcomeSerializer},
        parameters=[KIND, EXTERNAL_ID],
        errors=[
            ErrorCode.RECORD_KIND_UNKNOWN,
            ErrorCode.RECORD_STALE,
            ErrorCode.RECORD_REFUSED,
        ],
        tag=TAG,
    )
    def put(self, request: Request, kind: str, external_id: str) -> Response:
        """Store a record, or remove it.

        The body is a line of a batch without `kind` and `externalId`. Sent again it is `unchanged`.
        """
        find_kind(kind)
        self.require("write", kind)
        line = as_object(loads(read_line(request))) | {"kind": kind, "externalId": external_id}
        batch = FeedBatch.objects.create(
            source=FeedSource.API,
            sender=request.auth.access_key,
            kind=kind,
            started_at=timezone.now(),
        )
        raw = RawLine(1, to_json(line), 0)
        outcomes = batches.run([raw], batch=batch, terms=Terms(kind=kind), clock=timezone.now)
        (outcome,) = outcomes
        _raise_refusal(outcome)
        is_new = outcome.result == FeedResult.CREATED
        return Response(outcome.as_json(), status=201 if is_new else 200)

    @operation(
        "getRecord",
        responses={200: out.RecordSerializer},
        parameters=[KIND, EXTERNAL_ID],
        errors=[ErrorCode.RECORD_KIND_UNKNOWN, ErrorCode.RECORD_NOT_FOUND],
        tag=TAG,
    )
    def get(self, request: Request, kind: str, external_id: str) -> Response:
        """Return a record as it is stored; of a removed record its last data."""
        found = find_kind(kind)
        self.require("read", kind)
        record = reading.find_record(found, external_id)
        if record is None:
            raise RecordNotFound
        return Response(record.as_json())


def _raise_refusal(outcome: Outcome) -> None:
    """Raise an exception if the outcome says that the record was not stored.

    Raises: RecordStale if a newer version is stored; Invalid, with each fault of the record.
    """
    if outcome.result == FeedResult.STALE:
        raise RecordStale
    if outcome.faults:
        raise Invalid(
            [
                Fault(
                    ErrorCode.RECORD_REFUSED,
                    tuple(fault.field.split("/")[1:]),
                    {"reason": fault.message},
                )
                for fault in outcome.faults
            ]
        )
