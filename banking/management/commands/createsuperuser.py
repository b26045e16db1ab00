"""manage.py createsuperuser: create and record a superuser, in place of Django's command."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.utils import timezone

from banking.errors import StepRefused
from banking.services import staff_accounts


class Command(BaseCommand):
    help = (
        "Create a superuser in an emergency, record it as a staff event and mail a link to choose "
        "a password. The first administrators of a bank are made by create_administrators."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="The address of the person.")

    def handle(self, *, email: str, **options: Any) -> None:
        try:
            validate_email(email)
            staff_accounts.create_superuser(email, at=timezone.now())
        except ValidationError as exc:
            raise CommandError(" ".join(exc.messages)) from None
        except StepRefused as exc:
            raise CommandError(str(exc)) from None
        except OSError:  # includes the errors of SMTP
            raise CommandError("The invitation could not be mailed; nobody was created.") from None
        self.stdout.write(f"invited {email}")
