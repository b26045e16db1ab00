"""The document store belongs to one deployment: only that one deletes files in it."""

import logging
from uuid import uuid4

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import transaction

from banking.models import Deployment
from banking.queries.deployments import get_database_identity, get_deployment
from foundation.jobs.registry import Incomplete

logger = logging.getLogger(__name__)

MARKER = "deployment-id"  # the file in the store that has the id of its deployment
ADVICE = "Nothing is deleted. Production runs `manage.py adopt_store`, a copy needs its own store."
NO_ID = "restore all of the database, or start a program if it is new or upgraded."


class StoreOfAnother(Incomplete):
    """The document store belongs to another database or to an unknown one; nothing was deleted."""


class Taken(Exception):
    """The document store belongs to another deployment."""


def require_own() -> None:
    """Return if this database may delete files in the store. Raises: StoreOfAnother."""
    if fault := ownership_fault():
        raise StoreOfAnother(f"{fault} {ADVICE}")


def ownership_fault() -> str:
    """Return why this database must not delete files in the store; empty if it may.

    Marks an empty store as that of this deployment. A database that has no id yet may use an empty
    store only.
    """
    deployment, owner = get_deployment(), get_owner()
    if deployment is None and owner:
        return f"The store is of deployment {owner}, the database of none: {NO_ID}"
    if deployment is None:
        return "" if _is_empty() else f"The store has files, the database has no id: {NO_ID}"
    if not owner and not _is_empty():
        return "The store has files and no deployment's id."
    if owner not in ("", str(deployment.external_id)):
        return f"The store is of deployment {owner}, not {deployment.external_id}."
    if deployment.database_identity != get_database_identity():
        return "This database was restored from a copy, or moved."
    if not owner:
        _write(deployment)
    return ""


def get_owner() -> str:
    """Return the id of the deployment that the store belongs to; empty if there is none."""
    storage = storages["documents"]
    if not storage.exists(MARKER):
        return ""
    with storage.open(MARKER) as content:
        return bytes(content.read()).decode().strip()


def claim_empty() -> None:
    """Mark the store as that of this deployment if it has no file.

    An error of the store is logged and not raised.
    """
    try:
        deployment = get_deployment()
        if deployment and not get_owner() and _is_empty():
            _write(deployment)
    except Exception:  # each store has errors of its own, which share no base
        logger.warning("the document store could not be taken", exc_info=True)


@transaction.atomic
def adopt(*, by_force: bool) -> None:
    """Let the store belong to this database, which may be a restored one.

    Raises: Taken if another deployment has it, unless `by_force`.
    """
    deployment = Deployment.objects.defer("canary").select_for_update(of=("self",)).get()
    owner = get_owner()
    if owner not in ("", str(deployment.external_id)) and not by_force:
        raise Taken(f"The store belongs to deployment {owner}.")
    deployment.database_identity = get_database_identity()
    deployment.save(update_fields=["database_identity"])
    _write(deployment)


def become_another() -> Deployment:
    """Give this database, a copy of another, a new deployment id.

    Marks an empty document store as that of the new deployment.
    """
    deployment = Deployment.objects.defer("canary").get()
    deployment.external_id = uuid4()
    deployment.database_identity = get_database_identity()
    deployment.save(update_fields=["external_id", "database_identity"])
    claim_empty()
    return deployment


def _is_empty() -> bool:
    try:
        folders, files = storages["documents"].listdir("")
    except FileNotFoundError:  # nothing was stored yet
        return True
    return not folders and not files


def _write(deployment: Deployment) -> None:
    storage = storages["documents"]
    storage.delete(MARKER)
    storage.save(MARKER, ContentFile(f"{deployment.external_id}\n".encode()))
