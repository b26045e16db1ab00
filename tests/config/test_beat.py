"""Beat: how ticks are sent."""

import pytest
from celery.beat import Scheduler as Celerys

from config import beat


class Entry:
    kwargs: dict = {}


@pytest.fixture
def sent(monkeypatch):
    """The arguments of ticks that were sent."""
    found = []
    monkeypatch.setattr(
        Celerys, "apply_entry", lambda _self, entry, producer=None: found.append(entry.kwargs)
    )
    return found


def tick(monkeypatch, *counts):
    monkeypatch.setattr(beat.Scheduler, "_waiting", lambda _self: counts[0])
    scheduler, entry = beat.Scheduler(beat.app), Entry()
    for waiting in counts:
        monkeypatch.setattr(beat.Scheduler, "_waiting", lambda _self, waiting=waiting: waiting)
        scheduler.apply_entry(entry)


def test_no_tick_is_sent_where_nobody_reads(sent, monkeypatch):
    counts = (0, beat.MAX_WAITING - 1, beat.MAX_WAITING, 0)
    tick(monkeypatch, *({"sweeps": count} for count in counts))

    assert sent == [{}, {}, {}]


def test_a_tick_names_the_kinds_whose_queue_is_full_as_long_as_it_is(sent, monkeypatch):
    tick(monkeypatch, {"sweeps": 0, "mails": beat.MAX_WAITING}, {"sweeps": 0, "mails": 3})

    assert sent == [{"full": ["mails"]}, {}]


def test_ticks_go_to_both_sweeps_each_second():
    scheduler = beat.Scheduler(beat.app)

    ticks = {entry.task: entry.schedule.seconds for entry in scheduler.schedule.values()}

    assert ticks["banking.tasks.sweep"] == ticks["onboarding.tasks.sweep"] == 1


def test_a_broker_that_is_away_counts_as_empty(monkeypatch):
    def refuse(**_):
        raise ConnectionRefusedError

    monkeypatch.setattr(beat.app, "connection_for_write", refuse)

    assert beat.Scheduler(beat.app)._waiting() == {}  # noqa: SLF001 - what each tick asks
