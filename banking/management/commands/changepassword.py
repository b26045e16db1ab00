"""manage.py changepassword: refused. Django's command sets a password and records nothing."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Refused: nobody sets the password of another person."

    def handle(self, **_options: Any) -> None:
        raise CommandError(
            "Nobody sets the password of another person. They ask for a link at /password-reset, "
            "or `manage.py createsuperuser` makes an account in an emergency."
        )
