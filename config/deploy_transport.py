"""Deployment checks of connections: TLS to other machines, and no hosts of strangers."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's

from config import deploy_database, env
from foundation.outbound.loopback import is_loopback

ENCRYPTED_MODES: Final = {"require", "verify-ca", "verify-full"}
HOST: Final = re.compile(r"(?!-)[a-z0-9-]+(\.[a-z0-9-]+)+")
SHARED_HOSTS: Final = Path(__file__).with_name("shared_hosts.txt")
PROGRAMS: Final = {  # schemes that known desktop programs register
    *("cursor", "vscode", "vscode-insiders", "vscodium", "windsurf", "zed"),
    *("claude", "chatgpt", "codex"),
}
TRACES: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PRIVATE_SCHEME: Final = re.compile(r"[a-z][a-z0-9-]*(\.[a-z0-9-]+)+")  # RFC 8252, section 7.1
REGISTRY: Final = re.compile(
    r"(ac|co|com|edu|gob|gov|me|ne|net|nom|or|org)\.[a-z]{2}"  # of a country
)


def faults() -> Iterator[CheckMessage]:
    """Yield an error for each unsafe address, and a warning for metrics that anybody may read."""
    yield from _host_faults()
    yield from _assistant_faults()
    yield from _plain_connections()
    yield from _mail_faults()
    yield from _metrics_faults()


def _host_faults() -> Iterator[CheckMessage]:
    if any("*" in host for host in settings.ALLOWED_HOSTS):
        hint = "Name each host that the service answers for."
        yield Error("ALLOWED_HOSTS has a wildcard.", hint=hint, id="vestibule.E015")
    for host in settings.ALLOWED_HOSTS:
        if host.startswith("."):
            hint = "Name each host: links in mails could name any host below this one."
            fault = f"ALLOWED_HOSTS: {host} stands for every host below it."
            yield Error(fault, hint=hint, id="vestibule.E051")
    base = urlsplit(settings.BASE_URL)
    if base.username is not None or base.path or base.query or base.fragment:
        hint = "Links in mails begin with it. Write https:// and the host alone."
        fault = "BASE_URL has a name, path, query or fragment."
        yield Error(fault, hint=hint, id="vestibule.E058")
    if is_loopback(base.hostname):
        hint = "Set it to the https:// address that the proxy serves: links in mails begin with it."
        yield Error("BASE_URL is this machine.", hint=hint, id="vestibule.E052")


def _assistant_faults() -> Iterator[CheckMessage]:
    for origin in settings.MCP_ALLOWED_ORIGINS[1:]:  # the first is BASE_URL
        parts = urlsplit(origin)
        if parts.scheme != "https" or origin != f"https://{parts.netloc}" or {*"*@"} & {*origin}:
            fault = f"MCP_ALLOWED_ORIGINS: {origin} is not an https origin."
            hint = "Write each as https:// and the host, without path and wildcard."
            yield Error(fault, hint=hint, id="vestibule.E016")
    shared = set(SHARED_HOSTS.read_text().split())
    for host in map(str.lower, settings.KNOWN_ASSISTANT_HOSTS):
        if host in shared or REGISTRY.fullmatch(host):
            hint = "Name the full host: anybody can have another one below it."
            fault = f"KNOWN_ASSISTANT_HOSTS: {host} belongs to everybody."
            yield Error(fault, hint=hint, id="vestibule.E053")
        if not HOST.fullmatch(host) or host.replace(".", "").isdigit():
            hint = "Consents to every host below it would lack the warning."
            fault = f"KNOWN_ASSISTANT_HOSTS: {host} is not the full name of a host."
            yield Error(fault, hint=hint, id="vestibule.E017")
    schemes = settings.OAUTH2_PROVIDER["ALLOWED_REDIRECT_URI_SCHEMES"][2:]  # https, http
    for scheme in map(str.lower, schemes):
        if scheme in PROGRAMS or PRIVATE_SCHEME.fullmatch(scheme):
            continue
        fault = f"ASSISTANT_URI_SCHEMES: {scheme} does not open a program of its own."
        hint = (
            "Name only cursor, another scheme of PROGRAMS in config/deploy_transport.py, or a "
            "reversed domain name such as com.example.assistant."
        )
        yield Error(fault, hint=hint, id="vestibule.E018")


def _plain_connections() -> Iterator[CheckMessage]:
    """Yield an error for each connection without TLS to another machine."""
    for variable, database in deploy_database.addresses().items():
        options = database.get("OPTIONS", {})
        named = [database.get("HOST"), options.get("host"), options.get("hostaddr")]
        hosts = [host for value in named if value for host in value.split(",")]
        is_plain = options.get("sslmode") not in ENCRYPTED_MODES
        if is_plain and any(is_elsewhere(host) for host in hosts):
            hint = "Add ?sslmode=verify-full, or require."
            yield Error(f"{variable} is without TLS.", hint=hint, id="vestibule.E020")
    options = settings.STORAGES["documents"]["OPTIONS"]["store"].get("OPTIONS", {})
    store = urlsplit(options.get("endpoint_url") or "")
    if store.scheme == "http" and is_elsewhere(store.hostname):
        hint = "Use https://."
        yield Error("DOCUMENT_S3_ENDPOINT is without TLS.", hint=hint, id="vestibule.E021")
    clamd_host = settings.CLAMD_ADDRESS.rpartition(":")[0].strip("[]")
    if settings.SCANNER == "clamd" and is_elsewhere(clamd_host):
        hint = "clamd speaks no TLS. Run it on this machine, or name this end of a tunnel."
        yield Error("CLAMD_ADDRESS is without TLS.", hint=hint, id="vestibule.E026")
    service = urlsplit(settings.KMS_ENDPOINT)
    if service.scheme == "http" and is_elsewhere(service.hostname):
        hint = "Use https://, or unset it: data keys would cross the network in clear."
        yield Error("KMS_ENDPOINT is without TLS.", hint=hint, id="vestibule.E040")
    for variable in TRACES:
        collector = urlsplit(env.text(variable))
        if collector.scheme == "http" and is_elsewhere(collector.hostname):
            hint = "Use https://, or a collector on this machine: headers to it may hold a token."
            yield Error(f"{variable} is without TLS.", hint=hint, id="vestibule.E114")


def _mail_faults() -> Iterator[CheckMessage]:
    if not settings.EMAIL_HOST:
        hint = "Codes and invitations would be files that nobody reads."
        yield Error("EMAIL_HOST is not set.", hint=hint, id="vestibule.E022")
    elif not settings.EMAIL_USE_TLS and is_elsewhere(settings.EMAIL_HOST):
        hint = "Unset it, or set it to true; links and codes would be sent in clear text."
        yield Error("EMAIL_USE_TLS is off.", hint=hint, id="vestibule.E023")


def _metrics_faults() -> Iterator[CheckMessage]:
    """Yield a warning if METRICS_HOST is all addresses, or a public one. Names are not resolved."""
    try:
        address = ip_address(settings.METRICS_HOST)
    except ValueError:
        return
    if address.is_unspecified or address.is_global:
        hint = (
            "Name the address of this machine that Prometheus reaches, in a private network: the "
            "port asks for no password."
        )
        which = "all addresses" if address.is_unspecified else "a public address"
        yield Warning(f"METRICS_HOST is {which}.", hint=hint, id="vestibule.W007")


def is_elsewhere(host: str | None) -> bool:
    """Return whether a host is another machine. A socket file is on this machine."""
    if not host or host.startswith("/"):
        return False
    return not is_loopback(host)
