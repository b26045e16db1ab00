"""Personal numbers: no answer, event or row tells whether a sent one equals the stored one."""

import re

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from foundation.privacy.fields import encrypted_names
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Supplier
from onboarding.lead_fields import ENCRYPTED
from onboarding.models import Application, Event, Lead, Owner
from onboarding.names import camel
from onboarding.services.checks import screenings
from onboarding.services.leads.merging import merge_into
from tests import factories
from tests.onboarding.conftest import PartnerApi
from tests.onboarding.customers import make_customer
from tests.onboarding.sanctions_files import load
from tests.onboarding.services.leads.test_submissions import make_complete, make_complete_owner

STORED = {  # by name: the stored number, and another one that ends alike
    "ein": ("123456789", "133456789"),
    "id_gov_number": ("A-99887766", "B-99887766"),
    "passport_number": ("X12345678", "Y12345678"),
    "ssn": ("123456789", "223456789"),
}
NAMES = (encrypted_names(Lead), encrypted_names(Owner))
OF_LEAD = [camel(name) for name in encrypted_names(Lead)]
OF_OWNER = [camel(name) for name in encrypted_names(Owner)]
NUMBERS = {camel(name): pair for name, pair in STORED.items()}
OWNERS = {  # how an owner is sent, besides the number
    "by email": {"email": "grace@example.com"},
    "by name": {"firstName": "Grace", "lastName": "Example"},
    "by nothing else": {},
}
KNOWN = {"email": "ada@example.com", "business_name": "Analytical Engines LLC"}
VARYING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}|\d{4}-\d\d-\d\dT[\d:.]+Z"
    r'|"(?:location|token|accountNumberMasked)":"[^"]+"'
)


@pytest.fixture
def attempt(make_api_key, make_application, make_lead, make_owner):
    """Store a number, send one to an endpoint, and return all that can be seen of it."""

    def attempt(call, field, sent, *, owner=None, supplied_by="APPLICANT", status=Status.CREATED):
        api = PartnerApi(make_api_key())
        name = next(name for name in STORED if camel(name) == field)
        numbers = {name: STORED[name][0]}
        if supplied_by != "PARTNER":
            numbers["supplied_by"] = {name: supplied_by}
        lead = make_lead(api.partner, **KNOWN, **({} if owner is not None else numbers))
        make_application(lead, status=status)
        if owner is not None:
            known = {"first_name": owner.get("firstName", ""), "email": owner.get("email", "")}
            known["last_name"] = owner.get("lastName", "")
            make_owner(lead, **known, **numbers)
        body = {field: sent} if owner is None else {"uboList": [{**owner, field: sent}]}
        with CaptureQueriesContext(connection) as captured:
            answer = call(api, str(lead.external_id), {"email": "ada@example.com", **body})
            statements = [query["sql"].split()[0] for query in captured]
        return {"statements": statements, **_seen(api, lead, answer)}

    return attempt


def _seen(api, lead, answer):
    read = api.get(f"lead/{lead.external_id}")
    lead.refresh_from_db()
    events = Event.objects.filter(lead=lead).order_by("number")
    return {
        "answer": (answer.status_code, _without_ids(answer)),
        "read": _without_ids(read),
        "is_touched": read.json()["updatedAt"] != read.json()["createdAt"],
        "events": list(events.values_list("type", "role", "details", "sequence")),
        "owners": lead.owners.count(),
    }


def _without_ids(response):
    return VARYING.sub("*", response.content.decode())


def create(api, _, body):
    return api.put("lead", body)


def preview(api, _, body):
    return api.put("lead?validateOnly=true", body)


def update(api, customer_id, body):
    return api.post(f"lead/{customer_id}", body)


def test_every_encrypted_field_is_tried():
    assert set(OF_LEAD) | set(OF_OWNER) == set(NUMBERS)
    encrypted = {*encrypted_names(Lead), *encrypted_names(Owner)}
    assert encrypted == ENCRYPTED, (
        "Declare the value as ENCRYPTED_TEXT in onboarding/lead_fields.py."
    )


@pytest.mark.parametrize(
    ("call", "supplied_by"),
    [
        (create, "APPLICANT"),
        (create, "REVIEWER"),
        (preview, "APPLICANT"),
        (preview, "PARTNER"),
        (update, "APPLICANT"),
        (update, "REVIEWER"),
    ],
)
@pytest.mark.parametrize("status", [Status.CREATED, Status.EXPIRED])
@pytest.mark.parametrize("field", OF_LEAD)
def test_a_lead_does_not_tell_whether_the_number_is_right(
    attempt, call, field, status, supplied_by
):
    right, wrong = (
        attempt(call, field, sent, status=status, supplied_by=supplied_by)
        for sent in NUMBERS[field]
    )

    assert right == wrong


@pytest.mark.parametrize(
    ("call", "supplied_by"),
    [(create, "APPLICANT"), (preview, "APPLICANT"), (preview, "PARTNER")],
)
@pytest.mark.parametrize("owner", OWNERS.values(), ids=OWNERS)
@pytest.mark.parametrize("field", OF_OWNER)
def test_an_owner_sent_with_a_create_does_not_tell(attempt, call, field, owner, supplied_by):
    right, wrong = (
        attempt(call, field, sent, owner=owner, supplied_by=supplied_by) for sent in NUMBERS[field]
    )

    assert right == wrong


@pytest.mark.parametrize("field", OF_OWNER)
def test_an_owner_sent_with_an_update_does_not_tell(attempt, field):
    right, wrong = (
        attempt(update, field, sent, owner=OWNERS["by email"]) for sent in NUMBERS[field]
    )

    assert right == wrong


