"""What is still missing: fields, identification, registration, owners, documents."""

from datetime import date

import pytest

from onboarding.choices import DocumentStatus
from onboarding.models import Application, Document, DocumentRule, Lead, Owner
from onboarding.queries.requirements import (
    Kind,
    Party,
    list_missing_documents,
    list_requirements,
)
from tests.factories import NOON, later

PERSON = {
    "first_name": "Ada",
    "last_name": "Example",
    "birth_date": date(1985, 12, 10),
    "phone_number": "+12025550123",
    "ssn": "123456789",
    "ownership_percent": 40,
}
COMPLETE = {
    **PERSON,
    "email": "ada@example.com",
    "line1": "1 Analytical Way",
    "city": "New York",
    "state": "NY",
    "postal_code": "10001",
    "business_name": "Engines",
    "business_type": "LLC",
    "business_address": {"city": "Arlington"},
    "naics_code": "541511",
    "ein": "123456789",
    "incorporation_state": "DE",
}
EIN_PROOF = DocumentRule(
    business_type="LLC",
    code="EIN_PROOF",
    accepted_types=["IRS_EIN_LETTER", "SS4_DOCUMENT"],
    message="A proof of the EIN.",
)


@pytest.fixture
def missing():
    """Return what a complete lead lacks once these values are other ones."""

    def missing(*, owners=(), documents=(), rules=(), **values):
        application = begun(Lead(**{**COMPLETE, **values}))
        return list_requirements(application, owners=owners, documents=documents, rules=rules)

    return missing


def begun(lead):
    return Application(lead=lead, status_changed_at=NOON, link_expires_at=NOON)


def codes(requirements):
    return [requirement.code for requirement in requirements]


def test_a_complete_lead_misses_nothing(missing):
    assert missing() == []


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("first_name", "/firstName"),
        ("last_name", "/lastName"),
        ("phone_number", "/phoneNumber"),
        ("line1", "/line1"),
        ("city", "/city"),
        ("state", "/state"),
        ("postal_code", "/postalCode"),
        ("business_name", "/businessName"),
        ("naics_code", "/naicsCode"),
        ("ein", "/ein"),
        ("incorporation_state", "/incorporationState"),
        ("ssn", "/ssn"),
    ],
)
def test_an_empty_field_is_missing(missing, name, target):
    (requirement,) = missing(**{name: ""})

    assert (requirement.kind, requirement.target) == (Kind.FIELD, target)
    assert requirement.satisfiable_by == (Party.APPLICANT, Party.PARTNER)
    assert requirement.ubo_id is None


@pytest.mark.parametrize(
    ("name", "blank", "code"),
    [
        ("birth_date", None, "BIRTH_DATE_MISSING"),
        ("ownership_percent", None, "OWNERSHIP_PERCENT_MISSING"),
        ("business_address", {}, "BUSINESS_ADDRESS_MISSING"),
    ],
)
def test_what_is_no_text_is_missing_too(missing, name, blank, code):
    assert codes(missing(**{name: blank})) == [code]


def test_a_share_of_nothing_is_an_answer(missing):
    assert missing(ownership_percent=0) == []


@pytest.mark.parametrize("name", ["passport_number", "id_gov_number"])
def test_a_foreigner_is_identified_by_another_number(missing, name):
    assert "IDENTIFICATION_MISSING" not in codes(missing(ssn="", **{name: "X12345678"}))


@pytest.mark.parametrize("business_type", ["SSN", "DBA"])
def test_a_sole_proprietor_needs_no_registration(missing, business_type):
    assert missing(business_type=business_type, ein="", incorporation_state="") == []


def test_without_a_business_type_its_registration_is_not_asked_yet(missing):
    assert codes(missing(business_type="", ein="")) == ["BUSINESS_TYPE_MISSING"]


def test_an_owner_misses_what_is_missing_of_the_owner(missing):
    owner = Owner(**{**PERSON, "ssn": "", "first_name": ""}, email="o@example.com")

    found = missing(owners=[owner])

    assert codes(found) == ["FIRST_NAME_MISSING", "ADDRESS_MISSING", "IDENTIFICATION_MISSING"]
    assert {requirement.ubo_id for requirement in found} == {owner.external_id}


def test_a_slot_without_a_document_names_the_kinds_that_fill_it(missing):
    (requirement,) = missing(rules=[EIN_PROOF])

    assert requirement.kind == Kind.DOCUMENT
    assert requirement.code == "EIN_PROOF_MISSING"
    assert requirement.target == "/documentDataList"
    assert requirement.accepted_types == ("IRS_EIN_LETTER", "SS4_DOCUMENT")


@pytest.mark.parametrize(
    ("status", "is_filled"),
    [
        (DocumentStatus.RECEIVED, True),
        (DocumentStatus.ACCEPTED, True),
        (DocumentStatus.PENDING, False),
        (DocumentStatus.QUARANTINED, False),
        (DocumentStatus.REJECTED, False),
    ],
)
def test_only_a_document_that_can_be_read_fills_a_slot(missing, status, is_filled):
    document = Document(llc_file_type="SS4_DOCUMENT", status=status)

    found = missing(documents=[document], rules=[EIN_PROOF])

    assert (found == []) is is_filled


