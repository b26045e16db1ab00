"""Connection checks of hosts outside of the bank: verification providers and webhooks."""

import time
from collections.abc import Iterator
from typing import Final

from django.conf import settings

from config.connection_checks.findings import Finding, fault_of
from foundation.outbound import connection_pool, http_client, targets
from foundation.outbound.http_client import AddressRefused, RequestFailed
from foundation.verification import registry
from onboarding.choices import WebhookStatus
from onboarding.models import Webhook

SECONDS: Final = 5.0
MAX_BYTES: Final = 64 * 1024
MAX_HOSTS: Final = 3  # of webhooks that are tried
HELD: Final = Finding("Nothing is tried: OUTBOUND is off.")


def check_providers() -> Iterator[Finding]:
    """Yield the findings of each verification provider: any answer to a GET will do."""
    if not settings.OUTBOUND:
        yield HELD
        return
    accounts = registry.list_accounts()
    if not accounts:
        yield Finding("There is no verification provider.")
    for account in accounts:
        try:
            answer = http_client.send_request(
                "GET",
                account.url,
                connect_seconds=SECONDS,
                seconds=2 * SECONDS,
                max_bytes=MAX_BYTES,
                allow_loopback=settings.ALLOW_LOOPBACK,
            )
        except (AddressRefused, RequestFailed) as exc:
            yield fault_of(f"the provider {account.name}", exc)
        else:
            yield Finding(f"The provider {account.name} answers, {answer.status} to a GET.")


def check_webhooks() -> Iterator[Finding]:
    """Yield the findings of the hosts of the newest active webhooks, MAX_HOSTS at most.

    Connects to each, with TLS, and sends no request. There are faults only if none is reached.
    """
    if not settings.OUTBOUND:
        yield HELD
        return
    urls = Webhook.objects.kept().filter(status=WebhookStatus.ACTIVE).order_by("-pk")
    hosts: dict[tuple[str, str, int], targets.Target] = {}
    for url in urls.values_list("server_url", flat=True)[:100]:
        target = targets.parse(url, allow_loopback=settings.ALLOW_LOOPBACK)
        hosts.setdefault(target.origin, target)
    if not hosts:
        yield Finding("There is no webhook yet.")
        return
    faults = [fault for one in [*hosts.values()][:MAX_HOSTS] if (fault := _fault(one))]
    tried = min(len(hosts), MAX_HOSTS)
    if len(faults) == tried:
        yield from faults
    else:
        yield Finding(f"{tried - len(faults)} of {tried} hosts of webhooks can be reached.")


def _fault(target: targets.Target) -> Finding | None:
    deadline = time.monotonic() + SECONDS
    route = connection_pool.Route(target, deadline, SECONDS, settings.ALLOW_LOOPBACK)
    try:
        connection_pool.connect(route).close()
    except (AddressRefused, OSError) as exc:
        return fault_of(f"the webhooks' host {target.host}", exc.__cause__ or exc)
    return None
