"""Demo host: a partner's web page that embeds the applicant flow, for local trials."""

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from django.template.loader import render_to_string

from onboarding.flow.connect import NEWEST, integrity

ADDRESS = "127.0.0.1"
TIMEOUT_SECONDS = 60.0  # the first request of a bank that starts on a busy machine
LEAD = {
    "firstName": "Ada",
    "lastName": "Example",
    "phoneNumber": "+12025550123",
    "line1": "1 Analytical Way",
    "city": "New York",
    "state": "NY",
    "postalCode": "10001",
    "businessName": "Example Bakery LLC",
    "businessType": "LLC",
}
FILES = {"/host.css": "text/css; charset=utf-8", "/host.js": "text/javascript; charset=utf-8"}


@dataclass(frozen=True)
class LeadApi:
    """Client of the Lead API with the credentials of one partner."""

    base_url: str
    authorization: str = field(repr=False)

    def create_lead(self) -> dict[str, Any]:
        """Register a lead with a new email address, and return the body of the response.

        Raises: OSError if the service does not answer, or refuses.
        """
        email = f"ada.{secrets.token_hex(4)}@example.com"
        return self._call("PUT", "lead", {**LEAD, "email": email})

    def fresh_token(self, customer_id: str) -> str:
        """Return a new token for a registered applicant. Raises: OSError."""
        return str(self._call("POST", f"lead/{customer_id}/session", {})["token"])

    def _call(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        request = Request(  # noqa: S310 - the URL of this service
            f"{self.base_url}/service/api/v1/{path}",
            json.dumps(body).encode(),
            {
                "Authorization": self.authorization,
                "Content-Type": "application/json",
                "Accept": "application/json",
            },
            method=method,
        )
        with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 - as above
            return dict(json.load(answer))


class Host(ThreadingHTTPServer):
    """Web server of the partner; each load of the page registers a new lead."""

    daemon_threads = True

    def __init__(self, port: int, api: LeadApi) -> None:
        super().__init__((ADDRESS, port), Handler)
        self.api = api
        self.customers: set[str] = set()

    @property
    def origins(self) -> list[str]:
        """Return the origins of the pages, first the origin on another site than the service."""
        names = sorted(
            ["localhost", ADDRESS], key=lambda name: name == urlsplit(self.api.base_url).hostname
        )
        return [f"http://{name}:{self.server_port}" for name in names]

    @property
    def policy(self) -> str:
        """Return the content security policy that a strict partner would send."""
        return (
            f"default-src 'none'; script-src 'self' {self.api.base_url}; style-src 'self'; "
            f"img-src data:; connect-src 'self'; frame-src {self.api.base_url}; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )


class Handler(BaseHTTPRequestHandler):
    """Handler of requests for the page, its assets and new tokens."""

    server: Host

    def do_GET(self) -> None:
        """Respond with the page or an asset."""
        path = urlsplit(self.path).path
        if path == "/":
            self._ask(self._page, "text/html; charset=utf-8")
        elif path in FILES:
            self._answer(render_to_string(f"demo_host{path}"), FILES[path])
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Respond with a new token for a lead that this server registered."""
        customer_id = self.path.removeprefix("/token/")
        if customer_id in self.server.customers:
            self._ask(partial(self._token, customer_id), "application/json")
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *_arguments: Any) -> None:
        """Log nothing."""

    def _page(self) -> str:
        lead = self.server.api.create_lead()
        self.server.customers.add(lead["customerId"])
        return render_to_string(
            "demo_host/page.html",
            {
                "base_url": self.server.api.base_url,
                "version": NEWEST,
                "integrity": integrity(NEWEST),
                "lead": lead,
            },
        )

    def _token(self, customer_id: str) -> str:
        return json.dumps({"token": self.server.api.fresh_token(customer_id)})

    def _ask(self, call: Callable[[], str], content_type: str) -> None:
        """Respond with the result of a call to the service, or with its error."""
        try:
            text = call()
        except OSError as exc:
            why = f"The service at {self.server.api.base_url} gives no lead: {exc}. Is it running?"
            self.send_error(HTTPStatus.BAD_GATEWAY, explain=why)
        else:
            self._answer(text, content_type)

    def _answer(self, text: str, content_type: str) -> None:
        content = text.encode()
        self.send_response(HTTPStatus.OK)
        for name, value in {
            "Content-Type": content_type,
            "Content-Length": str(len(content)),
            "Content-Security-Policy": self.server.policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