def test_a_file_that_waits_for_its_scan_counts_as_sent(missing):
    document = Document(llc_file_type="SS4_DOCUMENT", status="PENDING", scan_due_at=NOON)

    assert missing(documents=[document], rules=[EIN_PROOF]) == []


def test_a_document_of_another_kind_fills_no_slot(missing):
    document = Document(llc_file_type="UTILITY_BILL", status=DocumentStatus.RECEIVED)

    assert codes(missing(documents=[document], rules=[EIN_PROOF])) == ["EIN_PROOF_MISSING"]


def test_a_passport_number_asks_for_the_passport(missing):
    passport = Document(llc_file_type="PASSPORT", status=DocumentStatus.RECEIVED)

    assert codes(missing(ssn="", passport_number="X12345678")) == ["PASSPORT_MISSING"]
    assert missing(ssn="", passport_number="X12345678", documents=[passport]) == []
    assert missing(passport_number="X12345678") == []


def test_no_requirement_repeats_a_value(missing):
    owner = Owner(**PERSON, email="o@example.com")

    text = str(missing(city="", owners=[owner], rules=[EIN_PROOF]))

    for value in ("123456789", "Ada", "Analytical", "o@example.com"):
        assert value not in text


@pytest.mark.parametrize(("country", "wanted"), [("", True), ("US", True), ("SG", False)])
def test_a_state_and_a_postal_code_are_wanted_where_addresses_have_them(make_lead, country, wanted):
    lead = make_lead(country=country)

    found = list_requirements(begun(lead), owners=[], documents=[], rules=[])
    targets = {item.target for item in found}

    assert ({"/state", "/postalCode"} <= targets) is wanted
    assert "/line1" in targets


def test_of_a_slot_that_is_empty_the_first_kind_is_named(missing):
    requirements = missing(rules=[EIN_PROOF], passport_number="X12345678", ssn="", city="")

    assert list_missing_documents(requirements) == ["IRS_EIN_LETTER", "PASSPORT"]


def unfetched(url="https://files.example.com/a.pdf", *, at=NOON, **values):
    values = {"status": DocumentStatus.NOT_FETCHED, "status_reason": "connection refused", **values}
    return Document(source_url=url, uploaded_at=at, **values)


def sent_by_hand(*, at=None, status=DocumentStatus.RECEIVED, **values):
    return Document(status=status, uploaded_at=at or later(hours=1), **values)


def unfetched_of(*documents):
    application = begun(Lead(**COMPLETE))
    application.created_at = NOON
    return list_requirements(application, owners=[], documents=documents, rules=[])


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://files.example.com/x/a.pdf?signature=s3cr3t", "a.pdf"),
        ("https://files.example.com/", "A file"),
        ("https://files.example.com?signature=s3cr3t", "A file"),
    ],
)
def test_a_file_that_could_not_be_fetched_is_told_without_its_signature(url, name):
    [requirement] = unfetched_of(unfetched(url))

    assert (requirement.code, requirement.kind) == ("DOCUMENT_NOT_FETCHED", Kind.DOCUMENT)
    assert requirement.fields == ("/documentUrls", "/documentDataList")
    assert requirement.satisfiable_by == (Party.APPLICANT, Party.PARTNER)
    assert requirement.message == (
        f"{name} could not be fetched from files.example.com: connection refused. "
        "Send its URL or the file again."
    )


def test_no_application_waits_for_a_file_that_could_not_be_fetched():
    [requirement] = unfetched_of(unfetched())

    assert not requirement.is_awaited
    assert list_missing_documents([requirement]) == []


def test_what_is_still_being_fetched_is_not_missing():
    assert unfetched_of(unfetched(status=DocumentStatus.PENDING)) == []


def test_a_failure_of_an_earlier_attempt_is_forgotten():
    assert unfetched_of(unfetched(at=later(hours=-1))) == []


@pytest.mark.parametrize(
    ("documents", "count"),
    [
        ([sent_by_hand()], 1),
        ([sent_by_hand(), sent_by_hand()], 0),
        ([sent_by_hand(), sent_by_hand(at=later(hours=-1))], 1),
        ([sent_by_hand(status=DocumentStatus.QUARANTINED)], 2),
        ([sent_by_hand(source_url="https://files.example.com/c.pdf")], 2),
    ],
)
def test_as_many_files_as_could_not_be_fetched_are_to_be_sent_by_hand(documents, count):
    urls = ["https://files.example.com/a.pdf", "https://files.example.com/b.pdf"]

    missing = unfetched_of(*map(unfetched, urls), *documents)

    assert codes(missing) == ["DOCUMENT_NOT_FETCHED"] * count
