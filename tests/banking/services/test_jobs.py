"""Jobs: who has one, until when, and what becomes of it."""

from datetime import UTC, datetime, timedelta
from itertools import chain

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from banking.models import Job
from banking.services import jobs
from foundation.files import PDF, Download
from foundation.jobs import registry
from foundation.jobs.registry import Incomplete, JobType, LeaseLost, job
from foundation.privacy.encrypted_files import UnreadableFile
from tests.factories import NOON, later

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
PAPER = Download(PDF, "report.pdf", b"%PDF-1.7 a report")
OTHER = Download(PDF, "report.pdf", b"%PDF-1.7 a report of another business")


class Clock:
    """A clock that tests move."""

    def __init__(self):
        self.now = NOON

    def __call__(self):
        return self.now

    def advance(self, **delta):
        self.now += timedelta(**delta)
        return self.now


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    """Only the kinds that a test declares."""
    monkeypatch.setattr(registry, "JOB_TYPES", kinds := {})
    monkeypatch.setattr(jobs, "JOB_TYPES", kinds)
    return kinds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def run(clock):
    """Do a job as the message of its attempt would have it done."""

    def run(row, attempt=0):
        jobs.run(row.pk, attempt=attempt, clock=clock)
        row.refresh_from_db()
        return row

    return run


def declare(act, name="work", **values):
    job(name, **values)(act)


def do_nothing(_work, *, at):
    return f"nothing at {at:%H:%M}"


def fail(_work, *, at):
    raise ValueError("of 123-45-6789")


def test_a_job_that_is_requested_waits():
    row = jobs.request("work", key="k", arguments={"a": 1}, at=NOON)

    assert (row.kind, row.key, row.arguments, row.business) == ("work", "k", {"a": 1}, None)
    assert (row.status, row.due_at, row.created_at) == ("QUEUED", NOON, NOON)


def test_an_open_job_is_returned_to_whoever_asks_for_the_same():
    first = jobs.request("work", key="k", at=NOON)

    assert jobs.request("work", key="k", at=later(minutes=1)) == first
    assert jobs.request("work", key="other", at=NOON) != first
    assert jobs.request("other", key="k", at=NOON) != first


def test_a_finished_job_is_not_returned(run):
    declare(do_nothing)
    first = run(jobs.request("work", at=NOON))

    assert jobs.request("work", at=NOON) != first


def test_of_many_who_ask_at_once_all_get_the_same(in_threads):
    rows = in_threads(lambda _: jobs.request("work", key="k", at=NOON), range(8))

    assert len({row.pk for row in rows}) == 1
    assert Job.objects.count() == 1


def test_a_job_is_done_and_says_what_it_did(run):
    declare(do_nothing)

    row = run(jobs.request("work", at=NOON))

    assert (row.status, row.attempts, row.outcome) == ("DONE", 1, "nothing at 12:00")
    assert (row.started_at, row.finished_at) == (NOON, NOON)


def test_a_message_that_comes_again_does_nothing(run):
    declare(lambda _work, *, at: runs.append(at) or "done")
    runs = []
    row = jobs.request("work", at=NOON)

    for _ in range(3):
        run(row)

    assert len(runs) == 1


def test_of_many_workers_one_does_the_job(in_threads, clock):
    runs = []
    declare(lambda _work, *, at: runs.append(at) or "done")
    row = jobs.request("work", at=NOON)

    in_threads(lambda _: jobs.run(row.pk, attempt=0, clock=clock), range(8))

    assert len(runs) == 1


def test_due_jobs_are_handed_out_oldest_first_and_not_twice():
    declare(do_nothing)
    late = jobs.request("work", key="late", at=NOON)
    early = jobs.request("work", key="early", at=later(minutes=-1))
    jobs.request("work", key="next", at=later(minutes=5))

    assert jobs.dispatch(at=NOON, limit=9) == [(early.pk, 0), (late.pk, 0)]
    assert jobs.dispatch(at=later(seconds=59), limit=9) == []


def test_no_more_are_handed_out_than_asked_for():
    declare(do_nothing)
    for key in "abc":
        jobs.request("work", key=key, at=NOON)

    assert [len(jobs.dispatch(at=NOON, limit=2)) for _ in range(2)] == [2, 1]


def test_of_many_who_hand_out_each_job_goes_to_one(in_threads):
    declare(do_nothing)
    rows = [jobs.request("work", key=str(number), at=NOON) for number in range(20)]

    given = in_threads(lambda _: jobs.dispatch(at=NOON, limit=20), range(4))

    assert sorted(chain.from_iterable(given)) == [(row.pk, 0) for row in rows]


def test_a_lost_message_is_sent_again():
    declare(do_nothing)
    row = jobs.request("work", at=NOON)
    jobs.dispatch(at=NOON, limit=9)

    assert jobs.dispatch(at=later(minutes=1), limit=9) == [(row.pk, 0)]


def test_a_kind_that_this_worker_does_not_know_waits_for_one_that_does(run):
    row = jobs.request("unheard_of", at=NOON)

    assert jobs.dispatch(at=NOON, limit=9) == []
    assert run(row).status == "QUEUED"


