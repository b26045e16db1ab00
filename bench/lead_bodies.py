"""What the peers of the Lead API are asked to do: a dozen bodies, and the requests of a contest."""

import json
from functools import cache
from random import Random
from typing import Any

from tests.bodies import document_data, lead_body

LEADS = "/service/api/v1/lead"
ADDRESS = {"line1": "2 Cobol Street", "city": "Arlington", "state": "VA", "country": "US"}


def body(**values: Any) -> dict[str, Any]:
    """Return a lead with two owners and every field of the contract, but without documents."""
    sent = {**lead_body(), **values}
    del sent["documentUrls"], sent["documentDataList"]
    return sent


def dozen() -> dict[str, tuple[dict[str, Any], bool]]:
    """Return bodies by what they are, and whether each is to be accepted."""
    full = body(email="full@example.com", uniqueId="full-1")
    first, second = full["uboList"]
    too_much = [{**first, "ownershipPercent": 40}, second]
    nameless = {name: value for name, value in first.items() if not name.endswith("Name")}
    other = {**full, "email": "other@example.com", "uniqueId": "other-1"}
    return {
        "minimal": ({"email": "minimal@example.com"}, True),
        "full": (full, True),
        "EIN without dash": ({**other, "ein": "123456789"}, True),
        "owner without a name": (
            {
                **full, "email": "nameless@example.com", "uniqueId": "nameless-1",
                "uboList": [nameless],
            },
            True,
        ),
        "SSN of group 00": ({**other, "ssn": "123-00-6789"}, False),
        "email without a domain": ({**other, "email": "ada@"}, False),
        "unknown state": ({**other, "state": "ZZ"}, False),
        "ownership of 109.5 %": ({**other, "uboList": too_much}, False),
        "unknown country": ({**other, "businessAddress": {**ADDRESS, "country": "XX"}}, False),
        "born last year": ({**other, "birthDate": "2025-01-01"}, False),
        "name of 101 letters": ({**other, "firstName": "A" * 101}, False),
        "metadata of 51 keys": (
            {**other, "metadata": {f"key{n}": "value" for n in range(51)}},
            False,
        ),
    }  # fmt: skip


def new() -> str:
    """Return the body of a new lead."""
    return json.dumps(body(email="lead{n}@example.com", uniqueId="crm-{n}"))


def seed(number: int) -> dict[str, Any]:
    """Return the body of a lead that is there before a contest."""
    return body(email=f"seed{number}@example.com", uniqueId=f"seed-{number}")


def seed_with_documents(number: int) -> dict[str, Any]:
    """Return the same with two small documents."""
    files = [
        document_data(f"%PDF-1.7 {name} {number}\n%%EOF\n".encode(), fileName=f"{name}.pdf")
        for name in ("letter", "articles")
    ]
    return {**seed(number), "documentDataList": files}


@cache
def new_with_documents(*sizes: int) -> str:
    """Return the body of a new lead with documents of these sizes, in bytes."""
    dice = Random(1)  # noqa: S311 - the same documents in each run
    files = [
        document_data(b"%PDF-1.7\n" + dice.randbytes(size - 9), fileName=f"{number}.pdf")
        for number, size in enumerate(sizes)
    ]
    sent = body(email="documents{n}@example.com", uniqueId="documents-{n}")
    return json.dumps({**sent, "documentDataList": files})


def changes(number: int, mark: str) -> dict[str, Any]:
    """Return an update of a seeded lead: a name, the metadata, one owner by email."""
    return {
        "email": f"seed{number}@example.com",
        "firstName": f"Ada {mark}",
        "metadata": {"tier": mark},
        "uboList": [{"email": "grace@example.com", "lastName": f"Example {mark}"}],
    }
