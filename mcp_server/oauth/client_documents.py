"""Metadata documents of clients: whether this server can fetch them, and so may offer to."""

import logging
import threading
import time
from typing import Final

from django.conf import settings
from oauth2_provider.cimd import CIMDError

from mcp_server.oauth.clients import MetadataFetcher

CACHE_SECONDS: Final = 600.0  # seconds that a verdict counts
logger = logging.getLogger(__name__)


class Reachability:
    """Checks whether the metadata documents of known clients can be fetched from this process.

    An outdated result is renewed in the background when it is read. Before the first check has
    finished, the result is False: a client that is not offered the documents registers itself,
    which always works, while a client whose document cannot be fetched has no other way to sign in.
    """

    def __init__(self) -> None:
        self.is_good = False
        self._is_due_at = 0.0
        self._running = threading.Lock()

    def ask(self) -> bool:
        """Return whether the documents could be fetched at the last check.

        If that was more than CACHE_SECONDS ago, a new check is started in the background.
        """
        verdict = self.is_good
        if time.monotonic() >= self._is_due_at and self._running.acquire(blocking=False):
            self._start()
        return verdict

    def renew(self) -> None:
        """Fetch the documents of `CLIENT_DOCUMENT_PROBES`; all of them must be usable."""
        self._is_due_at = time.monotonic() + CACHE_SECONDS
        self.is_good = all(map(_can_fetch, settings.CLIENT_DOCUMENT_PROBES))

    def _start(self) -> None:
        try:
            threading.Thread(target=self._renew_and_release, daemon=True).start()
        except RuntimeError:  # no more threads
            logger.exception("client documents are not checked")
            self._running.release()

    def _renew_and_release(self) -> None:
        try:
            self.renew()
        finally:
            self._running.release()


_reachability = Reachability()


def are_offered() -> bool:
    """Return whether the server's metadata offers to know clients by their documents.

    The setting CLIENT_DOCUMENTS decides; with "auto", they are offered if the last check could
    fetch them. Without `OUTBOUND`, only documents that the operator keeps can be offered.
    """
    if not settings.OUTBOUND and not settings.PINNED_CLIENT_DOCUMENTS:
        return False
    if settings.CLIENT_DOCUMENTS == "auto":
        return _reachability.ask()
    return bool(settings.CLIENT_DOCUMENTS == "on")


def _can_fetch(client_id: str) -> bool:
    try:
        MetadataFetcher().fetch(client_id)
    except CIMDError:  # which the fetcher has logged
        return False
    except Exception:  # an error of any kind must not leave an old verdict of True
        logger.exception("client document %.200s cannot be checked", client_id)
        return False
    return True