def test_a_job_whose_worker_was_killed_is_done_by_another(run, clock):
    def die(_work, *, at):
        raise SystemExit

    declare(die)
    row = jobs.request("work", at=NOON)
    with pytest.raises(SystemExit):
        run(row)
    declare(do_nothing)

    early = jobs.dispatch(at=later(minutes=4, seconds=59), limit=9)
    given = jobs.dispatch(at=clock.advance(minutes=5), limit=9)

    assert (early, given) == ([], [(row.pk, 1)])
    assert run(row, attempt=1).status == "DONE"


def test_a_job_that_kills_each_worker_is_given_up(run):
    declare(do_nothing)
    row = jobs.request("work", at=NOON)
    Job.objects.update(attempts=jobs.MAX_STARTS)

    run(row, attempt=jobs.MAX_STARTS)

    assert (row.status, row.outcome) == ("FAILED", "Each worker that took it ended.")


def test_progress_is_seen_and_extends_the_lease(run, clock):
    seen = []

    def work_long(work, *, at):
        for step in range(1, 4):
            clock.advance(minutes=3)
            work.progress(step, 3)
            row = Job.objects.get()
            seen.append((row.status, row.done, row.total, row.due_at))
        return "done"

    declare(work_long)
    run(jobs.request("work", at=NOON))

    assert seen == [
        ("RUNNING", step, 3, later(minutes=3 * step) + registry.LEASE) for step in (1, 2, 3)
    ]


def test_progress_is_written_once_a_second_and_at_the_end(run, clock, django_assert_num_queries):
    def work_fast(work, *, at):
        with django_assert_num_queries(3):
            for step in range(30):
                clock.advance(milliseconds=100)
                work.progress(step + 1, 35)
        return "done"

    declare(work_fast)
    row = run(jobs.request("work", at=NOON))

    assert (row.done, row.total) == (30, 35)


def test_who_lost_a_job_is_told_and_changes_nothing(run, clock):
    outcomes = []

    def be_slow(work, *, at):
        clock.advance(minutes=6)
        declare(do_nothing)
        [(pk, attempt)] = jobs.dispatch(at=clock(), limit=9)
        jobs.run(pk, attempt=attempt, clock=clock)
        try:
            work.progress(1, 2)
        except LeaseLost:
            outcomes.append("lost")
            raise
        return "the slow one"

    declare(be_slow)

    row = run(jobs.request("work", at=NOON))

    assert outcomes == ["lost"]
    assert (row.status, row.attempts, row.outcome) == ("DONE", 2, "nothing at 12:06")


def test_a_file_of_who_lost_a_job_is_not_kept(run, clock):
    def be_slow(work, *, at):
        Job.objects.update(attempts=2)
        work.attach(PAPER)
        return "the slow one"

    declare(be_slow)

    row = run(jobs.request("work", at=NOON))

    assert (row.status, row.file.name) == ("RUNNING", "")
    assert not storages["papers"].exists(f"jobs/{row.external_id}-1")


def test_a_failed_job_is_tried_again_later_and_then_given_up(run, clock):
    declare(fail, attempts=3)
    row = jobs.request("work", at=NOON)
    stands = []

    for attempt, wait in enumerate([0, 1, 5]):
        clock.advance(minutes=wait)
        given = jobs.dispatch(at=clock(), limit=9)
        run(row, attempt=attempt)
        stands.append((given, row.status, row.outcome))

    assert stands == [
        ([(row.pk, 0)], "QUEUED", "ValueError"),
        ([(row.pk, 1)], "QUEUED", "ValueError"),
        ([(row.pk, 2)], "FAILED", "ValueError"),
    ]
    assert row.finished_at == clock()


def test_what_staff_have_to_look_at_is_not_tried_again(run):
    def try_hard(_work, *, at):
        raise Incomplete("settled 3; 1 failed")

    declare(try_hard, attempts=3)

    row = run(jobs.request("work", at=NOON))

    assert (row.status, row.outcome) == ("FAILED", "settled 3; 1 failed")


def test_a_new_recurring_kind_is_due_at_once():
    declare(do_nothing, "daily", every=timedelta(days=1))
    declare(do_nothing, "once")

    for _ in range(3):
        jobs.schedule(at=NOON)

    assert list(Job.objects.values_list("kind", "due_at")) == [("daily", NOON)]


def test_of_many_who_schedule_one_adds_the_job(in_threads):
    declare(do_nothing, "daily", every=timedelta(days=1))

    in_threads(lambda _: jobs.schedule(at=NOON), range(8))

    assert Job.objects.count() == 1


@pytest.mark.parametrize("act", [do_nothing, fail])
def test_a_recurring_job_has_its_next_run_when_it_ends(run, act):
    declare(act, "daily", every=timedelta(days=1), attempts=1)
    jobs.schedule(at=NOON)

    run(Job.objects.get())
    jobs.schedule(at=NOON)

    following = Job.objects.open().get()
    assert following.due_at == datetime(2026, 3, 3, tzinfo=UTC)


