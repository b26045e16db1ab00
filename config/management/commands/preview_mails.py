"""manage.py preview_mails."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.template.loader import render_to_string
from django.utils import timezone

from config import mail_samples as mails_to_customers
from onboarding.demo import mail_samples as mails_to_applicants

FILE = "mails.html"


class Command(BaseCommand):
    help = "Write a page with every mail to applicants, partners and customers, in each language."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", default=settings.DATA_DIR / FILE)

    def handle(self, *, file: Path, **options: Any) -> None:
        now = timezone.now()
        samples = [
            *mails_to_applicants.list_samples(at=now),
            *mails_to_customers.list_samples(at=now),
        ]
        page = render_to_string("onboarding/mail/preview.html", {"samples": samples})
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page, encoding="utf-8")
        self.stdout.write(f"{len(samples)} mails are in {file}")
