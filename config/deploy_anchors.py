"""Deployment checks of the audit's anchors: places that can be used, and a key of the workers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from foundation.anchoring import anchors, keys
from foundation.anchoring.stores import Folder, StoreFault

TEMPORARY: Final = [Path(name) for name in ("/tmp", "/var/tmp", "/dev/shm")]  # noqa: S108 - refused


def faults() -> Iterator[CheckMessage]:
    """Yield the faults of ANCHORS and ANCHOR_KEY_FILE."""
    try:
        found = anchors.parse_destinations(settings.ANCHORS, lock=settings.ANCHOR_LOCK)
    except (StoreFault, ValueError) as exc:
        hint = "Write file:///folder, s3://bucket/prefix, rfc3161:https://server or mailto:address."
        yield Error(f"ANCHORS: {exc}.", hint=hint, id="vestibule.E064")
    else:
        yield from _destination_faults(found)
    yield from _key_faults()


def _destination_faults(found: anchors.Destinations) -> Iterator[CheckMessage]:
    for store in found.stores:
        if isinstance(store, Folder) and _is_in_reach(store.path):
            hint = "Name a folder that the programs do not write to otherwise, on another machine."
            fault = f"ANCHORS: {store.path} is emptied, or part of DATA_DIR."
            yield Error(fault, hint=hint, id="vestibule.E082")
    for mailbox in found.mailboxes:
        try:
            validate_email(mailbox)
        except ValidationError:
            hint = "Write mailto: and the auditor's address."
            fault = f"ANCHORS: {mailbox} is no email address."
            yield Error(fault, hint=hint, id="vestibule.E064")
    if not found.stores:
        hint = "Name a folder or bucket out of the database's reach: a forged audit is not found."
        yield Error("ANCHORS names no store of anchors.", hint=hint, id="vestibule.E050")
    elif not (found.servers or found.mailboxes) and all(
        isinstance(store, Folder) for store in found.stores
    ):
        hint = (
            "Add a bucket with object lock, a timestamp authority or mail to an auditor: whoever "
            "owns the machine of a folder can delete its newest anchors."
        )
        yield Warning("ANCHORS names folders alone.", hint=hint, id="vestibule.W002")


def _is_in_reach(folder: Path) -> bool:
    """Return whether a folder is in a folder of temporary files or in DATA_DIR."""
    return any(folder.is_relative_to(one) for one in [*TEMPORARY, settings.DATA_DIR.resolve()])


def _key_faults() -> Iterator[CheckMessage]:
    file = settings.ANCHOR_KEY_FILE
    if file is None:
        hint = "Give it to the workers, and to them alone: without it nothing is anchored."
        yield Warning("ANCHOR_KEY_FILE is not set.", hint=hint, id="vestibule.W005")
        return
    try:
        keys.load(file).signing_id  # noqa: B018 - raises without a private key
        is_shared = file.stat().st_mode & 0o007  # systemd opens it to its group
    except (keys.KeyFault, OSError):
        hint = "Name a PEM file with an Ed25519 key: `openssl genpkey -algorithm ed25519`."
        yield Error("ANCHOR_KEY_FILE cannot sign.", hint=hint, id="vestibule.E065")
        return
    if is_shared:
        hint = "Give it to the user of the workers, chmod 400: others could sign forged anchors."
        yield Error("ANCHOR_KEY_FILE can be read by others.", hint=hint, id="vestibule.E066")
