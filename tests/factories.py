"""Rows for tests: plain functions, each argument optional, every value a reserved one."""

import base64
import itertools
from datetime import UTC, datetime, timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from onboarding.choices import DocumentStatus
from onboarding.models import Application, Document, Lead, Owner, Partner
from onboarding.services import links, partners

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PDF = b"%PDF-1.7\n1 0 obj\n<< >>\nendobj\ntrailer\n<< >>\n%%EOF\n"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 64
numbers = itertools.count(1)


def make_partner(**values):
    return Partner.objects.create(**{"name": f"Partner {next(numbers)}", **values})


def make_api_key(partner=None, *, at=None, **values):
    """Return the issued key, its secret with it."""
    at = at or datetime.now(UTC)
    return partners.issue_api_key(partner or make_partner(), at=at, **values)


def make_lead(partner=None, **values):
    """Return a lead without an application; most tests want `make_application`."""
    number = next(numbers)
    values = {"email": f"lead{number}@example.com", "business_name": f"Lead {number}", **values}
    return Lead.objects.create(partner=partner or make_partner(), **values)


def make_application(lead=None, *, at=NOON, **values):
    application = Application(lead=lead or make_lead(), created_at=at, status_changed_at=at)
    links.grant(application, at=at)
    for name, value in values.items():
        setattr(application, name, value)
    application.save()
    return application


def make_owner(lead=None, **values):
    values = {"email": f"owner{next(numbers)}@example.com", **values}
    return Owner.objects.create(lead=lead or make_lead(), **values)


def make_document(lead=None, *, content=PDF, **values):
    name = storages["documents"].save(f"leads/test/{next(numbers)}", ContentFile(content))
    values = {
        "file_name": f"file{next(numbers)}.pdf",
        "content_type": "application/pdf",
        "detected_type": "application/pdf",
        "size_bytes": len(content),
        "sha256": f"{next(numbers):064x}",
        "file": name,
        "status": DocumentStatus.RECEIVED,
        "uploaded_at": NOON,
        **values,
    }
    return Document.objects.create(lead=lead or make_lead(), **values)


def document_data(file=PDF, **values):
    """Return a document as a partner sends it."""
    return {
        "content": base64.b64encode(file).decode(),
        "contentType": "application/pdf",
        "fileName": "letter.pdf",
        **values,
    }


def lead_body(**values):
    """Return a body of create in which every field of the contract is set."""
    address = {
        "line1": "2 Cobol Street",
        "line2": "Floor 3",
        "city": "Arlington",
        "state": "VA",
        "postalCode": "22201",
        "country": "US",
    }
    body = {
        "email": "ada@example.com",
        "phoneNumber": "+12025550123",
        "ssn": "123-45-6789",
        "birthDate": "1985-12-10",
        "firstName": "Ada",
        "lastName": "Example",
        "line1": "1 Analytical Way",
        "line2": "Suite 400",
        "city": "New York",
        "state": "NY",
        "country": "US",
        "postalCode": "10001",
        "ein": "12-3456789",
        "businessName": "Analytical Engines LLC",
        "businessAddress": address,
        "mailingAddress": {**address, "line1": "PO Box 12"},
        "businessType": "MMLLC",
        "incorporationState": "DE",
        "uniqueId": "crm-1",
        "duns": "123456789",
        "passportNumber": "X12345678",
        "idGovNumber": "A-99887766",
        "idCountry": "US",
        "idExpirationDate": "2031-01-01",
        "ownershipPercent": 40,
        "documentUrls": ["https://files.example.com/a.pdf"],
        "documentDataList": [document_data(llcFileType="IRS_EIN_LETTER")],
        "uboList": [
            {
                "email": "grace@example.com",
                "phoneNumber": "+12025550124",
                "ssn": "223-45-6789",
                "birthDate": "1976-01-01",
                "firstName": "Grace",
                "lastName": "Example",
                "role": "PARTNER",
                "ownershipPercent": 30.5,
                "address": address,
            },
            {
                "email": "alan@example.com",
                "firstName": "Alan",
                "passportNumber": "P98765432",
                "idGovNumber": "G-11223344",
                "idCountry": "GB",
                "idExpirationDate": "2030-05-05",
                "role": "PARTNER_FULL_ACCESS",
                "ownershipPercent": 29.5,
            },
        ],
        "naicsCode": "541511",
        "campaign": "spring-26",
        "metadata": {"channel": "web", "tier": "gold"},
        "eddQuestionData": [
            {"question": "Expected monthly volume?", "answer": "50000", "questionId": "q1"},
            {"question": "Source of funds?", "answer": "Sales"},
        ],
        "isControlPerson": True,
        "title": "CEO",
    }
    return {**body, **values}


def later(**delta):
    return NOON + timedelta(**delta)
