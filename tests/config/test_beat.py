"""Beat: how ticks are sent."""

from celery.beat import Scheduler as Celerys

from config import beat


def test_no_tick_is_sent_where_nobody_reads(monkeypatch):
    sent, waiting = [], [0, beat.MAX_WAITING - 1, beat.MAX_WAITING, 0]
    monkeypatch.setattr(
        Celerys, "apply_entry", lambda _self, entry, producer=None: sent.append(entry)
    )
    monkeypatch.setattr(beat.Scheduler, "_waiting", lambda _self: waiting.pop(0))
    scheduler = beat.Scheduler(beat.app)

    for tick in range(4):
        scheduler.apply_entry(tick)

    assert sent == [0, 1, 3]


def test_ticks_go_to_both_sweeps_each_second():
    scheduler = beat.Scheduler(beat.app)

    ticks = {entry.task: entry.schedule.seconds for entry in scheduler.schedule.values()}

    assert ticks["banking.tasks.sweep"] == ticks["onboarding.tasks.sweep"] == 1


def test_a_broker_that_is_away_counts_as_empty(monkeypatch):
    def refuse(**_):
        raise ConnectionRefusedError

    monkeypatch.setattr(beat.app, "connection_for_write", refuse)

    assert beat.Scheduler(beat.app)._waiting() == 0  # noqa: SLF001 - what each tick asks
