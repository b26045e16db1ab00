"""Screening: the providers of automatic checks, and what they say of a submitted application."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from django.db import models

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Lead, Owner
from onboarding.queries.leads import LeadFile


class Result(models.TextChoices):
    """How a check ended."""

    PASS = "PASS", "Passed"
    WARN = "WARN", "Warned"
    FAIL = "FAIL", "Failed"


@dataclass(frozen=True)
class Finding:
    """What one check found.

    `leads_to` is where it wants the application to go; a check that passed wants nothing.
    `person` is whom it is about, if it is about one.
    """

    check: str
    result: Result
    leads_to: Status | None = None
    person: Lead | Owner | None = None
    note: str = ""


class Provider(Protocol):
    """Whoever checks applications: it looks at one and changes nothing."""

    name: str

    def check(self, file: LeadFile) -> Sequence[Finding]:
        """Return what was found, one finding per check."""
        ...
