"""manage.py release_owner: end an owner's sign-in, so that the feed can name another user."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.models import BusinessOwner
from banking.services import invitations
from foundation.external_ids import parse


class Command(BaseCommand):
    help = (
        "End the sign-in of an owner, so that the record feed can name another user for the owner. "
        "The former user is not told."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("owner", help="The UUID of the owner.")

    def handle(self, *, owner: str, **options: Any) -> None:
        found = BusinessOwner.objects.filter(external_id=parse(owner)).first()
        if found is None:
            raise CommandError("There is no such owner")
        if not invitations.release(found, at=timezone.now()):
            raise CommandError(f"Nobody signs in as {found}")
        self.stdout.write(f"nobody signs in as {found} any more")
