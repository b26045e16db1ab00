"""What contestants of the Lead API are asked to do."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench import lead_bodies
from bench.contest import Peer, Request, Scenario
from bench.lead_bodies import LEADS

CREATE, AGAIN, UPDATE, GET = "Create", "Create again", "Update", "Get"
DOCUMENT = "Create with a document of 1 MiB"
SHORT = {1: 0.15, 8: 0.4, 32: 0.15}
LARGE = {1: 0.15, 8: 0.4}
MIB = 1024**2


@dataclass(frozen=True)
class Entrant:
    """A peer with its own partner, the leads that it has been given, and whether it takes files."""

    peer: Peer
    partner_id: int
    access_key: str
    secret: str
    takes_documents: bool = False
    seeds: list[str] = field(default_factory=list)

    @property
    def authorization(self) -> str:
        """Return the header of its partner."""
        return f"Vestibule {self.access_key}:{self.secret}"


def scenarios(entrants: Sequence[Entrant]) -> list[Scenario]:
    """Return what the contestants are asked to do."""
    known = {entrant.peer.name: entrant for entrant in entrants}

    def asking(make: Callable[[Entrant], list[Request]]) -> Callable[[Peer], list[Request]]:
        return lambda peer: make(known[peer.name])

    return [
        Scenario(CREATE, asking(creates), 201),
        Scenario(DOCUMENT, asking(creates_with_document), 201, LARGE),
        Scenario(AGAIN, asking(creates_again), 201, SHORT),
        Scenario(UPDATE, asking(updates), 200, SHORT),
        Scenario(GET, asking(gets), 200, SHORT),
    ]


def creates(entrant: Entrant) -> list[Request]:
    """Return the request that registers somebody new."""
    return [Request("PUT", LEADS, headers(entrant), lead_bodies.new())]


def creates_with_document(entrant: Entrant) -> list[Request]:
    """Return the request that registers somebody new with a document."""
    return [with_documents(entrant, MIB)] if entrant.takes_documents else []


def with_documents(entrant: Entrant, *sizes: int) -> Request:
    """Return the request that registers somebody new with documents of these sizes, in bytes."""
    return Request("PUT", LEADS, headers(entrant), lead_bodies.new_with_documents(*sizes))


def creates_again(entrant: Entrant) -> list[Request]:
    """Return requests that send what is stored already."""
    bodies = [json.dumps(lead_bodies.seed(number)) for number in leads_of(entrant)]
    return [Request("PUT", LEADS, headers(entrant), body) for body in bodies]


def updates(entrant: Entrant) -> list[Request]:
    """Return requests that change the leads that are there."""
    return [
        Request(
            "POST",
            f"{LEADS}/{entrant.seeds[number - 1]}",
            headers(entrant),
            json.dumps(lead_bodies.changes(number, "{n}")),
        )
        for number in leads_of(entrant)
    ]


def gets(entrant: Entrant) -> list[Request]:
    """Return requests that read the leads that are there."""
    headers = {"Authorization": entrant.authorization, "Accept": "application/json"}
    return [Request("GET", f"{LEADS}/{seed}", headers) for seed in entrant.seeds]


def leads_of(entrant: Entrant) -> range:
    """Return the numbers of the leads that are there."""
    return range(1, len(entrant.seeds) + 1)


def headers(entrant: Entrant) -> dict[str, str]:
    """Return the headers of a write, which is kept under a key of its own."""
    return {
        "Authorization": entrant.authorization,
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Idempotency-Key": "bench-{n}",
    }
