"""A partner's server hears of everything: a real worker sends, a process of its own receives."""

from uuid import uuid4

import pytest

from tests.e2e.receiver import Receiver
from tests.e2e.serving import served
from tests.e2e.working import each_broker, working

NEWEST = "(SELECT max(id) FROM onboarding_webhook)"
UNDER_WAY = f"""
SELECT message_id FROM onboarding_publication JOIN onboarding_lane USING (lead_id)
WHERE webhook_id = {NEWEST} AND leased_until IS NOT NULL
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("served")) as server:
        yield server


@pytest.fixture
def receiver(server, tmp_path):
    receiver = Receiver(tmp_path)
    yield receiver
    receiver.stop()
    for webhook in server.call("GET", "webhooks").json()["webhookList"]:
        server.call("DELETE", f"webhooks/{webhook['externalId']}")


def create_lead(server):
    answer = server.call("PUT", "lead", {"email": f"{uuid4().hex}@example.com"})
    assert answer.status == 201, answer.content
    return answer.json()["customerId"]


@each_broker
def test_events_arrive_though_messages_are_lost_and_the_worker_is_killed(server, receiver, broker):
    with working(server, broker) as crew:
        receiver.register(server)
        first = create_lead(server)
        receiver.wait_for(1, customer=first)
        crew.kill(crew.worker)
        second = create_lead(server)
        server.call("DELETE", f"lead/{second}")
        crew.purge()
        crew.start_worker()

        [created, withdrawn] = receiver.wait_for(2, customer=second)

    assert (created["type"], withdrawn["type"]) == (
        "application.created",
        "application.withdrawn",
    )
    assert (created["sequence"], withdrawn["sequence"]) == (1, 2)
    assert all(one["is_verified"] for one in receiver.received())


def test_what_a_killed_worker_was_sending_comes_again_under_its_id(server, receiver):
    with working(server) as crew:
        receiver.register(server, "hang/3600")
        customer = create_lead(server)
        [(first,)] = crew.wait_until(lambda: crew.rows(UNDER_WAY))
        crew.kill(crew.worker)
        crew.write("UPDATE onboarding_lane SET leased_until = due_at")  # as if half a minute passed
        crew.write(f"UPDATE onboarding_webhook SET server_url = '{receiver.url()}'")
        crew.start_worker()

        [again] = receiver.wait_for(1, customer=customer)

    assert again["webhook_id"] == first


def test_an_endpoint_that_hangs_stalls_no_other(server, receiver):
    with working(server):
        server.call("PUT", "webhooks", {"serverUrl": receiver.url("hang/3600")})
        receiver.register(server)
        customers = {create_lead(server) for _ in range(8)}

        came = receiver.wait_for(len(customers))

    assert {one["customer"] for one in came} == customers
