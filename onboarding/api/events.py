"""Event feed: the published events of a partner, as webhooks deliver them."""

import orjson
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding.api import paging, schema
from onboarding.api import webhook_representations as out
from onboarding.api.partner_view import PartnerView, from_replica
from onboarding.api.schema import operation
from onboarding.api.webhooks import TAG
from onboarding.choices import Permission
from onboarding.errors import ErrorCode
from onboarding.queries.publications import read_feed


class EventsView(PartnerView):
    """Operation that lists the events of all leads of the partner."""

    permissions = {"GET": Permission.LEAD_READ}

    @operation(
        "listEvents",
        responses={200: out.EventListSerializer},
        parameters=schema.EVENT_LIST_PARAMETERS,
        errors=[
            ErrorCode.INVALID_FORMAT,
            ErrorCode.VALUE_OUT_OF_RANGE,
            ErrorCode.EVENT_NOT_FOUND,
            ErrorCode.EVENTS_GONE,
        ],
        tag=TAG,
    )
    @from_replica
    def get(self, request: Request) -> Response:
        """List the events of the last 30 days, the oldest first.

        Each is the body that webhooks are sent, byte for byte, and comes after every event that
        was shown before it: a client that reads on from `nextAfter` misses none.
        """
        sent, partner = request.query_params, request.user
        query = paging.read_list_query(sent, readers=paging.EVENTS, owner=f"{partner.pk}")
        feed = read_feed(partner=partner, at=timezone.now(), size=query.size, **query.filters)
        return Response(
            {
                "events": [orjson.Fragment(body) for body in feed.bodies],
                "nextAfter": feed.next_after,
                "hasMore": feed.has_more,
            }
        )
