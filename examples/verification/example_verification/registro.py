"""Registro, an invented search in the registers of the states: an answer at once, or a job."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from foundation.verification.interface import (
    Account,
    Call,
    Kind,
    Outcome,
    Pending,
    Question,
    Reply,
    Result,
    Unusable,
    WrongSignature,
    parse_object,
    read_text,
    require_success,
)

STANDINGS = {"GOOD_STANDING": Outcome.PASS, "DELINQUENT": Outcome.WARN, "DISSOLVED": Outcome.FAIL}


class RegistroProvider:
    """Searches a business: POST /search, then GET /jobs/{id} until the job is done."""

    needs: Mapping[Kind, tuple[str, ...]] = {Kind.REGISTRY: ("businessName", "incorporationState")}

    def __init__(self, account: Account) -> None:
        self.account = account

    def ask(self, question: Question) -> Call:
        body = {
            "clientRequestId": question.request_id,
            "query": {
                "name": question.subject.get("businessName", ""),
                "jurisdiction": f"us_{question.subject.get('incorporationState', '').lower()}",
            },
        }
        headers = {**self._key(), "Content-Type": "application/json"}
        return Call("POST", "/search", headers, json.dumps(body).encode())

    def poll(self, question: Question, reference: str) -> Call | None:
        return Call("GET", f"/jobs/{reference}", self._key()) if reference else None

    def read_reply(self, question: Question, reply: Reply) -> Result | Pending:
        require_success(reply)
        answer = parse_object(reply.content)
        reference = read_text(answer, "jobId")
        if read_text(answer, "status") != "DONE":
            return Pending(reference)
        return Result(*judge_companies(answer.get("companies"), reference))

    def read_callback(
        self, headers: Mapping[str, str], content: bytes, *, at: datetime
    ) -> tuple[str, Result | Pending]:
        raise WrongSignature  # this vendor calls nobody back

    def _key(self) -> dict[str, str]:
        return {"Authorization": f"Token {self.account.token}"}


def judge_companies(companies: Any, reference: str) -> tuple[Outcome, str, tuple[str, ...]]:
    """Return the outcome for the companies found, the `reference`, and the reasons.

    Raises: Unusable if `companies` is no list.
    """
    if not isinstance(companies, list):
        raise Unusable("the companies are no list")
    if not companies:
        return Outcome.FAIL, reference, ("NOT_FOUND",)
    if len(companies) > 1:
        return Outcome.WARN, reference, ("SEVERAL_FOUND",)
    standing = companies[0].get("standing") if isinstance(companies[0], dict) else None
    if standing not in STANDINGS:
        return Outcome.WARN, reference, ("STANDING_UNKNOWN",)
    outcome = STANDINGS[standing]
    return outcome, reference, () if outcome is Outcome.PASS else (standing,)
