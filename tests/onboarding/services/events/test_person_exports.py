"""Person exports: files of what a member of staff did that prove themselves."""

import json

import pytest
from django.core.management import CommandError, call_command

from banking.choices import StaffEventType
from banking.models import StaffEvent
from onboarding.services.events import person_exports
from tests.onboarding.staff_actions import dana, done, other

__all__ = ["dana", "done", "other"]


def change(line, **values):
    [(name, was)] = json.loads(line).items()
    return json.dumps({name: {**was, **values}}, sort_keys=True)


@pytest.mark.parametrize(
    ("place", "values", "fault"),
    [
        (1, {"details": {"a": 1}}, "event 2 of lead {lead} was changed"),
        (3, {"who": "x"}, "staff event 1 was changed"),
        (4, {"text": "x"}, "the lines are not those that the summary counts"),
        (0, {"name": "x"}, "the lines are not those that the summary counts"),
    ],
)
def test_a_changed_line_is_found(done, dana, place, values, fault):
    written = list(person_exports.write_lines(dana))
    written[place] = change(written[place], **values)

    found = person_exports.verify_lines(written)

    assert found[0] == fault.format(lead=done.lead.external_id)
    assert found[-1] == "the lines are not those that the summary counts"


@pytest.mark.parametrize("place", [1, 3, 4])
def test_a_missing_line_is_found(done, dana, place):
    written = list(person_exports.write_lines(dana))
    del written[place]

    assert person_exports.verify_lines(written)


@pytest.mark.parametrize("lines", [[], ["nonsense"], ["{}"], ["[]"], ['{"summary": {}}']])
def test_what_is_no_whole_export_is_refused(lines):
    with pytest.raises(person_exports.NoAuditFile):
        person_exports.verify_lines(lines)


def test_an_operator_exports_and_anybody_verifies(done, dana, tmp_path, capsys):
    file = tmp_path / "dana.jsonl"

    call_command("export_audit", person=dana.email, output=file)
    call_command("export_audit", verify=file)

    assert "the file is whole, no fault" in capsys.readouterr().out
    assert StaffEvent.objects.filter(type=StaffEventType.AUDIT_EXPORTED).count() == 1
    file.write_text(file.read_text().replace("note.added", "case.claimed"))
    with pytest.raises(CommandError, match="faults"):
        call_command("export_audit", verify=file)
    with pytest.raises(CommandError, match="No member of staff"):
        call_command("export_audit", person="nobody@example.com")
