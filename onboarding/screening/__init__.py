"""Screening: the providers of automatic checks, and what they say of a submitted application."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult, CheckSource
from onboarding.models import Lead, Owner
from onboarding.queries.leads import LeadFile


@dataclass(frozen=True)
class Finding:
    """What one check found.

    `leads_to` is where it wants the application to go; a check that passed wants nothing.
    `person` is whom it is about, if it is about one. `details` are those of the `Check`.
    """

    code: CheckCode
    result: CheckResult
    leads_to: Status | None = None
    person: Lead | Owner | None = None
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


class Provider(Protocol):
    """Whoever checks applications: it looks at one and changes nothing."""

    source: CheckSource

    def check(self, file: LeadFile) -> Sequence[Finding]:
        """Return what was found, one finding per check."""
        ...
