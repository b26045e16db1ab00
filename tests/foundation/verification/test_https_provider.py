import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import standardwebhooks
from jsonschema import Draft202012Validator

from foundation.verification.https_provider import HttpsProvider, decode_secret, sign
from foundation.verification.interface import (
    Account,
    Kind,
    Outcome,
    Pending,
    Question,
    Reply,
    Result,
    Unusable,
    WrongSignature,
)
from tests.verification_providers import SECRET, result_of, signed

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
SCHEMA = Path(__file__).resolve().parents[3] / "docs" / "verification-providers.schema.json"
QUESTION = Question("id-1", Kind.IDENTITY, {"firstName": "Ada"}, "https://bank.example.com/cb")


@pytest.fixture
def provider():
    return HttpsProvider(Account("a", "https", "https://a.example.com", "t", SECRET))


def test_an_answer_is_read(provider):
    body = b'{"version":"1","requestId":"id-1","outcome":"WARN","reference":"r","reasons":["A"]}'

    assert provider.read_reply(QUESTION, Reply(200, {}, body)) == Result(Outcome.WARN, "r", ("A",))


def test_a_callback_is_read(provider):
    headers, content = signed(result_of("id-1", "PENDING", reference=""), at=AT)

    assert provider.read_callback(headers, content, at=AT) == ("id-1", Pending())


def test_signatures_are_those_of_standard_webhooks():
    now = datetime.now(UTC)
    headers, content = signed(result_of("id-1"), at=now)

    assert standardwebhooks.Webhook(SECRET).verify(content, headers)["requestId"] == "id-1"


@pytest.mark.parametrize("age", [-301, 301, 10**6])
def test_an_old_signature_is_refused(provider, age):
    headers, content = signed(result_of("id-1"), at=AT - timedelta(seconds=age))

    with pytest.raises(WrongSignature):
        provider.read_callback(headers, content, at=AT)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("webhook-id", ""),
        ("webhook-id", "msg-2"),
        ("webhook-timestamp", "1e9"),
        ("webhook-timestamp", "²"),
        ("webhook-timestamp", "9" * 13),
        ("webhook-signature", ""),
        ("webhook-signature", "v1,"),
        ("webhook-signature", "v2,AAAA"),
        ("webhook-signature", "é"),
    ],
)
def test_a_wrong_signature_is_refused(provider, name, value):
    headers, content = signed(result_of("id-1"), at=AT)

    with pytest.raises(WrongSignature):
        provider.read_callback({**headers, name: value}, content, at=AT)


def test_another_body_or_secret_is_refused(provider):
    headers, content = signed(result_of("id-1"), at=AT)
    other, _ = signed(result_of("id-1"), at=AT, secret="whsec_" + "A" * 32)

    for sent in ((headers, content + b" "), (other, content)):
        with pytest.raises(WrongSignature):
            provider.read_callback(*sent, at=AT)


def test_one_of_several_signatures_is_enough(provider):
    headers, content = signed(result_of("id-1"), at=AT)
    headers["webhook-signature"] = f"v1,AAAA {headers['webhook-signature']}"

    assert provider.read_callback(headers, content, at=AT)[0] == "id-1"


@pytest.mark.parametrize("secret", ["", "abc", "whsec_***", "whsec_AAAA"])
def test_a_secret_that_cannot_verify_is_refused_without_being_shown(secret):
    with pytest.raises(ValueError, match="secret") as refused:
        HttpsProvider(Account("a", "https", "https://a.example.com", "t", secret))

    assert not secret or secret not in str(refused.value)


@pytest.mark.parametrize("body", [{"outcome": "PASS"}, {"reasons": "A"}, {"requestId": 1}])
def test_a_malformed_answer_is_unusable(provider, body):
    headers, content = signed({**result_of("id-1"), "reference": None, **body}, at=AT)

    with pytest.raises(Unusable):
        provider.read_callback(headers, content, at=AT)


def test_the_same_text_has_the_same_signature():
    assert len(decode_secret(SECRET)) == 32
    assert (
        sign(SECRET, "a", "1", b"x") == sign(SECRET, "a", "1", b"x") != sign(SECRET, "a", "1", b"")
    )


@pytest.mark.parametrize("kind", Kind)
def test_messages_are_those_of_the_schema(provider, kind):
    validator = Draft202012Validator(json.loads(SCHEMA.read_text()))
    values = dict.fromkeys(provider.needs[kind], "x")
    values |= {name: {"line1": "x", "country": "US"} for name in values if "ddress" in name}
    key = str(uuid.uuid4())
    question = Question(key, kind, values, "https://bank.example.com/cb")

    assert list(validator.iter_errors(json.loads(provider.ask(question).body))) == []
    for good in (result_of(key), {"version": "1", "requestId": key, "outcome": "PENDING"}):
        assert list(validator.iter_errors(good)) == []
    for bad in (result_of(key, "MAYBE"), {"version": "1", "requestId": key, "outcome": "PASS"}):
        assert list(validator.iter_errors(bad)) != []
