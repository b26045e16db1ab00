"""Connections end when an account of staff is deactivated."""

import pytest

from banking.services import staff_accounts
from mcp_server.models import Connection
from tests.factories import NOON, make_user
from tests.mcp_server.queries.test_connections import make_connection

pytestmark = pytest.mark.django_db


def test_what_assistants_could_read_for_the_person_ends():
    connection, other = make_connection(), make_connection()

    staff_accounts.end_access(connection.user, by=make_user(user_type="STAFF"), at=NOON)

    assert Connection.objects.get(ended_at=NOON) == connection
    assert Connection.objects.get(ended_at=None) == other
