"""Deployments: record the secrets that belong to a database, and refuse others."""

import hashlib
import hmac
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, transaction

from banking.models import Deployment
from banking.queries import deployments
from banking.services import stores
from foundation.privacy import encrypted_columns
from foundation.privacy.encryption import (
    DecryptionError,
    decrypt,
    parse_index_keys,
    parse_keys,
)

PII_KEYS, PII_INDEX_KEYS = "PII_KEYS", "PII_INDEX_KEYS"
FORMER_INDEX_KEY = "PII_INDEX_KEY"  # recorded before there could be several; it has no id
SECRETS = ["SECRET_KEY", "API_KEY_PEPPER", "LINK_KEY", PII_INDEX_KEYS, PII_KEYS]
FALLBACKS = {  # settings of former values
    name: f"{name}_FALLBACKS" for name in ("SECRET_KEY", "API_KEY_PEPPER")
}
KEYRINGS = {PII_KEYS: parse_keys, PII_INDEX_KEYS: parse_index_keys}  # settings of several keys
MADE = {PII_KEYS: "encrypted values", PII_INDEX_KEYS: "indexed numbers"}
CANARY = "canary"
CONTEXT = "banking.deployment.canary"
SAMPLE = 3  # values of each field that are opened before secrets are recorded
ADVICE = (
    "Give this process the secrets of its database. `manage.py verify_keys` compares all of them; "
    "`manage.py accept_secrets NAME` accepts a change that you made on purpose."
)


class SecretsDiffer(ImproperlyConfigured, OperationalError):
    """The secrets of this process are not those of its database.

    An OperationalError, because a running process must then do without its database.
    """


def verify(*, at: datetime, may_record: bool) -> None:
    """Compare the secrets of this process with the secrets that the database has recorded.

    With `may_record`, record them if the database has none, and also new first keys of PII_KEYS and
    PII_INDEX_KEYS if all else agrees. Otherwise a database without recorded secrets passes. A
    comparison takes one statement. Raises: SecretsDiffer.
    """
    deployment = deployments.get_deployment()
    if deployment is None and may_record:
        record(at=at)
        deployment = deployments.get_deployment()  # which another program may have recorded
    if deployment is None:
        return
    _require_same(deployment)
    recorded = _recorded(deployment)
    if may_record and any(_primary(name) not in recorded[name] for name in KEYRINGS):
        _add_primary_keys()


def list_differences(deployment: Deployment) -> dict[str, str]:
    """Return a sentence for each secret that differs from the recorded one, by its setting's name.

    A secret that was recorded and is now among the fallbacks of its setting does not differ.
    """
    recorded, present = _recorded(deployment), fingerprints()
    differences = {
        name: f"{name} is not the one that this database was used with."
        for name in SECRETS
        if name not in KEYRINGS
        and recorded[name] != present[name]
        and not _is_fallback(name, recorded)
    }
    faults = {name: _key_faults(name, recorded[name], present[name]) for name in KEYRINGS}
    if not faults[PII_KEYS] and not _opens(deployment):
        faults[PII_KEYS] = [f"{PII_KEYS} does not open the canary of this database."]
    return differences | {name: " ".join(found) for name, found in faults.items() if found}


def list_idle_keys(deployment: Deployment) -> list[tuple[str, str]]:
    """Return setting and id of each key that is neither recorded as required nor the first one."""
    recorded, present = _recorded(deployment), fingerprints()
    return [
        (name, key_id)
        for name in KEYRINGS
        for key_id in present[name]
        if key_id not in recorded[name] and key_id != _primary(name)
    ]


def fingerprints() -> dict[str, Any]:
    """Return the HMAC of each secret; of PII_KEYS and PII_INDEX_KEYS, of each key by its id.

    The secret is the key of the HMAC, so a fingerprint tells nothing of it.
    """
    single = {name: _fingerprint(name, getattr(settings, name).encode()) for name in SECRETS}
    return single | {
        name: {
            key_id: _fingerprint(name if key_id else FORMER_INDEX_KEY, key)
            for key_id, key in parse(getattr(settings, name)).items()
        }
        for name, parse in KEYRINGS.items()
    }


@transaction.atomic
def accept(names: Collection[str], *, at: datetime) -> None:
    """Record the present secrets of these names in the place of the recorded ones.

    A database without recorded secrets records all of them. Nothing is decrypted to try them.
    """
    _insert(at=at)
    row = _locked()
    present = fingerprints()
    row.fingerprints |= {name: present[name] for name in names}
    if PII_KEYS in names:
        row.canary = CANARY  # encrypted anew
    row.save()


