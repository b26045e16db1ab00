"""Call a service that writes files as the edge does: in a transaction, again after a lost race."""

from foundation.database.retries import retry_on_conflict
from onboarding.services.documents.file_store import file_transaction


@retry_on_conflict
def write(service, *args, **options):
    """Return the answer of a service that takes a `store`, committed."""
    with file_transaction() as store:
        return service(*args, store=store, **options)
