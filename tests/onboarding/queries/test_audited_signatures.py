"""Signatures of a lead, compared with its consents and answers."""

import pytest

from onboarding.models import Lead
from onboarding.queries import audited_signatures
from onboarding.queries.audited_rows import AuditedRows
from tests.onboarding.services.leads.test_submissions import make_complete, submit

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def faults_of(lead):
    rows = AuditedRows([lead])
    return list(audited_signatures.list_faults(lead, rows.events_of(lead), rows))


def test_a_lead_without_a_signature_has_no_fault():
    assert faults_of(make_complete().lead) == []


def test_a_signature_names_its_event_once_an_answer_is_another():
    submit(make_complete())
    lead = Lead.objects.get()
    before = faults_of(lead)

    Lead.objects.update(first_name="Eve")

    assert before == []
    assert faults_of(lead) == [(1, "was signed for other answers than there are")]
