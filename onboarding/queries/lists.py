"""Lists of sanctions and exposed persons: their ages, and which of them are overdue."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from onboarding.choices import ListCode
from onboarding.models import SanctionsList
from onboarding.queries.checks import list_current_lists


@dataclass(frozen=True)
class ListAge:
    """The time since a current list was last loaded or confirmed, and the longest allowed one."""

    of: SanctionsList
    age: timedelta
    limit: timedelta

    @property
    def is_overdue(self) -> bool:
        return self.age > self.limit


def list_ages(*, at: datetime) -> list[ListAge]:
    """Return the ages of the current lists, in the order of their codes."""
    return [get_age(one, at=at) for one in list_current_lists()]


def list_overdue(*, at: datetime) -> list[ListAge]:
    """Return the ages of the current lists that should have been loaded again."""
    return [one for one in list_ages(at=at) if one.is_overdue]


def get_age(current: SanctionsList, *, at: datetime) -> ListAge:
    """Return the age of a list since its load, or since a load of the same file confirmed it."""
    is_pep = current.code == ListCode.PEP
    days = settings.PEP_LIST_DAYS if is_pep else settings.SANCTIONS_LIST_DAYS
    seen = current.confirmed_at or current.loaded_at
    return ListAge(current, at - seen, timedelta(days=days))
