"""An outage of RabbitMQ in the log of the worker and beat, whose connection a test cuts."""

import time

import pytest

from tests.e2e import serving
from tests.e2e.links import Link
from tests.e2e.working import require_broker, working

pytestmark = pytest.mark.one_database
OUTAGE_SECONDS = 6.0
MAX_LINES = 20
BEATS = "SELECT count(*) FROM banking_job WHERE kind = 'heartbeat' AND status = 'DONE'"


@pytest.fixture
def link():
    require_broker("rabbitmq")
    link = Link(("127.0.0.1", 5672))
    yield link
    link.cut()


def test_an_outage_of_rabbitmq_is_a_few_lines(tmp_path, link):
    url = f"amqp://guest:guest@127.0.0.1:{link.port}//"
    with (
        serving.served(tmp_path, WORKER_THREADS="8") as server,
        working(server, broker="rabbitmq", url=url) as crew,
    ):
        crew.wait_until(lambda: crew.rows(BEATS)[0][0])
        crew.write("DELETE FROM banking_job WHERE kind = 'heartbeat'")
        before = len(crew.log.splitlines())

        link.cut()
        time.sleep(OUTAGE_SECONDS)
        link.mend()
        crew.wait_until(lambda: crew.log.count("the broker is back after") >= 2)
        crew.wait_until(lambda: crew.rows(BEATS)[0][0])

        lines = crew.log.splitlines()[before:]
        print(f"{len(lines)} lines", *lines, sep="\n")  # noqa: T201 - for `pytest -s`
        assert sum("the broker is away" in line for line in lines) == 2
        assert len(lines) <= MAX_LINES
