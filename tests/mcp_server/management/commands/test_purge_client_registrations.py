"""manage.py purge_client_registrations."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone
from oauth2_provider.models import Application

AGES = (29, 31, 400)


def run(*arguments):
    out = StringIO()
    call_command("purge_client_registrations", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def clients(db):
    for days in AGES:
        client = Application.objects.create(registration_source="dcr", client_type="public")
        created = timezone.now() - timedelta(days=days)
        Application.objects.filter(pk=client.pk).update(created=created)


def test_old_clients_are_deleted(clients):
    assert run().startswith("deleted 2 clients registered before 20")
    assert Application.objects.count() == 1


def test_a_dry_run_counts_and_deletes_nothing(clients):
    assert run("--dry-run", "--days", "300").startswith("would delete 1 clients")
    assert Application.objects.count() == 3
