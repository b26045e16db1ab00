"""Screening: the providers of checks on a submitted application, and their findings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult
from onboarding.models import Lead, Owner
from onboarding.queries.leads import LeadFile


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    `leads_to` is the status that the finding requires; None if the check passed. `person` is the
    person checked, if any. `details` are stored as the details of the `Check`. `by` is the member
    of staff who made the check by hand; None if a program made it. A finding that is not `rated`
    adds nothing to the risk of the business.
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
        """Return the id of the owner concerned; None for the applicant or the business."""
        return self.person.ubo_id if self.person else None


# A provider reads an application, changes nothing, and returns a finding per check and person. The
# same data give the same findings in the same order: no provider reads the clock.
Provider = Callable[[LeadFile], Sequence[Finding]]
