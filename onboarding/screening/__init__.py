"""Screening: the providers of checks, and what they say of a submitted application."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult, CheckSource
from onboarding.models import Lead, Owner
from onboarding.queries.leads import LeadFile


@dataclass(frozen=True)
class Finding:
    """What one check found.

    `leads_to` is where it wants the application to go; a check that passed wants nothing.
    `person` is whom it is about, if it is about one. `details` are those of the `Check`. `by` is
    who of the staff ticked it. What is not `rated` says nothing of the business, so that it adds
    nothing to its risk.
    """

    code: CheckCode
    result: CheckResult
    leads_to: Status | None = None
    person: Lead | Owner | None = None
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    by: User | None = None
    rated: bool = True

    @property
    def ubo_id(self) -> UUID | None:
        """Return the id of the owner whom it is about; none of the applicant."""
        return self.person.external_id if isinstance(self.person, Owner) else None


class Provider(Protocol):
    """Whoever checks applications: it looks at one and changes nothing.

    The same data give the same findings in the same order: none reads the clock.
    """

    source: CheckSource

    def check(self, file: LeadFile) -> Sequence[Finding]:
        """Return what was found, one finding per check and person."""
        ...
