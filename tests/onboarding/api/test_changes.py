"""Changes of customers, by their partner: asked for, read, and reported."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CustomerStatus, ReviewCause
from onboarding.models import Application, Customer, CustomerCase, Document
from onboarding.services.customers import case_claims, case_steps, owner_changes
from tests.factories import NOON, document_data, make_application, make_lead
from tests.onboarding.cases import STEPS, make_reviewer
from tests.onboarding.conftest import codes
from tests.onboarding.customers import cases_of, make_customer, owner_of, reload

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return make_reviewer(*STEPS)


@pytest.fixture
def customer(api):
    return make_customer(partner=api.partner)


@pytest.fixture
def path(customer):
    return f"lead/{customer.lead.external_id}/changes"


def test_a_change_is_asked_for_with_its_evidence(api, customer, path):
    answer = api.post(
        path,
        {
            "businessAddress": {"line1": "4 Compiler Avenue"},
            "uboList": [{"email": "alan@example.com", "firstName": "Alan", "ssn": "223-45-6789"}],
            "reason": "They have moved.",
            "documentDataList": [document_data(llcFileType="UTILITY_BILL")],
            "favouriteColor": "blue",
        },
    )

    [case] = cases_of(customer)
    document = Document.objects.get()
    assert answer.status_code == 201
    assert answer.json() == {
        "changeId": str(case.external_id),
        "customerId": str(customer.lead.external_id),
        "status": "RECEIVED",
        "changedFields": ["businessAddress", "uboList"],
        "documentIds": [str(document.external_id)],
        "requestedBy": "PARTNER",
        "denialReason": None,
        "createdAt": answer.json()["createdAt"],
        "decidedAt": None,
        "warnings": [
            {
                "code": "UNKNOWN_FIELD",
                "field": "/favouriteColor",
                "message": "This field is not known and was ignored.",
            }
        ],
    }
    assert case.causes[0]["text"] == "They have moved."


def test_a_customer_whose_application_was_denied_is_changed_without_documents(api, customer, path):
    Application.objects.update(status=Status.DENIED)
    Customer.objects.update(status=CustomerStatus.LEAVING)
    body = {"phoneNumber": "+12025550188"}

    refused = api.post(path, {**body, "documentDataList": [document_data()]})
    taken = api.post(path, body)

    assert (refused.status_code, codes(refused)) == (409, {None: "APPLICATION_CLOSED"})
    assert taken.status_code == 201


def test_a_retry_with_the_same_key_asks_once(api, customer, path):
    body = {"phoneNumber": "+12025550188"}

    first = api.post(path, body, Idempotency_Key="k1")
    again = api.post(path, body, Idempotency_Key="k1")

    assert first.json() == again.json()
    assert CustomerCase.objects.count() == 1


def test_the_decision_is_read(api, customer, path, ada):
    api.post(path, {"phoneNumber": "+12025550188"})
    [case] = cases_of(customer)
    case_claims.claim(case, by=ada, at=NOON)
    one = f"{path}/{case.external_id}"
    assert api.get(one).json()["status"] == "RECEIVED"

    case_steps.decide(
        case, "CHANGE_DENIED", denial_reason="NOT_AUTHORIZED", reason="x", by=ada, at=NOON
    )

    told = api.get(one).json()
    assert (told["status"], told["denialReason"]) == ("DENIED", "NOT_AUTHORIZED")
    assert api.get(path).json() == {"changes": [told]}


def test_a_review_is_no_change_for_the_partner(api, customer, path):
    api.post(f"lead/{customer.lead.external_id}/reports", {"text": "Their shop is closed."})

    [review] = cases_of(customer)
    assert api.get(path).json() == {"changes": []}
    assert api.get(f"{path}/{review.external_id}").status_code == 404


@pytest.mark.parametrize("method", ["get", "post"])
def test_the_customer_of_another_partner_is_not_found(other_api, path, method):
    body = [{"phoneNumber": "+12025550188"}] if method == "post" else []

    answer = getattr(other_api, method)(path, *body)

    assert (answer.status_code, codes(answer)) == (404, {None: "LEAD_NOT_FOUND"})


def test_a_change_of_another_lead_is_not_found(api, customer, path):
    api.post(path, {"phoneNumber": "+12025550188"})
    [case] = cases_of(customer)
    other = make_customer(partner=api.partner)

    answer = api.get(f"lead/{other.lead.external_id}/changes/{case.external_id}")

    assert codes(answer) == {None: "CHANGE_NOT_FOUND"}
    assert api.get(f"{path}/none").status_code == 404


def test_before_the_account_is_open_the_lead_is_updated_instead(api):
    application = make_application(make_lead(api.partner))

    answer = api.post(
        f"lead/{application.lead.external_id}/changes", {"phoneNumber": "+12025550188"}
    )

    assert (answer.status_code, codes(answer)) == (409, {None: "CHANGE_TOO_EARLY"})


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({}, {None: "CHANGE_EMPTY"}),
        ({"phoneNumber": "5"}, {"/phoneNumber": "INVALID_PHONE_NUMBER"}),
        ({"uboList": [{"firstName": "Alan"}]}, {"/uboList/0/email": "REQUIRED_FIELD_MISSING"}),
        ({"removedUboIds": ["x"]}, {"/removedUboIds/0": "OWNER_NOT_FOUND"}),
        (
            {"mailingAddress": {"state": "XX", "country": "US"}},
            {"/mailingAddress/state": "INVALID_STATE"},
        ),
    ],
)
def test_faults_have_their_place(api, path, body, fault):
    assert codes(api.post(path, body)) == fault


def test_a_refused_update_of_a_customer_says_how_to_change_it(api, customer):
    answer = api.post(
        f"lead/{customer.lead.external_id}",
        {"email": customer.lead.email, "businessName": "Harbor Bakery LLC"},
    )

    [error] = answer.json()["errors"]
    assert (error["codeName"], error["field"]) == ("LEAD_LOCKED", "/businessName")
    assert error["message"].endswith("changed by POST …/lead/{customerId}/changes.")


def test_a_report_opens_a_review_and_the_answer_does_not_say_so(api, customer):
    path = f"lead/{customer.lead.external_id}/reports"

    answer = api.post(path, {"text": "Their shop is closed."})

    assert answer.status_code == 201
    assert sorted(answer.json()) == ["customerId", "receivedAt"]
    [review] = cases_of(customer)
    assert review.causes[0]["cause"] == ReviewCause.PARTNER_REPORT
    assert review.causes[0]["text"] == "Their shop is closed."
    assert api.post(path, {}).status_code == 400


def test_a_key_that_only_reads_asks_for_nothing(make_api_key, customer, path):
    from tests.onboarding.conftest import PartnerApi

    reader = PartnerApi(make_api_key(customer.lead.partner, permissions=["lead:read"]))

    assert reader.post(path, {"phoneNumber": "+12025550188"}).status_code == 403
    assert reader.get(path).status_code == 200
    assert reload(customer).status == "ACTIVE"


def test_the_lead_has_the_changes_as_the_list_has_them(api, customer, path):
    lead_path = path.removesuffix("/changes")
    assert api.get(lead_path).json()["changes"] == []
    for number in range(2):
        api.post(path, {"phoneNumber": f"+1202555018{number}"})

    changes = api.get(lead_path).json()["changes"]

    assert len(changes) == 2
    assert changes == api.get(path).json()["changes"]


def test_a_request_that_an_owner_withdrew_is_read(api, customer, path):
    owner = owner_of(customer)
    details = {"phone_number": "+12025550188"}
    case = owner_changes.request_change(owner, details, language="en", at=NOON)
    owner_changes.withdraw(case, owner, at=NOON)

    [change] = api.get(path).json()["changes"]

    assert (change["requestedBy"], change["status"]) == ("APPLICANT", "WITHDRAWN")
