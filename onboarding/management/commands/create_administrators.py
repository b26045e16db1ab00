"""manage.py create_administrators: create the first two administrators of a bank without staff."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.utils import timezone

from banking.errors import StepRefused
from banking.services import staff_accounts
from onboarding.roles import ADMINISTRATOR


class Command(BaseCommand):
    help = (
        "Create the first two administrators of a bank without staff. Each is mailed a link to "
        "choose a password."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("emails", nargs=2, metavar="EMAIL", help="The addresses of two people.")

    def handle(self, *, emails: list[str], **options: Any) -> None:
        try:
            for email in emails:
                validate_email(email)
            staff_accounts.create_first(emails, group_name=ADMINISTRATOR.name, at=timezone.now())
        except ValidationError as exc:
            raise CommandError(" ".join(exc.messages)) from None
        except StepRefused as exc:
            raise CommandError(str(exc)) from None
        except OSError:  # includes the errors of SMTP
            raise CommandError("An invitation could not be mailed; nobody was created.") from None
        for email in emails:
            self.stdout.write(f"invited {email}")
