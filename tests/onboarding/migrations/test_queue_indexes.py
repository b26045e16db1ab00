"""What was there before there were clocks of reviews."""

import importlib
from datetime import timedelta

from django.apps import apps

from onboarding.choices import ApplicationStatus as Status
from tests.factories import NOON

MIGRATION = importlib.import_module("onboarding.migrations.0013_queue_indexes")


def test_reviews_under_way_are_promised_and_decisions_dated(make_application):
    reviewed = make_application(status=Status.IN_REVIEW)
    denied = make_application(status=Status.DENIED)
    waiting = make_application(status=Status.SUBMITTED)

    MIGRATION.begin_clocks(apps, None)

    for application in (reviewed, denied, waiting):
        application.refresh_from_db()
    assert reviewed.review_began_at == NOON
    assert reviewed.due_at == NOON + timedelta(hours=2)
    assert denied.decided_at == NOON
    assert (waiting.due_at, waiting.decided_at) == (None, None)
