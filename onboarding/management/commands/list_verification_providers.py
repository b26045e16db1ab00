"""Print the configured verification providers and their state."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from foundation.verification import registry
from onboarding.choices import BreakerState
from onboarding.models import VerificationProvider
from onboarding.queries.verifications import count_open_requests


class Command(BaseCommand):
    help = (
        "Print the verification providers: what each is asked for, its state and its last answer."
    )

    def handle(self, **options: Any) -> None:
        now, counts = timezone.now(), count_open_requests()
        states = {one.name: one for one in VerificationProvider.objects.all()}
        asked = registry.list_providers()
        for account in registry.list_accounts():
            state = states.get(account.name, VerificationProvider(name=account.name))
            kinds = ", ".join(kind for kind, name in asked.items() if name == account.name)
            breaker = BreakerState(state.breaker(at=now))
            self.stdout.write(f"{account.name} ({account.adapter}, {account.url})")
            self.stdout.write(f"  asked for: {kinds or 'nothing'}")
            self.stdout.write(f"  state: {breaker.label.lower()}")
            self.stdout.write(f"  open requests: {counts.get(account.name, 0)}")
            self.stdout.write(f"  last answer: {state.answered_at or 'none'}")
            if state.failed_at:
                self.stdout.write(f"  last failure: {state.failed_at}, {state.fault}")
        for fault in registry.list_faults():
            self.stdout.write(f"{'error' if fault.is_fatal else 'warning'}: {fault.text}")
        if not registry.list_accounts():
            self.stdout.write("No provider is configured: VERIFICATION_PROVIDERS is not set.")
