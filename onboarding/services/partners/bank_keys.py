"""Bank keys: proposals to issue and to rotate one, which a second administrator confirms.

The secret is made with the proposal and shown to its proposer; it works once it is confirmed.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from banking.choices import StaffEventType
from banking.models import StaffChange, User
from banking.services import staff_changes, staff_history
from onboarding.models import BankKey
from onboarding.models.access_keys import AccessKey
from onboarding.services.partners import api_keys
from onboarding.services.partners.api_keys import IssuedKey, KeyNotLive

PROPOSED = ["access_key", "label", "permissions", "networks", "secret_digest"]


def propose_issue(
    *,
    scopes: Iterable[str],
    label: str,
    networks: Iterable[str],
    lifetime: timedelta,
    by: User,
    at: datetime,
) -> IssuedKey:
    """Propose a key, and return it unsaved. Its lifetime begins with the confirmation.

    Raises: AccountTooNew, ValueError for an unknown scope, no scope or a malformed network.
    """
    issued = api_keys.prepare_bank_key(scopes=scopes, label=label, networks=networks)
    payload = {name: getattr(issued.key, name) for name in PROPOSED}
    summary = [f"New bank key {issued.key}.", *_describe(issued.key)]
    summary.append(f"It expires {lifetime.days} days after the confirmation.")
    payload["days"] = lifetime.days
    staff_changes.propose(ISSUE, payload=payload, summary=summary, by=by, at=at)
    return issued


def propose_rotation(key: BankKey, *, grace: timedelta, by: User, at: datetime) -> IssuedKey:
    """Propose another secret of a key, and return it. Until then the present secret is valid.

    Raises: AccountTooNew, KeyNotLive.
    """
    if not BankKey.objects.live(at=at).filter(pk=key.pk).exists():
        raise KeyNotLive
    issued, hours = IssuedKey(key, api_keys.make_secret()), grace // timedelta(hours=1)
    digest = api_keys.secret_digest(issued.secret)
    payload = {"key": key.pk, "secret_digest": digest, "hours": hours}
    summary = [f"Another secret of bank key {key}.", *_describe(key)]
    summary.append(f"The old secret works for {hours} more hours.")
    staff_changes.propose(ROTATION, payload=payload, summary=summary, by=by, at=at)
    return issued


def record_command(key: AccessKey, what: str, *, at: datetime) -> None:
    """Record an operator's command on a bank key. Keys of partners have no events."""
    if isinstance(key, BankKey):
        summary = [f"Bank key {key} was {what}.", *_describe(key)]
        staff_history.record(StaffEventType.BANK_KEY, by=None, at=at, summary=summary)


def _describe(key: AccessKey) -> list[str]:
    return [
        f"Its label: {key.label or 'none'}.",
        f"Its scopes: {', '.join(key.permissions)}.",
        f"It can call from: {', '.join(key.networks) or 'any address'}.",
    ]


def _basis_of_issue(_change: StaffChange) -> Any:
    return []  # it replaces nothing


def _issue(change: StaffChange) -> None:
    said, at = change.payload, change.settled_at
    assert at  # noqa: S101 - the service settles a change before it is carried out
    values = {name: said[name] for name in PROPOSED}
    BankKey.objects.create(**values, expires_at=at + timedelta(days=said["days"]))


def _basis_of_rotation(change: StaffChange) -> Any:
    key = BankKey.objects.get(pk=change.payload["key"])
    return [key.secret_digest, key.permissions, key.networks, key.revoked_at is None]


def _rotate(change: StaffChange) -> None:
    said, at = change.payload, change.settled_at
    assert at  # noqa: S101 - the service settles a change before it is carried out
    key, grace = BankKey.objects.get(pk=said["key"]), timedelta(hours=said["hours"])
    api_keys.replace_secret(key, said["secret_digest"], at=at, grace=grace)


ISSUE = staff_changes.register(
    staff_changes.Kind("BANK_KEY", "New bank key", _basis_of_issue, _issue)
)
ROTATION = staff_changes.register(
    staff_changes.Kind("BANK_KEY_SECRET", "Secret of a bank key", _basis_of_rotation, _rotate)
)
