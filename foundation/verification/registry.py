"""The configured providers: their adapters, found by entry points, and faults of the settings."""

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from django.conf import settings

from foundation.outbound import http_client
from foundation.outbound.http_client import AddressRefused
from foundation.verification.https_provider import HttpsProvider
from foundation.verification.interface import FIELDS, Account, Kind, Provider

GROUP: Final = "vestibule.verification_providers"
BUILT_IN: Final[Mapping[str, type[Provider]]] = {"https": HttpsProvider}
NAME: Final = re.compile(r"[a-z][a-z0-9]{0,31}")
MIN_SECRET_LENGTH: Final = 24


class NotConfigured(Exception):
    """There is no usable provider of this name in the settings. The text says why."""


@dataclass(frozen=True)
class Fault:
    """A fault of the settings, in a sentence; `is_fatal` if the provider cannot be asked."""

    text: str
    hint: str
    is_fatal: bool = True


def list_adapters() -> dict[str, EntryPoint | None]:
    """Return the installed adapters by name; None stands for a built-in one."""
    found: dict[str, EntryPoint | None] = {point.name: point for point in entry_points(group=GROUP)}
    return {**found, **dict.fromkeys(BUILT_IN)}


def list_accounts() -> list[Account]:
    """Return the configured accounts in their order."""
    return [Account(**values) for values in settings.VERIFICATION_PROVIDERS]


def get_account(name: str) -> Account:
    """Return the account of a configured provider. Raises: NotConfigured."""
    for account in list_accounts():
        if account.name == name:
            return account
    raise NotConfigured("the provider is not configured")


def get_provider(name: str) -> Provider:
    """Return the adapter of a configured provider. Raises: NotConfigured."""
    return _load(get_account(name))


def list_providers() -> dict[Kind, str]:
    """Return the name of the provider of each kind: the first one that answers the kind.

    Providers that cannot be loaded are left out: the system checks report them.
    """
    found: dict[Kind, str] = {}
    for account in list_accounts():
        try:
            provider = _load(account)
        except NotConfigured:
            continue
        for kind in kinds_of(account, provider):
            found.setdefault(kind, account.name)
    return found


def kinds_of(account: Account, provider: Provider) -> list[Kind]:
    """Return the kinds that a provider answers and its account allows."""
    return [kind for kind in provider.needs if not account.kinds or kind in account.kinds]


def list_faults() -> Iterator[Fault]:
    """Yield the faults of the configured providers, each as a sentence."""
    asked: dict[Kind, str] = {}
    names: set[str] = set()
    for account in list_accounts():
        where = f"VERIFICATION_PROVIDERS: {account.name}"
        if account.name in names or not NAME.fullmatch(account.name):
            hint = "Use each name once, of small letters and digits, 32 at most."
            yield Fault(f"{where} is no name of a provider, or there twice.", hint)
            continue
        names.add(account.name)
        yield from _account_faults(account)
        try:
            provider = _load(account)
        except NotConfigured as exc:
            adapters = ", ".join(sorted(list_adapters()))
            yield Fault(f"{where}: {exc}.", f"Installed adapters: {adapters}.")
            continue
        yield from _kind_faults(account, provider, asked)


def _account_faults(account: Account) -> Iterator[Fault]:
    prefix = f"VERIFICATION_{account.name.upper()}"
    try:
        http_client.check_url(account.url, allow_loopback=settings.ALLOW_LOOPBACK)
    except AddressRefused as exc:
        yield Fault(f"{prefix}_URL cannot be called: {exc}.", "Set the base URL of the provider.")
    if not account.token:
        hint = f"Set {prefix}_TOKEN, or name a file in {prefix}_TOKEN_FILE."
        yield Fault(f"{prefix}_TOKEN is not set.", hint)
    if len(account.secret) < MIN_SECRET_LENGTH:
        hint = f"Set {prefix}_SECRET, or name a file in {prefix}_SECRET_FILE."
        yield Fault(f"{prefix}_SECRET has less than {MIN_SECRET_LENGTH} characters.", hint)


def _kind_faults(account: Account, provider: Provider, asked: dict[Kind, str]) -> Iterator[Fault]:
    prefix = f"VERIFICATION_{account.name.upper()}"
    answers = ", ".join(provider.needs)
    unknown = [kind for kind in account.kinds if kind not in provider.needs]
    if unknown:
        fault = f"{prefix}_CHECKS names {', '.join(unknown)}, which the adapter does not answer."
        yield Fault(fault, f"It answers: {answers}.")
    for kind in kinds_of(account, provider):
        if unknown_fields := set(provider.needs[kind]) - FIELDS[kind]:
            fault = f"The adapter {account.adapter} wants {', '.join(sorted(unknown_fields))}."
            yield Fault(fault, f"{kind} has the fields {', '.join(sorted(FIELDS[kind]))}.")
        if kind in asked:
            fault = f"{account.name} is never asked for {kind}: {asked[kind]} is."
            hint = f"Name the checks of each in {prefix}_CHECKS."
            yield Fault(fault, hint, is_fatal=False)
        asked.setdefault(kind, account.name)


@functools.cache
def _load(account: Account) -> Provider:
    """Make the adapter of an account. Raises: NotConfigured."""
    made = BUILT_IN.get(account.adapter)
    if made is None:
        made = _load_entry_point(account)
    try:
        return made(account)
    except ValueError as exc:  # its text names the fault, without any secret
        raise NotConfigured(f"the adapter {account.adapter} refuses the account: {exc}") from exc
    except Exception as exc:
        fault = f"the adapter {account.adapter} fails ({type(exc).__name__})"
        raise NotConfigured(fault) from exc


def _load_entry_point(account: Account) -> Any:
    point = list_adapters().get(account.adapter)
    if point is None:
        raise NotConfigured(f"there is no adapter {account.adapter!r}")
    try:
        return point.load()
    except Exception as exc:
        raise NotConfigured(
            f"the adapter {account.adapter} cannot be loaded ({type(exc).__name__})"
        ) from exc
