"""A receiver that stands where requests leave the house, and runners that send to it."""

import json

from onboarding.services.webhooks import deliveries
from onboarding.services.webhooks.posting import Outcome
from tests.factories import NOON

OK = Outcome(status_code=204, duration_ms=7)
BROKEN = Outcome(status_code=500, answer="no", duration_ms=9, fault="answered 500")


class Receiver:
    """Answers what it is told to, and remembers what came."""

    def __init__(self):
        self.came, self.answers, self.answer = [], [], OK
        self.webhooks = []

    def post(self, webhook, publication, *, at, **_options):
        self.came.append(json.loads(publication.body))
        self.webhooks.append(webhook.pk)
        return self.answers.pop(0) if self.answers else self.answer

    @property
    def sequences(self):
        return [body["sequence"] for body in self.came]

    @property
    def ids(self):
        return [body["id"] for body in self.came]


def run(webhook, *, at=NOON):
    """Send what is due as runners do, and return how many POSTs that were."""
    return deliveries.deliver_due(webhook.pk, clock=lambda: at, until=lambda: False)