@pytest.mark.parametrize("status", [Status.SUBMITTED, Status.DOCUMENTS_REQUIRED, Status.IN_REVIEW])
@pytest.mark.parametrize("supplied_by", ["APPLICANT", "PARTNER"])
@pytest.mark.parametrize("owner", [None, OWNERS["by email"]], ids=["lead", "owner"])
@pytest.mark.parametrize("field", OF_OWNER)
def test_a_locked_lead_does_not_tell(attempt, field, owner, supplied_by, status):
    right, wrong = (
        attempt(update, field, sent, owner=owner, supplied_by=supplied_by, status=status)
        for sent in NUMBERS[field]
    )

    assert right == wrong
    assert right["answer"][0] == 409
    assert right["events"] == []


def test_a_number_that_the_applicant_typed_is_kept_by_a_create_and_named(api):
    customer_id = api.create(ssn="123-45-6789")["customerId"]
    Lead.objects.update(supplied_by={"ssn": "APPLICANT"})

    again = api.create(ssn="123-45-6789")

    assert [(one["code"], one["field"]) for one in again["warnings"]] == [("VALUE_KEPT", "/ssn")]
    assert again["customerId"] == customer_id
    assert Application.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "of_owner"),
    [(name, of_owner) for of_owner, names in enumerate(NAMES) for name in sorted(names)],
)
def test_a_read_does_not_tell_whether_the_applicant_typed_what_the_partner_had_sent(
    make_api_key, make_lead, make_owner, name, of_owner
):
    """The partner sent a guess, and the applicant types over it."""

    def read(sent):
        api = PartnerApi(make_api_key())
        numbers = {name: sent}
        lead = make_lead(api.partner, **KNOWN, **({} if of_owner else numbers))
        factories.make_application(lead)
        person = make_owner(lead, email="grace@example.com", **numbers) if of_owner else lead
        merge_into(person, {name: STORED[name][0]}, by=Supplier.APPLICANT, compare_numbers=False)
        person.save()
        return _without_ids(api.get(f"lead/{lead.external_id}"))

    right, wrong = map(read, STORED[name])

    assert right == wrong
    assert camel(name) in right


@pytest.fixture
def screened(make_api_key, settings, tmp_path):
    """Have the checks look at a partner's application that is clear, and return all it can see."""

    def screened(field, sent, *, of_owner, providers):
        settings.CHECK_PROVIDERS = providers
        api = PartnerApi(make_api_key())
        numbers = {"ssn": "333456789", "ein": "333456789"}
        numbers |= {} if of_owner else {field: sent}
        case = make_complete(partner=api.partner, email="jose@example.com", **numbers)
        for kind in ("ARTICLES_OF_ORGANIZATION", "SS4_DOCUMENT"):
            content = factories.PDF + sent.encode() + bytes(of_owner)
            sent_file = {"file_name": f"{kind}.pdf", "content": content}
            factories.make_document(case.lead, llc_file_type=kind, **sent_file)
        if of_owner:
            make_complete_owner(case.lead, ssn=sent, email="grace@example.com")
        Application.objects.filter(pk=case.pk).update(status=Status.SUBMITTED)
        assert screenings.screen_submitted(clock=lambda: factories.NOON, until=lambda: False) == 1
        answers = [api.get(f"lead/{case.lead.external_id}"), api.get("events")]
        return [(answer.status_code, _without_ids(answer)) for answer in answers]

    load(tmp_path)
    return screened


@pytest.mark.parametrize(
    ("providers", "policy"),
    [
        (["BUILT_IN"], "never"),  # in production
        (["BUILT_IN", "MANUAL"], "never"),
        (["BUILT_IN", "SANDBOX"], "despite-warnings"),  # in the sandbox
    ],
)
@pytest.mark.parametrize(("field", "of_owner"), [("ssn", False), ("ein", False), ("ssn", True)])
def test_the_checks_do_not_tell_whether_somebody_else_has_a_number(
    screened, settings, field, of_owner, providers, policy
):
    settings.AUTO_APPROVAL = policy
    make_complete(ssn="413456789", ein="413456789")

    right, wrong = (
        screened(field, sent, of_owner=of_owner, providers=providers)
        for sent in ("413456789", "423456789")
    )

    assert right == wrong
    assert all(status == 200 for status, _ in right)


@pytest.mark.parametrize(
    ("field", "is_owners"),
    [
        *((field, True) for field in OF_OWNER),
        *((field, False) for field in OF_OWNER if field != "ssn"),  # the bank corrects it by itself
    ],
)
def test_a_requested_change_does_not_tell(api, field, is_owners):
    name = next(name for name in STORED if camel(name) == field)
    grace = {"email": "grace@example.com", name: STORED[name][0]}
    values = {} if is_owners else {name: STORED[name][0]}

    api.get("lead")  # the last use of the key is noted once a minute

    def attempt(sent):
        Lead.objects.update(email=F("external_id"))  # so that the next one may have it
        customer = make_customer(partner=api.partner, owners=[grace], **KNOWN, **values)
        body = {"uboList": [{"email": grace["email"], field: sent}]} if is_owners else {field: sent}
        with CaptureQueriesContext(connection) as captured:
            answer = api.post(f"lead/{customer.lead.external_id}/changes", body)
        assert answer.status_code == 201
        seen = _seen(api, customer.lead, answer)
        events = [(kind, role, details.get("changed")) for kind, role, details, _ in seen["events"]]
        statements = [query["sql"].split()[0] for query in captured]
        return {**seen, "events": events, "statements": statements}

    right, wrong = map(attempt, NUMBERS[field])

    assert right == wrong
