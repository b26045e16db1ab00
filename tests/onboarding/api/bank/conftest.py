"""A system of the bank that calls the record feed."""

from datetime import timedelta

import orjson
import pytest
from django.utils import timezone

from onboarding.services.partners import api_keys

ROOT = "/service/bank/v1/"
NDJSON = "application/x-ndjson"


def issue(*scopes, **options):
    return api_keys.issue_bank_key(at=timezone.now(), scopes=scopes, **options)


def authorization(issued):
    return f"Vestibule {issued.key.access_key}:{issued.secret}"


class Core:
    """A client with a bank key."""

    def __init__(self, client, issued):
        self.client, self.issued = client, issued

    def call(self, method, path, content=b"", content_type="application/json", **headers):
        return getattr(self.client, method)(
            f"{ROOT}{path}",
            content,
            content_type=content_type,
            headers={"authorization": authorization(self.issued), **headers},
        )

    def put(self, path, body):
        return self.call("put", path, orjson.dumps(body))

    def get(self, path):
        return self.client.get(
            f"{ROOT}{path}", headers={"authorization": authorization(self.issued)}
        )

    def send(self, path, *lines):
        texts = [line if isinstance(line, bytes) else orjson.dumps(line) for line in lines]
        return self.call("post", path, b"\n".join(texts), NDJSON)


@pytest.fixture
def core(db, client):
    return Core(client, issue("*:write", "*:read", lifetime=timedelta(days=1)))


@pytest.fixture
def make_core(db, client):
    return lambda *scopes, **options: Core(client, issue(*scopes, **options))


def outcomes_of(response):
    return [orjson.loads(line) for line in b"".join(response.streaming_content).splitlines()]
