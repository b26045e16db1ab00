"""Rows for tests: plain functions, each argument optional, every value a reserved one."""

import itertools
from datetime import UTC, datetime, timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from onboarding.choices import DocumentStatus
from onboarding.models import Application, Document, Lead, Owner, Partner
from onboarding.services import links, partners
from tests.bodies import PDF, PNG, document_data, lead_body

__all__ = ["PDF", "PNG", "document_data", "lead_body"]

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
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


def later(**delta):
    return NOON + timedelta(**delta)
