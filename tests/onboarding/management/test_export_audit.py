"""manage.py export_audit."""

import pytest
from django.core.management import CommandError, call_command


def test_the_events_of_a_lead_are_printed(run, lead):
    lines = run("export_audit", "--lead", str(lead.external_id))

    assert len(lines) == 3
    assert all(line.startswith("{") for line in lines)


def test_a_file_is_written_and_proved(run, lead, tmp_path):
    file = tmp_path / "audit.jsonl"

    assert run("export_audit", "--lead", str(lead.external_id), "--output", str(file)) == []
    assert run("export_audit", "--verify", str(file)) == ["the file is whole, no fault"]


def test_a_changed_file_fails(run, lead, tmp_path, capsys):
    file = tmp_path / "audit.jsonl"
    run("export_audit", "--lead", str(lead.external_id), "--output", str(file))
    file.write_text(file.read_text().replace("APPLICANT", "PARTNER"))

    with pytest.raises(CommandError, match="1 faults in"):
        call_command("export_audit", "--verify", str(file))

    assert "event 1 was changed" in capsys.readouterr().out


def test_what_is_no_export_fails(tmp_path):
    file = tmp_path / "audit.jsonl"
    file.write_text("nonsense")

    with pytest.raises(CommandError, match="no whole export"):
        call_command("export_audit", "--verify", str(file))


@pytest.mark.django_db
def test_a_lead_that_nobody_knows_fails():
    with pytest.raises(CommandError, match="No lead has this id"):
        call_command("export_audit", "--lead", "01a201e3-f5d3-77fd-8758-d215d59c8f15")
