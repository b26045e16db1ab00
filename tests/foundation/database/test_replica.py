"""Reads from a real replica: stale ones within the bound, none when it is late, away or wrong."""

import math
import time
from functools import partial

import prometheus_client
import pytest
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from banking.models import User
from banking.services import clients
from config.connection_checks.replica import check_replay
from foundation.database import replica
from foundation.metrics import instruments
from foundation.throttling import recent_writes
from onboarding.models import Partner
from tests import postgresql
from tests.mcp_server.conftest import connect
from tests.onboarding.conftest import PartnerApi
from tests.staff import sign_in
from tests.standby import TIMEOUT_SECONDS, standby_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="a replica needs PostgreSQL"),
]
LONG = 600  # seconds; a replica whose replay is paused stays within this bound


@pytest.fixture(scope="module")
def standby(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        values = connection.settings_dict
    try:
        with standby_of(values) as found:
            yield found
    except postgresql.Unavailable as exc:
        pytest.skip(f"no standby can be made: {exc}")


@pytest.fixture
def near(standby, settings, transactional_db):
    """Read from the replica, which is near; its replay goes on after the test."""
    settings.RATE_LIMIT_FACTOR = 1000
    settings.REPLICA_LAG_SECONDS = LONG
    settings.DATABASE_REPLICA = {
        **settings.DATABASES["default"],
        "NAME": connection.settings_dict["NAME"],
        "HOST": str(standby.home),
    }
    wait_until(is_read_from)
    yield standby
    if standby.answers():
        standby.execute("SELECT pg_wal_replay_resume()::text")
    forget()


def forget():
    """Close the connections of this thread and of the watching thread, as a program's end does."""
    if replica._kept.connection:  # noqa: SLF001 - there is no other way
        replica._kept.connection.close()  # noqa: SLF001 - as above
    replica._kept.connection = None  # noqa: SLF001 - as above
    watcher = replica._watcher  # noqa: SLF001 - as above
    watcher._asked_at = -math.inf  # noqa: SLF001 - as above
    watcher._thread.join(TIMEOUT_SECONDS)  # noqa: SLF001 - as above
    watcher.distrust()


def wait_until(holds):
    end = time.monotonic() + TIMEOUT_SECONDS
    while not holds():
        assert time.monotonic() < end, "the replica did not come"
        time.sleep(0.05)


def in_recovery():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_is_in_recovery()")
        return cursor.fetchone()[0]


def is_read_from():
    return replica.read(in_recovery, wrote=False)


def pause(standby):
    """Let the replica lack what is committed from now on."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn()::text")
        position = cursor.fetchone()[0]
    wait_until(lambda: standby.execute(f"SELECT pg_last_wal_replay_lsn() >= '{position}'"))
    standby.execute("SELECT pg_wal_replay_pause()::text")
    wait_until(lambda: standby.execute("SELECT pg_get_wal_replay_pause_state()") == "paused")


def names(wrote=False):
    return replica.read(lambda: list(Partner.objects.values_list("name", flat=True)), wrote=wrote)


def test_the_connection_check_says_whether_the_server_is_a_standby_that_follows(near, settings):
    assert check_replay().text == "The standby has all changes of the primary."

    pause(near)
    Partner.objects.create(name="New")
    settings.REPLICA_LAG_SECONDS = 0
    assert "is behind" in check_replay().text

    settings.DATABASE_REPLICA = {
        **settings.DATABASE_REPLICA,
        "HOST": connection.settings_dict["HOST"],
    }
    assert "no standby" in check_replay().text


def test_a_read_comes_from_the_replica_unless_its_caller_wrote_or_it_is_late(near, settings):
    pause(near)
    Partner.objects.create(name="New")

    stale, own = names(), names(wrote=True)
    settings.REPLICA_LAG_SECONDS = 0
    late = names()

    assert ("New" in stale, "New" in own, "New" in late) == (False, True, True)


def test_a_missing_row_and_a_write_are_answered_by_the_primary(near):
    pause(near)
    Partner.objects.create(name="New")

    found = replica.read(lambda: Partner.objects.get(name="New"), wrote=False)
    written = replica.read(lambda: Partner.objects.create(name="Newer"), wrote=False)
    found.name = "Renamed"
    found.save()

    assert set(names(wrote=True)) >= {"Renamed", written.name}


def test_the_metrics_watch_the_replica_without_a_read(near, settings):
    registry = prometheus_client.CollectorRegistry()
    left_out = partial(registry.get_sample_value, "vestibule_replica_left_out")
    forget()
    instruments.start(registry)
    try:
        replica.watch()
        wait_until(lambda: registry.get_sample_value("vestibule_replica_lag_seconds") > 0)
        wait_until(lambda: left_out() == 0)

        settings.REPLICA_LAG_SECONDS = -1
        wait_until(lambda: left_out() == 1)
    finally:
        instruments.stop()


def test_errors_of_the_primary_are_raised(near):
    with pytest.raises(Partner.DoesNotExist):
        replica.read(lambda: Partner.objects.get(name="Nobody"), wrote=False)


def test_a_transaction_reads_its_own_writes(near, django_db_blocker):

    with transaction.atomic():
        assert not is_read_from()
    assert is_read_from()


def test_rows_are_streamed_from_the_replica_and_the_primary_serves_between(near):
    pause(near)
    Partner.objects.create(name="New")

    rows = replica.stream(lambda: (row.name for row in Partner.objects.all()), wrote=False)
    seen = [(name, in_recovery()) for name in rows]

    assert "New" not in [name for name, _ in seen]
    assert {recovering for _, recovering in seen} <= {False}


def test_partners_assistants_and_staff_see_their_own_writes(near, make_api_key, make_user):
    api, other = PartnerApi(make_api_key()), PartnerApi(make_api_key())
    chief = sign_in(User.objects.create_superuser("chief@example.com", "pw"))
    wait_until(is_read_from)
    pause(near)

    before = len(api.get("lead").json()["leads"])
    api.create(email="ada@example.com")
    lists = [len(one.get("lead").json()["leads"]) for one in (api, other)]
    page = reverse("admin:onboarding_partner_changelist")
    unseen = chief.get(page).content.decode()
    chief.post(reverse("admin:onboarding_partner_add"), {"name": "Brand New"})
    seen = chief.get(page).content.decode()

    assert (before, lists) == (0, [1, 0])
    assert "Brand New" not in unseen
    assert "Brand New" in seen


def test_a_tool_reads_from_it_and_a_user_who_wrote_on_a_page_does_not(
    near, make_user, make_business_owner, make_linked_account
):
    user = make_user()
    owner = make_business_owner(user=user)
    assistant = connect(user)
    wait_until(is_read_from)
    pause(near)
    make_linked_account(owner.business)

    stale = assistant.call("svc_list_linked_external_accounts")
    recent_writes.note(f"user:{user.pk}", at=timezone.now())
    own = assistant.call("svc_list_linked_external_accounts")

    assert (stale["totalCount"], own["totalCount"]) == (0, 1)


def test_an_access_that_has_ended_is_not_read_from_a_replica_where_it_still_holds(
    near, make_accountant, make_access
):
    access = make_access(make_accountant())
    client = str(access.business.external_id)
    assistant = connect(access.accountant.user)
    wait_until(is_read_from)
    pause(near)
    clients.revoke_access(access, at=timezone.now())

    chosen = assistant.call("select_customer", customerExternalId=client)
    [listed] = assistant.call("list_customers")["customers"]

    assert chosen["error"]["code"] == "ACCESS_DENIED"
    assert listed["status"] == "REVOKED"


def test_nobody_notices_that_it_dies_and_it_is_used_when_it_is_back(near, make_api_key):
    api = PartnerApi(make_api_key())
    assert api.get("lead").status_code == 200

    near.kill()
    answers = {api.get("lead").status_code for _ in range(20)}
    away = is_read_from()
    near.start()
    wait_until(is_read_from)

    assert (answers, away) == ({200}, False)


def test_a_server_that_is_no_standby_is_left_out(near, settings, caplog):
    forget()
    values = connection.settings_dict
    place = {name: values[name] for name in ("HOST", "PORT")}
    settings.DATABASE_REPLICA = {**settings.DATABASE_REPLICA, **place}

    assert not is_read_from()
    wait_until(lambda: "it is no standby of the primary" in caplog.text)
    assert replica.read(lambda: connection.settings_dict is values, wrote=False)
    replica._kept.connection = replica.open_connection(place)  # noqa: SLF001 - for the end of the test


def test_a_statement_that_the_replica_cancels_is_run_by_the_primary(near):
    def cancel():
        if in_recovery():
            raise DatabaseError("canceling statement due to conflict with recovery")
        return "primary"

    assert replica.read(cancel, wrote=False) == "primary"