def test_runs_that_were_missed_run_once(run, clock):
    declare(do_nothing, "daily", every=timedelta(days=1))
    jobs.schedule(at=NOON)
    run(Job.objects.get())
    clock.advance(days=9)

    jobs.schedule(at=clock())
    [(pk, attempt)] = jobs.dispatch(at=clock(), limit=9)
    jobs.run(pk, attempt=attempt, clock=clock)

    assert jobs.dispatch(at=clock(), limit=9) == []
    assert Job.objects.open().get().due_at == datetime(2026, 3, 12, tzinfo=UTC)


def test_a_file_is_collected(run):
    declare(lambda work, *, at: work.attach(PAPER) or "written")
    row = run(jobs.request("work", at=NOON))

    file = jobs.collect(row, at=later(minutes=1))

    assert file == PAPER
    row.refresh_from_db()
    assert row.collected_at == later(minutes=1)


def test_the_file_of_another_job_is_not_collected(run):
    declare(lambda work, *, at: work.attach(PAPER) or "written")
    declare(lambda work, *, at: work.attach(OTHER) or "written", "other")
    row, other = run(jobs.request("work", at=NOON)), run(jobs.request("other", at=NOON))
    Job.objects.filter(pk=row.pk).update(file=other.file.name)

    with pytest.raises(UnreadableFile):
        jobs.collect(Job.objects.get(pk=row.pk), at=NOON)

    assert Job.objects.get(pk=row.pk).collected_at is None


def test_who_waits_gets_the_job_that_is_done(run, monkeypatch):
    declare(do_nothing)
    row = jobs.request("work", at=NOON)
    monkeypatch.setattr(jobs, "pause", lambda _seconds: run(row))

    assert jobs.wait(row, seconds=5).outcome == "nothing at 12:00"


def test_who_waits_is_told_that_the_job_failed(run):
    declare(fail, attempts=1)
    row = run(jobs.request("work", at=NOON))

    with pytest.raises(jobs.Failed):
        jobs.wait(row, seconds=5)


def test_nobody_waits_for_ever():
    row = jobs.request("work", at=NOON)

    with pytest.raises(jobs.Unfinished):
        jobs.wait(row, seconds=0.01)


def test_few_wait_long_and_the_others_briefly(monkeypatch):
    monkeypatch.setattr(jobs, "SHORT_WAIT_SECONDS", 0.0)
    waits = []

    def wait_too(_seconds):
        waits.append(len(waits))
        if len(waits) > jobs.MAX_LONG_WAITS + 3:
            raise InterruptedError
        with pytest.raises((jobs.Unfinished, InterruptedError)):
            jobs.wait(row, seconds=60)
        raise InterruptedError

    monkeypatch.setattr(jobs, "pause", wait_too)
    row = jobs.request("work", at=NOON)

    with pytest.raises(InterruptedError):
        jobs.wait(row, seconds=60)

    assert len(waits) == jobs.MAX_LONG_WAITS
    monkeypatch.setattr(jobs, "pause", lambda _seconds: None)
    with pytest.raises(jobs.Unfinished):
        jobs.wait(row, seconds=0.01)


def test_finished_jobs_are_deleted_when_they_are_old_enough(run, clock):
    declare(do_nothing)
    declare(do_nothing, "brief", retention=timedelta(hours=1))
    for kind in ("work", "brief"):
        run(jobs.request(kind, at=NOON))
    jobs.request("work", key="open", at=NOON)

    assert jobs.purge(at=later(minutes=59)) == 0
    assert jobs.purge(at=later(hours=2)) == 1
    assert jobs.purge(at=later(days=89)) == 0
    assert jobs.purge(at=later(days=91)) == 1
    assert Job.objects.get().key == "open"


def test_files_of_jobs_are_deleted_and_those_of_killed_workers_too(run, own_store):
    declare(lambda work, *, at: work.attach(PAPER) or "written")
    row = run(jobs.request("work", at=NOON))
    storage = storages["papers"]
    storage.save("jobs/left-by-a-killed-worker", ContentFile(b"half"))
    stored = len(storage.listdir("jobs")[1])

    early = jobs.purge_files(before=NOON)
    deleted = jobs.purge_files(before=datetime(2999, 1, 1, tzinfo=UTC))

    assert (early, deleted) == (0, stored)
    assert storage.listdir("jobs")[1] == []
    row.refresh_from_db()
    assert not row.file


@pytest.mark.parametrize(
    ("every", "after", "expected"),
    [
        (timedelta(minutes=5), NOON, later(minutes=5)),
        (timedelta(minutes=5), later(minutes=4, seconds=59), later(minutes=5)),
        (timedelta(days=1), NOON, later(hours=12)),
        (
            timedelta(days=1),
            datetime(2025, 12, 31, 23, tzinfo=UTC),
            datetime(2026, 1, 1, tzinfo=UTC),
        ),
        (None, NOON, None),
    ],
)
def test_a_recurring_job_is_due_at_round_times(every, after, expected):
    kind = JobType("work", do_nothing, every, 3, registry.LEASE, registry.RETENTION)

    assert kind.next_run(after=after) == expected
