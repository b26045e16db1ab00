"""manage.py listen: receive webhooks on this machine and print them."""

import json
import signal
import threading
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from onboarding.management.receiver import Behaviour, Received, Receiver
from onboarding.management.webhook_client import Refusal, WebhookClient
from onboarding.names import camel

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GONE = 410
LONGEST_HANG = 3600  # seconds
FACTS = ("base_url", "access_key", "secret_key", "scheme_word")


class Command(BaseCommand):
    help = (
        "Receive webhooks on this machine and print each as it arrives, until Ctrl-C. It calls "
        "the service as a partner does, with the key of a file or of the options."
    )
    requires_system_checks = []  # the command needs no database

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--facts", type=Path, default=settings.DATA_DIR / "demo.env", metavar="FILE",
            help="Where BASE_URL, ACCESS_KEY, SECRET_KEY and SCHEME_WORD are (%(default)s).",
        )  # fmt: skip
        for name in FACTS:
            parser.add_argument(
                f"--{name.replace('_', '-')}", help=f"Instead of the file's {name.upper()}."
            )
        parser.add_argument("--port", type=int, default=0, help="Where to listen (any free port).")
        parser.add_argument(
            "--public-url", metavar="URL", help="What to register, if a tunnel leads to the port."
        )
        parser.add_argument(
            "--fail", type=int, nargs="?", const=500, metavar="STATUS",
            help="Answer with this status (500) instead of 204.",
        )  # fmt: skip
        parser.add_argument(
            "--every", type=int, default=1, metavar="N", help="Fail one time in N only."
        )
        parser.add_argument("--gone", action="store_true", help="Answer 410 Gone.")
        parser.add_argument(
            "--hang", type=float, default=0, metavar="SECONDS", help="Answer that much later."
        )
        parser.add_argument("--json", action="store_true", help="Print a JSON object per event.")

    def handle(self, **options: Any) -> None:
        behaviour = read_behaviour(options)
        client = read_client(options)
        as_line = as_json if options["json"] else as_text
        try:
            receiver = Receiver(
                port=options["port"],
                behaviour=behaviour,
                report=lambda received: self._print(as_line(received)),
            )
        except (OSError, OverflowError) as exc:
            reason = exc.strerror if isinstance(exc, OSError) else "there is no such port"
            raise CommandError(f"Port {options['port']} cannot be had: {reason}.") from None
        try:
            self._listen(client, receiver, options["public_url"] or receiver.url)
        except Refusal as exc:
            raise CommandError(str(exc)) from exc
        finally:
            receiver.close()

    def _listen(self, client: WebhookClient, receiver: Receiver, url: str) -> None:
        """Register a webhook, receive deliveries until a signal of ENDING, and delete the webhook.

        Stale webhooks of killed listeners are deleted first. Raises: Refusal.
        """
        ended = threading.Event()
        for number in ENDING:
            signal.signal(number, lambda *_: ended.set())
        if count := client.delete_stale(url):
            self.stderr.write(f"deleted {count} webhooks that nobody listened to any more")
        webhook = client.register(url)
        try:
            receiver.start(signing_secret=webhook["signingSecret"], token=webhook["token"])
            self.stderr.write(f"webhook {webhook['externalId']} listens on {url} (Ctrl-C stops it)")
            self.stderr.flush()
            while not ended.wait(timeout=1):  # so that signals are handled
                pass
        finally:
            client.delete(webhook["externalId"])
            self.stderr.write(f"webhook {webhook['externalId']} is deleted")

    def _print(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def read_behaviour(options: dict[str, Any]) -> Behaviour:
    """Return the behaviour of the receiver from the command's options. Raises: CommandError."""
    if not 0 <= options["hang"] <= LONGEST_HANG:
        raise CommandError(f"--hang takes 0 to {LONGEST_HANG} seconds.")
    if options["every"] < 1:
        raise CommandError("--every takes a number from 1.")
    status = GONE if options["gone"] else options["fail"]
    if status is None:
        return Behaviour(hang=options["hang"])
    if not 300 <= status <= 599:
        raise CommandError("--fail takes a status of 300 to 599.")
    return Behaviour(status=status, every=options["every"], hang=options["hang"])


def read_client(options: dict[str, Any]) -> WebhookClient:
    """Return the client from the options, or else the file of facts. Raises: CommandError."""
    kept = read_facts(options["facts"])
    facts = {name: options[name] or kept.get(name.upper(), "") for name in FACTS}
    facts["scheme_word"] = facts["scheme_word"] or settings.LEAD_API_SCHEME
    if missing := [name for name, value in facts.items() if not value]:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in missing)
        raise CommandError(f"{options['facts']} is not there or lacks what {named} would say.")
    authorization = f"{facts['scheme_word']} {facts['access_key']}:{facts['secret_key']}"
    return WebhookClient(facts["base_url"].rstrip("/"), authorization)


def read_facts(file: Path) -> dict[str, str]:
    """Return the values of lines `NAME=value` by name; empty if the file is missing."""
    if not file.is_file():
        return {}
    lines = (line.partition("=") for line in file.read_text().splitlines())
    return {name.strip(): value.strip() for name, _, value in lines}


def as_text(received: Received) -> str:
    """Return a delivery as a line of text."""
    number = f"#{received.sequence}" if received.sequence is not None else "-"
    notes = ["✓" if received.is_verified else "✗ not verified"]
    if received.repetition:
        notes.append(f"repetition {received.repetition}")
    if received.is_late:
        notes.append("late")
    if received.missing:
        notes.append(f"missing {', '.join(f'#{one}' for one in received.missing)}")
    if received.answered != 204:
        notes.append(f"answered {received.answered}")
    return (
        f"{received.at.astimezone():%H:%M:%S}  {received.type:<36}{number:>5}  "
        f"{received.customer_id or '-':<36}  {received.status or '-':<18}  {'  '.join(notes)}"
    )


def as_json(received: Received) -> str:
    """Return a delivery as a line of JSON."""
    facts = {**asdict(received), "at": received.at.isoformat()}
    return json.dumps({camel(name): value for name, value in facts.items()})
