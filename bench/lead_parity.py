"""Whether peers of the Lead API do the same: asked the same, do they answer and store alike."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

import psycopg

from bench import lead_bodies
from bench.contest import Request
from bench.lead_bodies import LEADS

LEAD_ROWS = "SELECT to_jsonb(l) FROM onboarding_lead l WHERE partner_id = %s AND email = %s"
PARTS = {
    "owners": "SELECT to_jsonb(o) FROM onboarding_owner o WHERE lead_id = %s ORDER BY email",
    "applications": "SELECT to_jsonb(a) FROM onboarding_application a WHERE lead_id = %s",
    "events": "SELECT to_jsonb(e) FROM onboarding_event e WHERE lead_id = %s ORDER BY number",
}
SEALED = {
    *("ssn", "ein", "passport_number", "id_gov_number"),
    *("ssn_index", "ein_index", "ssn_last_four_index", "ein_last_four_index"),
}
OWN = {"id", "lead_id", "application_id", "partner_id", "external_id", "request_id"}
DERIVED = {"digest", "previous_digest", "last_digest", "link_digest", "token_digest"}
LEFT_OUT = {  # which the peers do not work out
    *("requirements", "statusGroup", "decision", "changes", "invitationStatus"),
    *("account", "expirationDate", "isTemp", "sequence", "rejectedReason"),
}


class Differs(Exception):
    """A peer answered or stored otherwise than we do."""


@dataclass(frozen=True)
class Client:
    """Calls one server as one partner."""

    name: str
    port: int
    partner_id: int
    authorization: str

    def call(self, method: str, path: str, sent: Any = None) -> tuple[int, Any]:
        """Send JSON over a fresh connection; return the status and what was answered."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, json.dumps(sent), self.headers)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        is_json = "json" in (response.getheader("Content-Type") or "")
        return response.status, json.loads(answer) if is_json else answer

    def send(self, status: int, request: Request, number: str) -> None:
        """Send a request of a scenario under a number. Raises: Differs for another status."""
        head = {name: value.replace("{n}", number) for name, value in request.headers.items()}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = request.body.replace("{n}", number)
        connection.request(request.method, request.path, sent, head)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        if response.status != status:
            raise Differs(f"{self.name}: {request}: {response.status} {answer[:500]!r}")

    @property
    def headers(self) -> dict[str, str]:
        """Return what every call carries."""
        return {
            "Authorization": self.authorization,
            "Content-Type": "application/json",
            "Accept": "application/json",
        }

    def expect(self, status: int, method: str, path: str, sent: Any = None) -> Any:
        """Return the answer. Raises: Differs for another status."""
        got, answer = self.call(method, path, sent)
        if got != status:
            raise Differs(f"{self.name}: {method} {path}: {got} {str(answer)[:500]}")
        return answer


def answers(client: Client, url: str, *, validates: bool) -> dict[str, Any]:
    """Send the dozen bodies; return the rows that each left, by what it is.

    Raises: Differs for a status that is not the wanted one.
    """
    rows = {}
    for title, (sent, is_good) in lead_bodies.dozen().items():
        if is_good:
            client.expect(201, "PUT", LEADS, sent)
            rows[title] = stored(url, client.partner_id, sent["email"])
        elif validates:
            client.expect(400, "PUT", LEADS, sent)
    return rows


def life(client: Client, url: str) -> dict[str, Any]:
    """Create a lead, create it again, change it and read it; return rows and answer."""
    sent = lead_bodies.seed_with_documents(0)
    created = client.expect(201, "PUT", LEADS, sent)
    del sent["documentDataList"]
    client.expect(201, "PUT", LEADS, sent)
    path = f"{LEADS}/{created['customerId']}"
    client.expect(200, "POST", path, lead_bodies.changes(0, "changed"))
    file = client.expect(200, "GET", path)
    rows = stored(url, client.partner_id, sent["email"])
    rows["events"] = [one for one in rows["events"] if one["type"] != "document.received"]
    for one in rows["events"]:
        del one["number"], one["sequence"]
    del rows["lead"]["event_count"], rows["lead"]["last_sequence"]
    return {"rows": rows, "answer": comparable(file)}


def comparable(file: dict[str, Any]) -> dict[str, Any]:
    """Return what must be equal of a lead that was read: values, and the names of the rest."""
    names = sorted(set(file) - LEFT_OUT)
    owners = [worked_out(owner) | {"uboId": ""} for owner in file["owners"]]
    of_documents = {"documentId": "", "uploadedAt": ""}
    documents = [worked_out(document) | of_documents for document in file["documents"]]
    return {"names": names, "lead": file["lead"], "owners": owners, "documents": documents}


def worked_out(part: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a part of an answer that the peers have, too."""
    return {name: value for name, value in part.items() if name not in LEFT_OUT}


def stored(url: str, partner_id: int, email: str) -> dict[str, Any]:
    """Return the rows of a lead, without what differs by nature and what only we seal."""
    with psycopg.connect(url) as connection:
        found = connection.execute(LEAD_ROWS, [partner_id, email]).fetchone()
        if found is None:
            return {}
        rows = {
            name: [plain(row) for (row,) in connection.execute(query, [found[0]["id"]])]
            for name, query in PARTS.items()
        }
    return {"lead": plain(found[0]), **rows}


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that everybody writes alike; of times, whether they are there."""
    apart = SEALED | OWN | DERIVED
    kept = {name: value for name, value in row.items() if name not in apart}
    return {name: bool(value) if name.endswith("_at") else value for name, value in kept.items()}


def compare(name: str, ours: Any, theirs: Any, path: str = "") -> None:
    """Let every difference be named. Raises: Differs."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and set(ours) == set(theirs):
        for key in ours:
            compare(name, ours[key], theirs[key], f"{path}/{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            compare(name, one, other, f"{path}/{number}")
    elif ours != theirs:
        raise Differs(f"{name}: {path}: {theirs!r} where we have {ours!r}")
