"""Key proposals: new access keys and secrets, which a second administrator confirms.

The secret is made with the proposal and shown to its proposer; it works once it is confirmed.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from banking.choices import StaffEventType
from banking.models import StaffChange, User
from banking.services import staff_changes, staff_history
from banking.services.staff_changes import Kind
from onboarding.models import ApiKey, BankKey, Partner
from onboarding.models.access_keys import AccessKey
from onboarding.services.partners import api_keys
from onboarding.services.partners.api_keys import IssuedKey, KeyNotLive

PROPOSED: Final = ["access_key", "label", "permissions", "networks", "secret_digest"]
NOUNS: Final[dict[type[AccessKey], str]] = {BankKey: "bank key", ApiKey: "partner's key"}
COMMANDS: Final = {BankKey: StaffEventType.BANK_KEY, ApiKey: StaffEventType.PARTNER_KEY}


def propose_issue(issued: IssuedKey, *, lifetime: timedelta, by: User, at: datetime) -> StaffChange:
    """Propose to a second administrator to issue a key that is not saved.

    Its lifetime, cut to whole days, begins with the confirmation. Raises: AccountTooNew.
    """
    key = issued.key
    payload = {name: getattr(key, name) for name in PROPOSED}
    if isinstance(key, ApiKey):
        payload["partner"] = key.partner_id
    summary = [f"New {NOUNS[type(key)]} {key}.", *_describe(key)]
    summary.append(f"It expires {lifetime.days} days after the confirmation.")
    payload["days"] = lifetime.days
    return staff_changes.propose(ISSUES[type(key)], payload=payload, summary=summary, by=by, at=at)


def propose_rotation(key: AccessKey, *, grace: timedelta, by: User, at: datetime) -> IssuedKey:
    """Propose a new secret for a key to a second administrator, and return the key with it.

    The new secret works from the confirmation on, and the old secret for `grace`, cut to whole
    hours, after it. Raises: AccountTooNew, KeyNotLive.
    """
    if not type(key).objects.live(at=at).filter(pk=key.pk).exists():
        raise KeyNotLive
    issued, hours = IssuedKey(key, api_keys.make_secret()), grace // timedelta(hours=1)
    digest = api_keys.secret_digest(issued.secret)
    payload = {"key": key.pk, "secret_digest": digest, "hours": hours}
    summary = [f"Another secret of {NOUNS[type(key)]} {key}.", *_describe(key)]
    summary.append(f"The old secret works for {hours} more hours.")
    staff_changes.propose(ROTATIONS[type(key)], payload=payload, summary=summary, by=by, at=at)
    return issued


def record_command(key: AccessKey, what: str, *, at: datetime) -> None:
    """Record a staff event for a management command that was run on a key.

    `what` completes "The key was …", for example "revoked".
    """
    noun = NOUNS[type(key)]
    summary = [f"{noun.capitalize()} {key} was {what}.", *_describe(key)]
    staff_history.record(COMMANDS[type(key)], by=None, at=at, summary=summary)


def _describe(key: AccessKey) -> Iterator[str]:
    if isinstance(key, ApiKey):
        yield f"Its partner: {key.partner}."
    yield f"Its label: {key.label or 'none'}."
    noun = "permissions" if isinstance(key, ApiKey) else "scopes"
    yield f"Its {noun}: {', '.join(key.permissions)}."
    yield f"It can call from: {', '.join(key.networks) or 'any address'}."


def _basis_of_issue(change: StaffChange) -> Any:
    """Return the partner's name and suspension; a bank key replaces nothing."""
    partners = Partner.objects.filter(pk=change.payload.get("partner"))
    return list(map(str, partners.values_list("name", "suspended_at").first() or []))


def _issue(model: type[AccessKey], change: StaffChange) -> None:
    said, at = change.payload, change.settled_at
    assert at  # noqa: S101 - the service settles a change before it is carried out
    values = {name: said[name] for name in PROPOSED}
    if "partner" in said:
        values["partner_id"] = said["partner"]
    model.objects.create(**values, expires_at=at + timedelta(days=said["days"]))


def _basis_of_rotation(model: type[AccessKey], change: StaffChange) -> Any:
    key = model.objects.get(pk=change.payload["key"])
    return [key.secret_digest, key.permissions, key.networks, key.revoked_at is None]


def _rotate(model: type[AccessKey], change: StaffChange) -> None:
    said, at = change.payload, change.settled_at
    assert at  # noqa: S101 - the service settles a change before it is carried out
    key, grace = model.objects.get(pk=said["key"]), timedelta(hours=said["hours"])
    api_keys.replace_secret(key, said["secret_digest"], at=at, grace=grace)


def _register(name: str, model: type[AccessKey]) -> tuple[Kind, Kind]:
    """Register two kinds of staff change for a model of keys: a new key, and a new secret."""
    noun = NOUNS[model]
    issue = Kind(name, f"New {noun}", _basis_of_issue, partial(_issue, model))
    basis, rotate = partial(_basis_of_rotation, model), partial(_rotate, model)
    rotation = Kind(f"{name}_SECRET", f"Secret of a {noun}", basis, rotate)
    return staff_changes.register(issue), staff_changes.register(rotation)


BANK_KEY, BANK_KEY_SECRET = _register("BANK_KEY", BankKey)
PARTNER_KEY, PARTNER_KEY_SECRET = _register("PARTNER_KEY", ApiKey)
ISSUES: Final[dict[type[AccessKey], Kind]] = {BankKey: BANK_KEY, ApiKey: PARTNER_KEY}
ROTATIONS: Final[dict[type[AccessKey], Kind]] = {
    BankKey: BANK_KEY_SECRET,
    ApiKey: PARTNER_KEY_SECRET,
}
