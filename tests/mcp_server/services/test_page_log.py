"""The log of pages that users open themselves."""

import pytest

from mcp_server.models import AccessLogEntry, Connection
from mcp_server.queries import connections
from mcp_server.services import page_log, registrations
from mcp_server.services.page_log import PageRequest
from tests.factories import NOON, later, make_business, make_user

pytestmark = pytest.mark.django_db


def look(user, business, at=NOON):
    page_log.record(PageRequest(user, "r", at), page_log.HOME, business_ids=[business.pk])


def test_all_looks_of_a_user_share_a_connection():
    ada, business = make_user(), make_business()

    look(ada, business)
    look(ada, business, later(days=1))
    look(make_user(), business)

    assert Connection.objects.count() == 2
    assert AccessLogEntry.objects.filter(connection__user=ada).count() == 2


def test_it_is_no_assistant():
    ada = make_user()

    look(ada, make_business())

    assert connections.list_assistants(ada, at=later(minutes=1)) == []


def test_its_client_is_never_purged_as_unused():
    look(make_user(), make_business())

    assert registrations.purge_unused(before=later(days=999)) == 0