@transaction.atomic
def forget_old_keys(name: str) -> None:
    """Stop requiring the keys of a setting, PII_KEYS or PII_INDEX_KEYS, after its first key.

    The caller has made sure that nothing in this database needs them. Does nothing without recorded
    secrets.
    """
    row = Deployment.objects.defer("canary").select_for_update(of=("self",)).first()
    if row:
        primary = _primary(name)
        row.fingerprints[name] = {primary: fingerprints()[name][primary]}
        row.save(update_fields=["fingerprints"])


def record(*, at: datetime) -> None:
    """Record the present secrets, and mark an empty document store as that of this deployment.

    Recorded secrets stay. Raises: SecretsDiffer if sampled values of this database cannot be
    decrypted with these secrets, or their blind indexes differ.
    """
    samples = {
        field.context: encrypted_columns.decrypt_sample(field, size=SAMPLE)
        for field in encrypted_columns.encrypted_fields()
    }
    if closed := [context for context, sample in samples.items() if sample.undecryptable]:
        raise SecretsDiffer(f"{PII_KEYS} does not open the values of {', '.join(closed)}. {ADVICE}")
    if strange := [context for context, sample in samples.items() if sample.misindexed]:
        fault = f"{PII_INDEX_KEYS} is not that of the blind indexes of {', '.join(strange)}."
        raise SecretsDiffer(f"{fault} {ADVICE}")
    _insert(at=at)
    stores.claim_empty()


def _insert(*, at: datetime) -> None:
    """Add the deployment's row with the present secrets, unless the database has the row."""
    deployment = Deployment(
        canary=CANARY,
        fingerprints=fingerprints(),
        database_identity=deployments.get_database_identity(),
        recorded_at=at,
    )
    Deployment.objects.bulk_create([deployment], ignore_conflicts=True)


@transaction.atomic
def _add_primary_keys() -> None:
    """Record the first keys as required: values are encrypted and indexed with them from now on.

    Raises: SecretsDiffer if the secrets differ from those recorded meanwhile.
    """
    _locked()
    deployment = deployments.get_deployment()
    assert deployment  # noqa: S101 - it is locked
    _require_same(deployment)  # another process may have recorded the same id
    recorded, present = _recorded(deployment), fingerprints()
    for name in KEYRINGS:
        recorded[name][_primary(name)] = present[name][_primary(name)]
    deployment.fingerprints = recorded
    deployment.save(update_fields=["fingerprints"])


def _recorded(deployment: Deployment) -> dict[str, Any]:
    """Return the recorded fingerprints; an index key of the former setting has an empty id."""
    recorded: dict[str, Any] = dict(deployment.fingerprints)
    if PII_INDEX_KEYS not in recorded:
        recorded[PII_INDEX_KEYS] = {"": recorded[FORMER_INDEX_KEY]}
    return recorded


def _primary(name: str) -> str:
    """Return the id of the first key of a setting."""
    return next(iter(KEYRINGS[name](getattr(settings, name))))


def _locked() -> Deployment:
    return Deployment.objects.defer("canary").select_for_update(of=("self",)).get()


def _require_same(deployment: Deployment) -> None:
    if differences := list_differences(deployment):
        raise SecretsDiffer(f"{' '.join(differences.values())} {ADVICE}")


def _key_faults(name: str, recorded: Mapping[str, str], present: Mapping[str, str]) -> list[str]:
    """Return a sentence for each recorded key that is missing or has another value."""
    return [
        f"{name} has another key under the id {key_id!r} than this database was used with."
        if key_id in present
        else f"{name} lacks the key {key_id or 'without an id'}, which has {MADE[name]} of this "
        "database: put it back, behind a new first key if you rotate."
        for key_id, fingerprint in recorded.items()
        if present.get(key_id) != fingerprint
    ]


def _is_fallback(name: str, recorded: Mapping[str, Any]) -> bool:
    """Return whether the recorded secret is still one of the fallbacks of its setting."""
    fallbacks = getattr(settings, FALLBACKS[name]) if name in FALLBACKS else []
    return recorded[name] in [_fingerprint(name, key.encode()) for key in fallbacks]


def _opens(deployment: Deployment) -> bool:
    try:
        row = str(deployment.pk)
        return decrypt(deployment.envelope, context=CONTEXT, row=row) == CANARY  # type: ignore[attr-defined]  # get_deployment annotates it
    except DecryptionError:
        return False


def _fingerprint(name: str, secret: bytes) -> str:
    return hmac.digest(secret, f"vestibule.fingerprint\0{name}".encode(), hashlib.sha256).hex()[:32]
