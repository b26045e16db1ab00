"""Limits by which users narrow the data that an assistant may read within its scopes."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from banking.reach import Reach
from mcp_server.errors import ToolError, denied
from mcp_server.scopes import Scope


class Limit(TextChoices):
    """A limit of a connection: the access log has its value, pages show its label."""

    BUSINESSES = "BUSINESSES", _("Some clients only")
    ACCOUNTS = "ACCOUNTS", _("Some accounts only")
    FROM = "FROM", _("Start date")
    UNTIL = "UNTIL", _("End date")
    NAMES = "NAMES", _("Names hidden")
    NUMBERS = "NUMBERS", _("Account numbers masked")


EVERY_LIMIT = frozenset({Limit.ACCOUNTS, Limit.FROM, Limit.UNTIL, Limit.NAMES})
OF_RECORDS = EVERY_LIMIT - {Limit.NAMES}  # files that show names
UNDATED = EVERY_LIMIT - {Limit.UNTIL}  # present figures
OF_BUSINESS = EVERY_LIMIT - {Limit.ACCOUNTS}  # records that belong to no account
REASONS = {
    Limit.ACCOUNTS: "some accounts only, and this tool cannot leave the others out",
    Limit.FROM: "data from {reach.first} on only, and this tool needs earlier data",
    Limit.UNTIL: "data until {reach.last} only, and this tool shows present figures",
    Limit.NAMES: "no names of the people and businesses that are paid or pay, and this tool cannot "
    "leave them out",
}


@dataclass(frozen=True)
class Limits:
    """The limits of a connection as its user sets them; None is no limit.

    `businesses` and `accounts` are keys. `access_until` is the last day of the access itself.
    `shows_numbers` is a scope of the tokens, not a column.
    """

    businesses: list[int] | None = None
    accounts: list[int] | None = None
    first_day: date | None = None
    last_day: date | None = None
    hides_names: bool = False
    access_until: date | None = None
    shows_numbers: bool = False

    def columns(self) -> dict[str, Any]:
        """Return the limits that are columns of a connection, by name: all but `shows_numbers`."""
        return {name: value for name, value in vars(self).items() if name != "shows_numbers"}


OF_DATA = ["businesses", "accounts", "first_day", "last_day", "hides_names"]  # columns of a reach


def reach_of(
    businesses: list[int] | None,
    accounts: list[int] | None,
    first_day: date | None,
    last_day: date | None,
    hides_names: bool,
    *,
    scopes: Collection[str],
) -> Reach:
    """Return the reach of a connection from its limits, and from the scopes of its token."""
    return Reach(
        businesses=None if businesses is None else frozenset(businesses),
        accounts=None if accounts is None else frozenset(accounts),
        first=first_day,
        last=last_day,
        shows_names=not hides_names,
        shows_numbers=Scope.ACCOUNT_NUMBERS in scopes,
    )


def limits_of(reach: Reach, *, on: date) -> list[Limit]:
    """Return the limits that a reach has on a day; a last day that has not passed is none yet."""
    held = {
        Limit.BUSINESSES: reach.businesses is not None,
        Limit.ACCOUNTS: reach.accounts is not None,
        Limit.FROM: reach.first is not None,
        Limit.UNTIL: reach.last is not None and reach.last < on,
        Limit.NAMES: not reach.shows_names,
        Limit.NUMBERS: not reach.shows_numbers,
    }
    return [limit for limit, is_held in held.items() if is_held]


def beyond(limit: Limit, reach: Reach) -> ToolError:
    """Return the error that refuses a call because of a limit."""
    reason = REASONS[limit].format(reach=reach)
    return denied(f"The user lets this assistant read {reason}. Only the user can change that.")


def require_within(reach: Reach, kept: Collection[Limit], *, on: date) -> None:
    """Refuse a tool whose answer does not keep a limit of the reach. Raises: ToolError.

    `kept` are the limits that the tool keeps; each tool keeps BUSINESSES and NUMBERS besides.
    """
    for limit in limits_of(reach, on=on):
        if limit in REASONS and limit not in kept:
            raise beyond(limit, reach)


def require_days(reach: Reach, first: date, last: date) -> None:
    """Refuse figures from `first` to `last` unless all of these days may be read.

    Raises: ToolError.
    """
    if reach.first and first < reach.first:
        raise beyond(Limit.FROM, reach)
    if reach.last and reach.last < last:
        raise beyond(Limit.UNTIL, reach)
