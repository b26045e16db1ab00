"""The service against its own document: whatever is sent, it answers as it says it does.

CONTRACT_EXAMPLES=500 makes so many calls of each operation, other ones every time.
"""

import copy
import os

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from django.db import connection, transaction
from hypothesis import HealthCheck, Phase, settings
from schemathesis.core import NotSet

from tests.onboarding.api.described import DOCUMENT, faults_of

NOT_CHECKED = [
    # What fits the schema may be refused for what no schema can say: shares of more than 100
    # percent in all, a state that is not in the country, a number that no telephone can have.
    "positive_data_acceptance",
    # What does not fit may be taken: an empty text stands for null, and validateOnly answers 200
    # to tell what is wrong. `accepted_as_described` checks bodies with that in mind.
    "negative_data_rejection",
    # A lead that was withdrawn can still be read.
    "use_after_free",
    # It calls twice more each time; test_openapi.py asks once per operation.
    "ignored_auth",
]
pytestmark = pytest.mark.one_database
many = int(os.environ.get("CONTRACT_EXAMPLES", "0"))
bounded = settings(
    max_examples=many or 20,
    stateful_step_count=10,
    derandomize=not many,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


LIKELY = {  # what a pattern alone would hardly ever hit
    "phoneNumber": ["+12025550123", "+442071838750", "", None],
    "country": ["US", "us", "DE", "", None],
    "idCountry": ["GB", "us", None],
    "state": ["NY", "va", "", None],
    "postalCode": ["10001", "22201-1234", None],
    "birthDate": ["1985-12-10", "", None],
    "ownershipPercent": [0, 4.00004, 5, None],
    "contentType": ["application/pdf", "text/plain; charset=utf-8"],
    "fileName": ["letter.pdf", "página 1.png", "a;b=c.txt"],
    "serverUrl": ["https://hooks.example.com/in", "http://localhost:9000", "https://10.0.0.1", ""],
    "since": ["2026-01-01T09:00:00Z", "2026-01-01", ""],
}


def contract(*, is_covered):
    """Load the document; `is_covered` tries every limit of its schemas, besides what is random."""
    document = copy.deepcopy(DOCUMENT)
    if is_covered:
        for name, schema in document["components"]["schemas"].items():
            if name.endswith("Request"):
                narrow(schema["properties"])
    settings = {
        "checks": {name: {"enabled": False} for name in NOT_CHECKED},
        "phases": {"coverage": {"enabled": is_covered}},
        "generation": {"allow-x00": not is_covered},
    }
    config = schemathesis.Config.from_dict(settings)
    loaded = schemathesis.openapi.from_dict(document, config=config)
    loaded.app = get_wsgi_application()
    return loaded


def narrow(properties):
    properties.update({name: {"enum": LIKELY[name]} for name in LIKELY if name in properties})


covered, random = contract(is_covered=True), contract(is_covered=False)


@pytest.fixture(autouse=True)
def one_transaction(db, monkeypatch):
    """Let the calls of a test share its transaction; a server would drop such a connection."""
    monkeypatch.setattr(connection, "close_if_unusable_or_obsolete", lambda: None)


@pytest.fixture
def headers(api):
    return {"Authorization": api.authorization}


@pytest.fixture
def known(api):
    """A lead of the caller, a webhook and a delivery of it, by the names of their ids."""
    created = api.put("webhooks", {"serverUrl": "https://hooks.example.com/in"}).json()
    webhook = created["externalId"]
    tried = api.post(f"webhooks/{webhook}/test").json()
    return {
        "customerId": api.create()["customerId"],
        "webhookId": webhook,
        "deliveryId": tried["deliveryId"],
    }


@random.parametrize()
@bounded
def test_any_call_is_answered_as_described(headers, case):
    response = case.call_and_validate(headers=headers)

    accepted_as_described(case, response)


@covered.parametrize()
@bounded
def test_any_call_on_what_is_there_is_answered_as_described(headers, known, case):
    make_it_count(case, known)

    response = case.call_and_validate(headers=headers)

    accepted_as_described(case, response)


def test_any_journey_is_answered_as_described(headers):
    class Journey(covered.as_state_machine()):
        """Each journey sets out from nothing: what one ended would refuse the next."""

        def setup(self):
            super().setup()
            self.start = transaction.savepoint()

        def teardown(self):
            transaction.savepoint_rollback(self.start)
            super().teardown()

        def before_call(self, case):
            make_it_count(case)

        def get_call_kwargs(self, case):
            return {"headers": headers}

    Journey.run(settings=bounded)


def accepted_as_described(case, response):
    """Assert that a body which was taken fits its schema, once blanks are what they stand for."""
    if isinstance(case.body, NotSet):
        return
    if case.media_type and response.status_code < 300 and "valid" not in response.json():
        content = case.operation.definition.raw["requestBody"]["content"]
        assert faults_of(content[case.media_type]["schema"], without_blanks(case.body)) == []


def without_blanks(value):
    if isinstance(value, dict):
        items = {name: without_blanks(item) for name, item in value.items()}
        return {name: item for name, item in items.items() if item is not None}
    if isinstance(value, list):
        return [without_blanks(item) for item in value]
    return value.strip() or None if isinstance(value, str) else value


def make_it_count(case, known=None):
    """Let a call be about what there is in the test, and change it, so that most get far."""
    case.query.pop("validateOnly", None)
    case.headers.pop("Idempotency-Key", None)
    for name in case.path_parameters.keys() & (known or {}).keys():
        case.path_parameters[name] = known[name]
    if isinstance(case.body, dict) and isinstance(case.body.get("email"), str):
        case.body["email"] = "ada@example.com"
