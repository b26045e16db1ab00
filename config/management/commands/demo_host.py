"""`manage.py demo_host`: serve a partner's page that embeds the flow of the running service."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config import env
from config.demo_host import Host, LeadApi
from onboarding.models import ApiKey
from onboarding.services.partners import appearance


class Command(BaseCommand):
    help = "Serve a page of the demo partner that shows the flow; the service must be running."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=9000, help="Where (default 9000).")

    def handle(self, *, port: int, **_options: Any) -> None:
        if not settings.IS_SANDBOX:
            raise CommandError("There is no demo partner outside of the sandbox.")
        facts = env.assignments(settings.DATA_DIR / "demo.env")
        key = ApiKey.objects.filter(access_key=facts.get("ACCESS_KEY", "")).first()
        if key is None:
            raise CommandError("There is no demo partner yet. Start the service first: make run")
        pair = f"{facts['ACCESS_KEY']}:{facts['SECRET_KEY']}"
        api = LeadApi(facts["BASE_URL"], f"{facts['SCHEME_WORD']} {pair}")
        try:
            host = Host(port, api)
        except OSError as exc:
            raise CommandError(f"Port {port} cannot be had: {exc.strerror}.") from None
        with host:
            appearance.admit_origins(key.partner, host.origins)
            self.stdout.write(f"The partner's page is at {host.origins[0]}/ (Ctrl-C stops it).")
            self._serve(host)

    def _serve(self, host: Host) -> None:
        try:
            host.serve_forever()
        except KeyboardInterrupt:
            self.stdout.write("")
