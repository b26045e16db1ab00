"""A real worker and a real beat, on each broker: what is lost of them loses no work."""

import json

import pytest

from tests.e2e.receiver import Receiver
from tests.e2e.serving import Server, database
from tests.e2e.working import each_broker, working

SLOW = "tests.e2e.slow_worker"
REQUEST = """
import json, sys, django
django.setup()
from datetime import timedelta
from pathlib import Path
from django.utils import timezone
from banking import tasks
from banking.services import jobs
then, arguments = timezone.now() - timedelta(minutes=2), json.loads(sys.argv[1])
job = jobs.request("slow", key=Path(arguments["until"]).name, arguments=arguments, at=then)
if arguments["is_sent"]:
    # a sweep may hand out the job of a queue first
    sent = [(job.pk, 0)] if arguments["queue"] else jobs.dispatch(at=then, limit=100)
    for pk, attempt in sent:
        to = {"queue": arguments["queue"]} if arguments["queue"] else {}
        tasks.run_job.apply_async(kwargs={"job_id": pk, "attempt": attempt}, **to)
print(job.pk)
"""
SUBMITTED, EVENTS = 200, 120
FILL = f"""
import sys, django
django.setup()
from django.utils import timezone
from onboarding.choices import ApplicationStatus
from onboarding.models import Application
from onboarding.services.events import publications
from tests import factories
from tests.onboarding.services.leads.test_submissions import make_complete
partner = factories.make_partner()
for _ in range({SUBMITTED}):
    make_complete(partner=partner)
Application.objects.update(status=ApplicationStatus.SUBMITTED, submitted_at=timezone.now())
webhook = factories.make_webhook(server_url=sys.argv[1])
for _ in range({EVENTS}):
    factories.make_event(factories.make_application(factories.make_lead(webhook.partner)))
while publications.publish(at=timezone.now()):
    pass
print(factories.SIGNING_SECRET)
"""
WAITING = "SELECT count(*) FROM onboarding_application WHERE status = 'SUBMITTED'"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A database without a web server: who asks for work here is a process that ends."""
    folder = tmp_path_factory.mktemp("work")
    with database(folder) as url:
        yield Server(folder, "config.web", url)


@pytest.fixture
def request_job(server, tmp_path):
    """Request a job that goes on until a file is there, and have it handed out a while ago."""

    def request_job(until, *, is_sent=False, queue=""):
        arguments = {"until": str(tmp_path / until), "is_sent": is_sent, "queue": queue}
        return int(server.run(["-c", REQUEST, json.dumps(arguments)]))

    return request_job


def stand(crew, pk):
    """Return how far a job is: its status, its attempts, its steps and its outcome."""
    query = f"SELECT status, attempts, done, outcome FROM banking_job WHERE id = {pk}"
    return crew.rows(query)[0]


def is_running(crew, pk, *, attempts):
    status, attempted, steps, _ = stand(crew, pk)
    return (status, attempted) == ("RUNNING", attempts) and steps > 0


@pytest.fixture
def receiver(tmp_path):
    receiver = Receiver(tmp_path)
    yield receiver
    receiver.stop()


@each_broker
def test_what_is_lost_of_workers_and_messages_loses_no_job(server, request_job, tmp_path, broker):
    cut_off = request_job(f"{broker}-1")
    with working(server, broker, SLOW) as crew:
        crew.wait_until(lambda: is_running(crew, cut_off, attempts=1))

        crew.kill(crew.worker)
        unheard = request_job(f"{broker}-2", is_sent=True)
        assert crew.purge() > 0
        crew.start_worker()
        crew.wait_until(lambda: is_running(crew, cut_off, attempts=2))
        crew.wait_until(lambda: is_running(crew, unheard, attempts=1))
        for until in (f"{broker}-1", f"{broker}-2"):
            (tmp_path / until).touch()

        for pk in (cut_off, unheard):
            crew.wait_until(lambda pk=pk: stand(crew, pk)[0] == "DONE")
        assert (stand(crew, cut_off)[1], stand(crew, unheard)[1]) == (2, 1)
        assert stand(crew, cut_off)[3] == "it is there"


def test_each_of_two_workers_does_its_kinds_of_work_and_messages_of_the_first_release_are_heard(
    server, request_job, tmp_path
):
    for name in ("of-1.0.0", "split"):
        (tmp_path / name).touch()
    with working(server, worker=SLOW, kinds="sweeps,mails") as crew:
        old = request_job("of-1.0.0", is_sent=True, queue=crew.queue)
        crew.wait_until(lambda: stand(crew, old)[0] == "DONE")
        split = request_job("split")
        crew.wait_until(lambda: crew.waiting("jobs"))
        assert stand(crew, split)[0] not in {"RUNNING", "DONE"}

        crew.start_worker("jobs")

        crew.wait_until(lambda: stand(crew, split)[0] == "DONE")


def test_deliveries_do_not_wait_for_screening(server, receiver):
    receiver.start(server.run(["-c", FILL, receiver.url()]).strip())
    with working(server) as crew:
        crew.start_worker()
        crew.start_beat()

        receiver.wait_for(EVENTS // 3)

        [(waiting,)] = crew.rows(WAITING)
        assert waiting > SUBMITTED // 2
        crew.wait_until(lambda: crew.rows(WAITING)[0][0] < waiting)
        receiver.wait_for(EVENTS)
