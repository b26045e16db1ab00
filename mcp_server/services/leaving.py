"""Leaving: connections of a person end when their account of staff is deactivated."""

from datetime import datetime
from typing import Any

from django.dispatch import receiver

from banking.models import User
from banking.signals import staff_left
from mcp_server.services import connections


@receiver(staff_left)
def end_connections(sender: type[User], *, user: User, at: datetime, **kwargs: Any) -> None:
    """End the connections of assistants that read for the person, as an owner for example."""
    connections.end_all(user, at=at)
