"""Deployment checks of the message broker: Redis, AMQP or files, and TLS that is verified."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import SplitResult, parse_qsl, urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's

from config.deploy_transport import is_elsewhere

PLAIN: Final = {"redis", "amqp"}
ENCRYPTED: Final = {"rediss", "amqps"}
FILES: Final = "files"  # below DATA_DIR
REQUIRED: Final = {"required", "cert_required"}
TLS_FILES: Final = {"ssl_ca_certs", "ssl_certfile", "ssl_keyfile"}


def faults() -> Iterator[CheckMessage]:
    """Yield an error for each fault of CELERY_BROKER_URL, and a warning if it is files."""
    brokers = _brokers()
    if any(one.scheme not in {*PLAIN, *ENCRYPTED, FILES} for one in brokers):
        hint = "Use rediss:// or amqps://, or unset it: other kinds lose tasks or have no TLS."
        yield Error("CELERY_BROKER_URL is no broker to use.", hint=hint, id="vestibule.E059")
    if any(one.scheme in PLAIN and is_elsewhere(one.hostname) for one in brokers):
        hint = "Use rediss:// or amqps:// for each address."
        yield Error("CELERY_BROKER_URL is without TLS.", hint=hint, id="vestibule.E019")
    if not all(_verifies(one) for one in brokers):
        hint = (
            "Leave out ssl options but ssl_cert_reqs=required and the paths of files: anybody in "
            "between could read and add tasks."
        )
        fault = "CELERY_BROKER_URL does not verify the certificate."
        yield Error(fault, hint=hint, id="vestibule.E057")
    if any(one.scheme == FILES for one in brokers):
        hint = (
            "Name Redis or RabbitMQ, unless all programs run on this machine: others see no task."
        )
        fault = "CELERY_BROKER_URL is files of one machine."
        yield Warning(fault, hint=hint, id="vestibule.W008")


def _brokers() -> list[SplitResult]:
    """Return the addresses of the broker; a later one without a scheme has that of the first."""
    addresses = settings.CELERY_BROKER_URL.split(";")
    scheme = addresses[0].partition("://")[0]
    return [urlsplit(one if "://" in one else f"{scheme}://{one}") for one in addresses]


def _verifies(broker: SplitResult) -> bool:
    """Return whether no option of an address weakens TLS."""
    options = parse_qsl(broker.query.lower(), keep_blank_values=True)
    return all(
        name in TLS_FILES or (name == "ssl_cert_reqs" and value in REQUIRED)
        for name, value in options
        if name.startswith("ssl")
    )
