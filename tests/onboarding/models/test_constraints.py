"""What the database refuses, whoever writes."""

import pytest
from django.db import IntegrityError, transaction

from onboarding.models import Application, Document, DocumentRule, Lead, Owner
from tests.factories import NOON


@pytest.fixture
def rows(make_lead, make_application, make_owner, make_document):
    """Add one row to each table."""
    lead = make_lead()
    make_application(lead)
    make_owner(lead)
    make_document(lead)


@pytest.mark.parametrize(
    ("model", "values", "constraint"),
    [
        (Application, {"attempt": 0}, "application_attempt_positive"),
        (Application, {"status": "LOST"}, "application_status_known"),
        (Document, {"status": "LOST"}, "document_status_known"),
        (Document, {"llc_file_type": "SELFIE"}, "document_kind_known"),
        (Document, {"supplied_by": "NOBODY"}, "document_supplier_known"),
        (Document, {"file": ""}, "document_has_file_unless_pending"),
        (Document, {"status": "PENDING"}, "document_has_file_unless_pending"),
        (Document, {"status": "NOT_FETCHED"}, "document_has_file_unless_pending"),
        (
            Document,
            {"status": "PENDING", "file": "", "sha256": "", "scan_due_at": NOON},
            "document_has_file_unless_pending",
        ),
        (DocumentRule, {"accepted_types": []}, "documentrule_accepts_something"),
        (DocumentRule, {"business_type": "CLUB"}, "documentrule_business_type_known"),
        (Lead, {"business_type": "CLUB"}, "lead_business_type_known"),
        (Lead, {"identity_status": "GUESSED"}, "lead_identity_status_known"),
        (Owner, {"identity_status": "GUESSED"}, "owner_identity_status_known"),
        (Owner, {"role": "KING"}, "owner_role_known"),
    ],
)
@pytest.mark.usefixtures("rows")
def test_a_value_outside_its_set_is_refused(model, values, constraint):
    first = model.objects.order_by("pk")[:1]

    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        model.objects.filter(pk__in=first.values("pk")).update(**values)


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (Document, {"llc_file_type": ""}),
        (Document, {"status": "PENDING", "scan_due_at": NOON}),
        (Document, {"status": "PENDING", "file": "", "sha256": ""}),
        (Lead, {"business_type": ""}),
        (Owner, {"role": ""}),
    ],
)
@pytest.mark.usefixtures("rows")
def test_what_may_be_left_out_may_be_empty(model, values):
    assert model.objects.update(**values) == 1
