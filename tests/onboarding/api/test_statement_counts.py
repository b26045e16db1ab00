"""What a call may cost: its statements, transaction control included."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from onboarding.models import ApiKey
from onboarding.services.events import publications
from tests.factories import document_data, lead_body
from tests.onboarding.conftest import PartnerApi
from tests.onboarding.customers import make_customer

# What is written of a new lead: itself, its application, its owners and the event.
WRITTEN = 1 if connection.vendor == "postgresql" else 4
ACCOUNT, CHANGES = 1, 1  # read with a customer
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def api(transactional_db, make_api_key, settings):
    settings.RATE_LIMIT_FACTOR = 1000
    api = PartnerApi(make_api_key())
    api.get("lead")  # the last use is noted, once a minute
    assert ApiKey.objects.get().last_used_at
    return api


@pytest.fixture
def statements():
    """Count every statement that reaches the database, BEGIN and COMMIT with them."""

    def count(call):
        with CaptureQueriesContext(connection) as captured:
            response = call()
        assert response.status_code < 300, response.content
        return [query["sql"] for query in captured]

    return count


def without_documents(**values):
    return lead_body(**{"documentDataList": None, "documentUrls": None, **values})


def test_create_with_two_owners(api, statements):
    seen = statements(lambda: api.put("lead", without_documents()))

    assert len(seen) == 5 + WRITTEN, seen
    assert {"BEGIN", "COMMIT"} <= {sql.split()[0] for sql in seen}


def test_create_under_an_idempotency_key(api, statements):
    seen = statements(lambda: api.put("lead", without_documents(), Idempotency_Key="once"))

    assert len(seen) == 7 + WRITTEN, seen  # the key is claimed, and the answer kept
    assert not any("SAVEPOINT" in sql for sql in seen)


def test_create_with_documents_and_urls(api, statements):
    assert len(statements(lambda: api.put("lead", lead_body()))) == 6 + WRITTEN


def test_create_again(api, statements):
    api.put("lead", without_documents())

    assert len(statements(lambda: api.put("lead", without_documents(firstName="Eve")))) == 9


def test_update_of_everything(api, statements):
    customer_id = api.create(**without_documents())["customerId"]
    body = lead_body(
        firstName="Eve",
        uboList=[
            {"email": "grace@example.com", "title": "CTO"},
            {"email": "new@example.com", "firstName": "Nora"},
        ],
    )

    seen = statements(lambda: api.post(f"lead/{customer_id}", body))

    assert len(seen) == 12, seen


@pytest.mark.parametrize("number", [0, 9])
def test_get_whatever_the_number_of_owners_and_documents(api, statements, number):
    customer_id = api.create(
        businessType="LLC",
        uboList=[{"email": f"o{each}@example.com"} for each in range(number)],
        documentDataList=[document_data(fileName=f"{each}.pdf") for each in range(number)],
    )["customerId"]

    assert len(statements(lambda: api.get(f"lead/{customer_id}"))) == 6


@pytest.mark.parametrize("number", [0, 5])
def test_get_a_customer_whatever_the_number_of_changes(statements, number, settings, make_api_key):
    settings.RATE_LIMIT_FACTOR = 1000
    customer = make_customer()
    api = PartnerApi(make_api_key(customer.lead.partner))
    path = f"lead/{customer.lead.external_id}"
    for each in range(number):
        api.post(f"{path}/changes", {"phoneNumber": f"+1202555010{each}"})
    api.get("lead")

    seen = statements(lambda: api.get(path))

    assert len(seen) == 6 + ACCOUNT + CHANGES, seen


@pytest.mark.parametrize("number", [1, 30])
def test_list_whatever_the_number_of_leads(api, statements, number):
    for each in range(number):
        api.create(email=f"lead{each}@example.com")

    assert len(statements(lambda: api.get("lead"))) == 3


def test_upload(api, statements):
    customer_id = api.create()["customerId"]
    body = {"documentDataList": [document_data(fileName=f"{each}.pdf") for each in range(10)]}

    assert len(statements(lambda: api.put(f"lead/{customer_id}/upload", body))) == 11


def test_a_renewed_session(api, statements):
    customer_id = api.create()["customerId"]

    assert len(statements(lambda: api.post(f"lead/{customer_id}/session"))) == 6


def test_a_replaced_link(api, statements):
    customer_id = api.create()["customerId"]
    path, body = f"lead/{customer_id}/session", {"rotateLink": True}

    assert len(statements(lambda: api.post(path, body))) == 9


@pytest.fixture
def webhook(api):
    created = api.put("webhooks", {"serverUrl": "https://hooks.example.com/in"}).json()
    return f"webhooks/{created['externalId']}"


@pytest.mark.parametrize(
    ("method", "tail", "body", "number"),
    [
        ("GET", "", None, 3),
        ("POST", "", {"description": "x"}, 7),
        ("POST", "/rotate-secret", None, 7),
        ("POST", "/test", None, 13),
        ("POST", "/recover", {"since": "2026-01-01T00:00:00Z"}, 8),
        ("DELETE", "", None, 4),
    ],
)
def test_what_concerns_one_webhook(api, webhook, statements, method, tail, body, number):
    api.post(f"{webhook}/test")

    seen = statements(lambda: api.call(method, f"{webhook}{tail}", body))

    assert len(seen) == number, seen


def test_a_new_webhook(api, statements):
    seen = statements(lambda: api.put("webhooks", {"serverUrl": "https://hooks.example.com/in"}))

    assert len(seen) == 7, seen


@pytest.mark.parametrize("number", [1, 10])
def test_webhooks_whatever_their_number(api, statements, number):
    for each in range(number):
        api.put("webhooks", {"serverUrl": f"https://hooks.example.com/{each}"})

    assert len(statements(lambda: api.get("webhooks"))) == 3


@pytest.mark.parametrize("number", [1, 20])
def test_deliveries_whatever_their_number(api, webhook, statements, number):
    for _ in range(number):
        api.post(f"{webhook}/test")

    assert len(statements(lambda: api.get(f"{webhook}/deliveries"))) == 5


def test_a_delivery_is_sent_again(api, webhook, statements):
    delivery = api.post(f"{webhook}/test").json()["deliveryId"]

    seen = statements(lambda: api.post(f"{webhook}/deliveries/{delivery}/redeliver"))

    assert len(seen) == 13, seen


@pytest.mark.parametrize("number", [1, 20])
def test_events_whatever_their_number(api, statements, number):
    for each in range(number):
        api.create(email=f"lead{each}@example.com")
    publications.publish(at=timezone.now())
    first = api.get("events?limit=1").json()["nextAfter"]

    assert len(statements(lambda: api.get("events"))) == 3
    assert len(statements(lambda: api.get(f"events?after={first}"))) == 4
