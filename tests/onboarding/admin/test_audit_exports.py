"""The export of a lead's events, by auditors."""

import json

import pytest

from onboarding.event_types import EventType
from onboarding.models import Event
from onboarding.services.events import audit_exports


@pytest.fixture
def path(make_event):
    lead = make_event().application.lead
    return f"/admin/onboarding/lead/{lead.pk}/export_audit/"


def text_of(answer):
    return b"".join(answer.streaming_content).decode()


def test_an_auditor_takes_the_file_and_that_is_its_last_event(path, make_staff):
    client = make_staff("view_lead", "export_audit")
    page = client.get(path.replace("export_audit", "change")).content.decode()

    answer = client.post(path)
    lines = text_of(answer).splitlines()

    assert f'action="{path}"' in page
    assert "attachment" in answer["Content-Disposition"]
    assert audit_exports.verify_lines(lines) == []
    assert json.loads(lines[-2])["event"]["type"] == EventType.EXPORTED
    assert json.loads(lines[-1])["summary"]["is_whole"] is True


def test_nobody_else_does(path, make_staff):
    client = make_staff("view_lead", "view_event", "change_lead", "review_application")
    page = client.get(path.replace("export_audit", "change")).content.decode()

    assert client.post(path).status_code == 403
    assert "export_audit" not in page
    assert not Event.objects.filter(type=EventType.EXPORTED).exists()


def test_looking_exports_nothing(path, chief):
    assert chief.get(path).status_code == 405
    assert not Event.objects.filter(type=EventType.EXPORTED).exists()
