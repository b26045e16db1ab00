"""manage.py grants, and the programs as a role that it gave rights to."""

import secrets
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection, transaction
from django.utils import timezone

from banking import tasks
from banking.models import Job, Posting
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Event, Lead
from onboarding.queries import audit
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import CLOCK
from onboarding.services.privacy import erasure
from tests.bodies import lead_body
from tests.factories import NOON, later, make_transaction
from tests.onboarding.conftest import PartnerApi

needs_roles = pytest.mark.skipif(connection.vendor != "postgresql", reason="only it has roles")


@pytest.fixture
def role(own_store):
    """Go on as a role whose rights the command printed."""
    name, printed = f"web_{secrets.token_hex(4)}", StringIO()
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {name}")
        call_command("grants", name, stdout=printed)
        cursor.execute(printed.getvalue())
        cursor.execute(f"SET LOCAL ROLE {name}")
    yield name
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")


@needs_roles
def test_the_programs_work_as_a_role_that_owns_nothing(
    role, make_api_key, make_application, anchor_folder, monkeypatch
):
    for app in ("onboarding", "mcp_server"):
        __import__(f"{app}.periodic")
    created = PartnerApi(make_api_key()).put("lead", lead_body())
    make_transaction()
    left = make_application()
    lifecycle.move(left, Status.EXPIRED, by=CLOCK, at=NOON)
    (erased,) = erasure.erase_unsubmitted(before=later(days=1), at=later(days=91))
    monkeypatch.setattr(timezone, "now", lambda: later(days=91))
    tasks.sweep()

    assert created.status_code == 201
    assert Posting.objects.count() == 1
    assert not erased.fault
    assert Lead.objects.get(pk=left.lead.pk).erased_at
    assert set(Job.objects.exclude(status="QUEUED").values_list("status", flat=True)) == {"DONE"}
    assert list(audit.find_faults()) == []
    assert (anchor_folder / "000001.json").is_file()
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        Event.objects.update(who="somebody-else")


@pytest.mark.skipif(connection.vendor == "postgresql", reason="it has roles")
def test_a_database_without_roles_is_refused(db):
    with pytest.raises(CommandError, match="Only PostgreSQL"):
        call_command("grants", "web")
