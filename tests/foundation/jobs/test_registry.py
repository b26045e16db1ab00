from datetime import timedelta

import pytest

from foundation.jobs import registry
from foundation.jobs.registry import Incomplete, JobProgress, JobType, back_off, job
from tests.factories import NOON


class Context:
    """Keeps the progress that is reported."""

    arguments = {}

    def __init__(self):
        self.reported = []

    def progress(self, done, total):
        self.reported.append((done, total))


@pytest.fixture
def context():
    return Context()


def test_a_declared_job_has_a_lease_and_a_retention(monkeypatch):
    monkeypatch.setattr(registry, "JOB_TYPES", types := {})

    @job("bake", every=timedelta(hours=1))
    def bake(context, *, at):
        return "baked"

    assert types == {
        "bake": JobType("bake", bake, timedelta(hours=1), 3, registry.LEASE, registry.RETENTION)
    }


def test_a_job_on_request_has_no_next_run():
    kind = JobType("bake", print, None, 3, registry.LEASE, registry.RETENTION)

    assert kind.next_run(after=NOON) is None


def test_progress_is_reported_for_each_item(context):
    progress = JobProgress(context)

    well = progress.count([1, 0, 2], is_fault=lambda item: item == 0)

    assert well == 2
    assert context.reported == [(1, 0), (2, 0), (3, 0)]


def test_fixed_progress_stays_as_it_is(context):
    JobProgress(context, fixed=(7, 7)).count([1], is_fault=bool)

    assert context.reported == [(7, 7)]


def test_an_outcome_with_faults_is_incomplete(context):
    progress = JobProgress(context)
    assert progress.outcome("baked 0") == "baked 0"

    progress.count([1], is_fault=bool)

    with pytest.raises(Incomplete, match="baked 0; 1 failed, see the log"):
        progress.outcome("baked 0")


def test_each_retry_waits_five_times_as_long():
    assert [back_off(attempts).seconds // 60 for attempts in (1, 2, 3)] == [1, 5, 25]
