"""What workers do for onboarding again and again."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.utils import timezone

from banking.models import Job
from foundation.jobs.registry import JOB_TYPES, Incomplete
from foundation.privacy.encrypted_storage import walk
from onboarding import periodic
from onboarding.models import Application, Lead, Webhook
from onboarding.services.checks import rechecks
from onboarding.services.documents import file_store, sweep
from tests.factories import NOON, later

pytestmark = pytest.mark.django_db


class JobContext:
    """A job in hand."""

    arguments = {}

    def __init__(self):
        self.reports = []

    def progress(self, done, total):
        self.reports.append((done, total))


def test_applications_expire_and_applicants_are_reminded(make_application):
    waiting = make_application(status="DOCUMENTS_REQUIRED", status_changed_at=NOON)
    left = make_application(status="DOCUMENTS_REQUIRED", status_changed_at=later(days=-60))
    work = JobContext()

    outcome = periodic.expire_and_remind(work, at=later(days=3))

    assert outcome == "expired 1 applications, reminded 1 applicants and the owners of 0"
    assert work.reports == [(1, 0), (2, 0)]
    assert Application.objects.get(pk=left.pk).status == "EXPIRED"
    assert Application.objects.get(pk=waiting.pk).reminders_sent == 1


def test_who_never_submitted_is_erased_after_ninety_days(own_store, make_application):
    left = make_application(status="EXPIRED")
    make_application(status="EXPIRED", status_changed_at=later(days=1))
    work = JobContext()

    outcome = periodic.erase_unsubmitted(work, at=later(days=90))

    assert outcome == "erased 1 leads who never submitted"
    assert list(Lead.objects.exclude(erased_at=None)) == [left.lead]


def test_partners_are_told_of_keys_that_end_soon(make_partner, monkeypatch):
    monkeypatch.setattr(periodic.outbox, "notify_key_expiry", lambda *, at: 3)

    assert periodic.notify_key_expiry(JobContext(), at=NOON) == "queued 3 notices"


def test_partners_are_told_of_webhooks_that_fail(monkeypatch):
    monkeypatch.setattr(periodic.outbox, "notify_webhook_failures", lambda *, at: 3)

    assert periodic.notify_webhook_failures(JobContext(), at=NOON) == "queued 3 notices"


@pytest.fixture
def orphan(monkeypatch):
    """Return the name of a file without a row, which is not too many."""
    monkeypatch.setattr(sweep, "ORPHANS_MAX_PERCENT", 100)
    stored = walk(storages["documents"], file_store.FOLDER)
    for name in list(stored):  # of other tests
        storages["documents"].delete(name)
    name = f"leads/x/{'0' * 8}-0000-7000-8000-{'0' * 12}"
    return storages["documents"].save(name, ContentFile(b"orphan"))


def test_what_has_expired_is_deleted():
    work = JobContext()

    outcome = periodic.purge_expired(work, at=NOON)

    assert outcome.startswith("deleted 0 ")
    assert work.reports[-1] == (12, 12)


def test_webhooks_that_were_deleted_go_a_day_later(make_webhook):
    make_webhook(deleted_at=later(days=-1, seconds=-1), status="DISABLED")
    kept = make_webhook(deleted_at=later(days=-1), status="DISABLED")

    outcome = periodic.purge_expired(JobContext(), at=NOON)

    assert outcome.endswith(", 1 webhooks")
    assert Webhook.objects.get() == kept
    assert len(outcome) <= Job._meta.get_field("outcome").max_length


def test_files_without_a_row_are_moved_and_those_of_running_requests_spared(own_store, orphan):
    now = timezone.now()

    early = periodic.sweep_documents(JobContext(), at=now)
    late = periodic.sweep_documents(JobContext(), at=now + timedelta(hours=2))

    assert early.startswith("moved 0 files without a row to quarantine")
    assert late.startswith("moved 1 files without a row to quarantine")
    assert not storages["documents"].exists(orphan)


def test_a_sweep_of_many_files_fails_as_a_job(own_store, orphan, monkeypatch):
    monkeypatch.setattr(sweep, "ORPHANS_MAX", 0)

    with pytest.raises(Incomplete, match="is this the database of the store") as refused:
        periodic.sweep_documents(JobContext(), at=timezone.now() + timedelta(hours=2))

    assert len(str(refused.value)) <= Job._meta.get_field("outcome").max_length
    assert storages["documents"].exists(orphan)


def test_documents_that_lack_their_file_are_shown_to_staff(own_store, make_document):
    document = make_document()
    document.file.storage.delete(document.file.name)

    with pytest.raises(Incomplete, match="; 1 documents lack their file"):
        periodic.sweep_documents(JobContext(), at=NOON)


def test_each_is_declared():
    declared = {name: kind.handler for name, kind in JOB_TYPES.items()}

    for name in (
        "expire_and_remind",
        "move_clock",
        "notify_key_expiry",
        "notify_webhook_failures",
        "purge_expired",
        "recheck_cases",
        "rescan_documents",
        "sweep_documents",
    ):
        assert declared[name] is getattr(periodic, name)


def test_cases_that_a_newer_list_overtook_are_checked_again(make_application):
    case = make_application(status="IN_REVIEW")
    make_application(status="SUBMITTED")
    work = JobContext()

    assert periodic.recheck_cases(work, at=later(days=1)) == "checked 1 cases again"
    assert periodic.recheck_cases(work, at=later(days=1)) == "checked 0 cases again"
    assert work.reports == [(1, 0)]
    assert case.check_runs.get().cause == "SUBMITTED"


def test_customers_are_left_to_the_next_run_after_thirty_seconds(monkeypatch):
    clock = iter([100, 129, 130])
    monkeypatch.setattr(periodic, "time", SimpleNamespace(monotonic=clock.__next__))
    is_over = []

    def recheck(*, at, until):
        is_over.extend([until(), until()])
        return []

    monkeypatch.setattr(rechecks, "recheck_outdated", recheck)

    periodic.recheck_cases(JobContext(), at=NOON)

    assert is_over == [False, True]
