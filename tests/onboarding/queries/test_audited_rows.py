"""Rows of a batch of leads, read once per kind."""

import pytest
from django.db.models import Model

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Document, Owner
from onboarding.queries.audited_rows import LEAD, AuditedRows
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import APPLICANT
from tests.factories import NOON, make_application, make_document

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_each_lead_has_its_own_rows_and_each_kind_is_one_statement(django_assert_num_queries):
    first, second = make_application(), make_application()
    for application in (first, second):
        lifecycle.move(application, Status.IN_PROGRESS, by=APPLICANT, at=NOON)
    document = make_document(second.lead)
    rows = AuditedRows([first.lead, second.lead])

    with django_assert_num_queries(3):  # events, their applications, documents
        events = [rows.events_of(one.lead) for one in (first, second)]
        found = [rows.of(one.lead, Document) for one in (first, second, first)]

    assert [[event.application for event in of_lead] for of_lead in events] == [[first], [second]]
    assert found == [[], [document], []]
    assert [event.lead for of_lead in events for event in of_lead] == [first.lead, second.lead]


@pytest.mark.parametrize("model", LEAD, ids=lambda model: model.__name__)
def test_every_kind_of_row_has_a_path_to_its_lead(model: type[Model]):
    lead = make_application().lead

    assert AuditedRows([lead]).of(lead, model) == []
    assert AuditedRows([lead]).people_of(lead) == [lead, *Owner.objects.filter(lead=lead)]
    assert AuditedRows([lead]).holdings_of(lead) == []
