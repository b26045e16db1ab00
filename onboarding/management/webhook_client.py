"""A client for a partner's webhooks over the API."""

from typing import Any
from urllib.parse import urlsplit

import requests

from foundation.outbound import loopback
from onboarding.management.receiver import SOFTWARE

DESCRIPTION = "manage.py listen"  # marks webhooks of this command, to find stale ones
SECONDS = 15


class Refusal(Exception):
    """The service is unreachable or refuses the request."""


class WebhookClient:
    """Calls the webhook operations of one deployment with one access key."""

    def __init__(self, base_url: str, authorization: str) -> None:
        self._url = f"{base_url}/service/api/v1/webhooks"
        self._is_here = is_loopback(base_url)
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy for this machine
        self._session.headers.update({"Authorization": authorization, "Accept": "application/json"})

    def register(self, server_url: str) -> dict[str, Any]:
        """Register a webhook and return it with its secrets. Raises: Refusal."""
        body = {"serverUrl": server_url, "description": DESCRIPTION}
        return self._call("PUT", self._url, json=body)

    def delete(self, webhook_id: str) -> None:
        """Delete a webhook. Raises: Refusal."""
        self._call("DELETE", f"{self._url}/{webhook_id}")

    def delete_stale(self, server_url: str) -> int:
        """Delete webhooks of killed listeners; return their number. Raises: Refusal.

        A webhook is stale if it has the caller's own URL, or a URL on this machine where no
        listener answers. Webhooks of other machines and tunnels are kept.
        """
        webhooks = self._call("GET", self._url)["webhookList"]
        stale = [
            one["externalId"]
            for one in webhooks
            if one["description"] == DESCRIPTION
            and (one["serverUrl"] == server_url or self._is_dead(one["serverUrl"]))
        ]
        for webhook_id in stale:
            self.delete(webhook_id)
        return len(stale)

    def _is_dead(self, url: str) -> bool:
        """Return whether the URL is on this machine and no listener answers."""
        if not self._is_here or not is_loopback(url):
            return False
        with requests.Session() as session:
            session.trust_env = False
            try:
                answer = session.get(url, timeout=SECONDS, allow_redirects=False)
            except requests.RequestException:
                return True
        return SOFTWARE not in answer.headers.get("Server", "")

    def _call(self, method: str, url: str, **options: Any) -> dict[str, Any]:
        try:
            response = self._session.request(method, url, timeout=SECONDS, **options)
            body = response.json() if response.content else {}
        except requests.RequestException as exc:
            raise Refusal(
                f"{self._url} cannot be reached ({type(exc).__name__}); does the service run?"
            ) from exc
        if not response.ok:
            errors = [error["message"] for error in body.get("errors", [])]
            raise Refusal(f"{self._url} answers {response.status_code}: {' '.join(errors)}")
        return dict(body)


def is_loopback(url: str) -> bool:
    """Return whether the host of the URL is a loopback address of the calling machine."""
    return loopback.is_loopback(urlsplit(url).hostname)
