"""Operations on batches: send lines of records, and read the result of each line."""

from datetime import timedelta

from django.http import StreamingHttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from banking.choices import FeedSource
from banking.feed import batches
from banking.feed.lines import Terms, read_lines
from banking.models import FeedBatch
from foundation.external_ids import parse
from onboarding.api.bank import representations as out
from onboarding.api.bank.base import (
    ATOMIC,
    BATCH_ID,
    KIND,
    MAX_MINUTES,
    TAG,
    WAIT_MINUTES,
    BankView,
    find_kind,
    read_flag,
    read_number,
)
from onboarding.api.bank.bodies import NDJSON, open_lines
from onboarding.api.schema import operation
from onboarding.errors import ErrorCode, Refused

MIXED = "records"
NEWEST = 100


class BatchNotFound(Refused):
    """There is no batch of this key with this id."""

    code = ErrorCode.BATCH_NOT_FOUND


class SendBatchView(BankView):
    """Operation that stores a batch of records of one kind, or of any kinds at `records:batch`."""

    @operation(
        "sendBatch",
        request={NDJSON: out.RecordLineSerializer},
        responses={200: out.OutcomeSerializer},
        parameters=[KIND, ATOMIC, WAIT_MINUTES],
        errors=[
            ErrorCode.RECORD_KIND_UNKNOWN,
            ErrorCode.BATCH_NOT_NDJSON,
            ErrorCode.VALUE_OUT_OF_RANGE,
        ],
        tag=TAG,
    )
    def post(self, request: Request, kind: str) -> StreamingHttpResponse:
        """Store many records: a line of JSON each, answered by a line each, in their order.

        Answers are sent while later lines are read. Good lines are stored although others are
        refused. A batch that was cut off is sent again: what it has stored is `unchanged`. At the
        path `records:batch` each line names its `kind`.
        """
        if kind != MIXED:
            find_kind(kind)
            self.require("write", kind)
        key = request.auth
        wait = read_number(request, "waitMinutes", least=0, most=MAX_MINUTES, default=0)
        terms = Terms(
            kind="" if kind == MIXED else kind,
            permits=lambda name: key.allows("write", name),
            wait=timedelta(minutes=wait) or None,
            is_atomic=read_flag(request, "atomic"),
        )
        lines = read_lines(open_lines(request, is_atomic=terms.is_atomic))
        batch = FeedBatch.objects.create(
            source=FeedSource.API,
            sender=key.access_key,
            kind=terms.kind,
            is_atomic=terms.is_atomic,
            started_at=timezone.now(),
        )
        chunks = batches.run_chunks(lines, batch=batch, terms=terms, clock=timezone.now)
        pieces = map(batches.serialize, chunks)
        response = StreamingHttpResponse(pieces, content_type=NDJSON)
        response["X-Batch-Id"] = str(batch.external_id)
        return response


class BatchesView(BankView):
    """Operation that lists the newest batches that the caller's key sent."""

    @operation("listBatches", responses={200: out.BatchListSerializer}, tag=TAG)
    def get(self, request: Request) -> Response:
        """List the newest batches of this key."""
        found = FeedBatch.objects.filter(sender=request.auth.access_key)
        return Response(out.BatchListSerializer({"batches": found[:NEWEST]}).data)


class BatchView(BankView):
    """Operation that reads a batch."""

    @operation(
        "getBatch",
        responses={200: out.BatchSerializer},
        parameters=[BATCH_ID],
        errors=[ErrorCode.BATCH_NOT_FOUND],
        tag=TAG,
    )
    def get(self, request: Request, batch_id: str) -> Response:
        """Return a batch of this key, with the number of its lines by result."""
        return Response(out.BatchSerializer(_find(request, batch_id)).data)


class ResultsView(BankView):
    """Operation that reads the results of a batch."""

    @operation(
        "getBatchResults",
        responses={200: out.OutcomeSerializer},
        parameters=[BATCH_ID],
        errors=[ErrorCode.BATCH_NOT_FOUND],
        tag=TAG,
    )
    def get(self, request: Request, batch_id: str) -> StreamingHttpResponse:
        """Return the result of each line of a batch of this key, as it was answered; 30 days."""
        batch = _find(request, batch_id)
        return StreamingHttpResponse(batches.read_results(batch), content_type=NDJSON)


def _find(request: Request, batch_id: str) -> FeedBatch:
    """Return a batch that the caller's key sent, by its external id. Raises: BatchNotFound."""
    mine = FeedBatch.objects.filter(sender=request.auth.access_key)
    if batch := mine.filter(external_id=parse(batch_id)).first():
        return batch
    raise BatchNotFound
