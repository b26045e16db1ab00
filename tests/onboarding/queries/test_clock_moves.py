"""Reads of the moves of the sandbox's clock."""

import pytest
from uuid_utils.compat import uuid7

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import ClockMove
from onboarding.queries.clock_moves import ClockMoveNotFound, get_clock_move, get_progress
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import APPLICANT, CLOCK
from tests.factories import NOON, later, make_application, make_lead, make_partner


@pytest.fixture
def partner(db):
    return make_partner()


def make_move(partner, **values):
    return ClockMove.objects.create(
        partner=partner,
        seconds=60,
        leads_total=0,
        deliveries_due=0,
        mails_due=0,
        documents_due=0,
        created_at=NOON,
        **values,
    )


def expire(partner, *, at):
    application = make_application(make_lead(partner))
    lifecycle.move(application, Status.EXPIRED, by=CLOCK, at=at)
    return application


def test_a_move_is_found_by_its_partner_alone(partner):
    move = make_move(partner)

    assert get_clock_move(partner=partner, move_id=str(move.external_id)) == move
    for other, move_id in [
        (make_partner(), str(move.external_id)),
        (partner, str(uuid7())),
        (partner, "nonsense"),
    ]:
        with pytest.raises(ClockMoveNotFound):
            get_clock_move(partner=other, move_id=move_id)


def test_what_the_clock_ended_during_the_move_is_told(partner):
    expire(partner, at=later(seconds=-1))
    expire(make_partner(), at=NOON)
    ended = [expire(partner, at=at) for at in (NOON, later(seconds=1))]
    expire(partner, at=later(seconds=2))
    withdrawn = make_application(make_lead(partner))
    lifecycle.move(withdrawn, Status.WITHDRAWN, by=APPLICANT, at=NOON)
    move = make_move(partner, finished_at=later(seconds=1))

    progress = get_progress(move)

    assert [event.application for event in progress.ended] == ended
    assert (progress.ended_total, progress.reminded) == (2, 0)


def test_progress_takes_three_statements(partner, django_assert_num_queries):
    for _ in range(2):
        expire(partner, at=NOON)
    move = make_move(partner)

    with django_assert_num_queries(3):
        progress = get_progress(move)
        named = {event.lead.external_id for event in progress.ended}
        named |= {event.application.external_id for event in progress.ended}

    assert len(named) == 4
