"""Publications: events as published to partners, in reading order."""

from django.db import models
from django.db.models import Q
from uuid_utils.compat import uuid7

from foundation.database.constraints import check
from foundation.tracing.causes import CausedModel
from onboarding.event_types import PUBLISHED, TEST_EVENT
from onboarding.models.events import Event
from onboarding.models.leads import Lead
from onboarding.models.partners import Partner

TYPES = [*sorted(event_type.value for event_type in PUBLISHED), TEST_EVENT]


class Publication(CausedModel):
    """A published event of a partner, or a test of a webhook, which has no event.

    Keys grow in the order of commits, so a reader that continues after a key misses no rows; within
    a lead they follow `sequence`. `body` is the exact JSON text sent to every webhook and, unless
    it is a test, shown by the API's list of events.
    """

    message_id = models.CharField(max_length=40, unique=True, editable=False)
    partner = models.ForeignKey(Partner, models.PROTECT, related_name="publications")
    lead = models.ForeignKey(Lead, models.PROTECT, null=True, related_name="publications")
    event = models.OneToOneField(Event, models.PROTECT, null=True, related_name="publication")
    type = models.CharField(max_length=40)
    body = models.TextField()
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            check("publication_type_known", Q(type__in=TYPES)),
            check(
                "publication_of_an_event_unless_test",
                Q(type=TEST_EVENT, event=None, lead=None)
                | (~Q(type=TEST_EVENT) & Q(event__isnull=False, lead__isnull=False)),
            ),
        ]
        indexes = [
            models.Index(name="publication_feed", fields=["partner", "id"]),
            models.Index(name="publication_partner_at", fields=["partner", "published_at"]),
        ]

    def __str__(self) -> str:
        return self.message_id


def new_message_id() -> str:
    """Return a message id for a publication that has no event."""
    return f"evt_{uuid7().hex}"
