"""manage.py verify_all."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from banking.management.commands import verify_keys
from banking.services import deployments
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application
from tests.factories import make_document

pytestmark = [pytest.mark.one_database, pytest.mark.usefixtures("protected_tables")]


@pytest.fixture
def proofs(run, lead, anchor_folder, encrypted_disk, tmp_path):
    """The folder of reports; there is a lead with a document, and an anchor."""
    deployments.verify(at=timezone.now(), may_record=True)
    make_document(lead)
    run("anchor_audit")
    return tmp_path / "proofs"


def prove(run, folder, *arguments):
    """Run verify_all, and return the newest report."""
    run("verify_all", "--output", str(folder), *arguments)
    return max(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)


def test_a_report_of_all_proofs_is_written_signed_and_readable(run, proofs):
    path = prove(run, proofs)

    report, text = json.loads(path.read_bytes()), path.with_suffix(".txt").read_text()
    assert [part["name"] for part in report["parts"]] == [
        "verify_ledger",
        "verify_audit",
        "verify_documents",
        "verify_keys",
    ]
    assert not any(part["fault"] for part in report["parts"])
    assert report["anchor"] == 1
    assert len(path.with_suffix(".sig").read_bytes()) == 64
    assert text.startswith(f"Proof of {report['at']}: no fault\n")
    assert "is the one that was anchored: 1 events, no fault" in text


def test_a_later_proof_rests_on_a_signed_report(run, proofs):
    first = prove(run, proofs)

    lines = run("verify_all", "--since", str(first))

    said = "verify_audit: the audit since anchor 1 is whole, and is the one that was anchored"
    assert f"{said}: 1 events, no fault" in lines
    assert "verify_documents: no fault in 0 files, 0 bytes" in lines


def test_no_proof_rests_on_an_altered_report_or_on_another_anchor(run, proofs, anchor_folder):
    path = prove(run, proofs)
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"anchor": 1', b'"anchor": 2'))

    with pytest.raises(CommandError, match="no key that counts for anchor 2 signed"):
        run("verify_all", "--since", str(path))
    path.write_bytes(content)
    (anchor_folder / "000001.json").chmod(0o644)
    (anchor_folder / "000001.json").write_bytes(b"{}")
    with pytest.raises(CommandError, match="anchor 1 is not the one of that report"):
        run("verify_all", "--since", str(path))


def test_a_fault_of_one_proof_is_in_the_report_and_fails(run, proofs):
    Application.objects.update(status=Status.APPROVED)

    with pytest.raises(CommandError, match="verify_audit: 1 faults among 1 events"):
        prove(run, proofs)

    [path] = proofs.glob("*.json")
    assert "verify_audit: 1 faults" in path.with_suffix(".txt").read_text().splitlines()[0]
    with pytest.raises(CommandError, match="has faults"):
        call_command("verify_all", "--since", str(path))


def test_a_proof_that_ends_early_is_a_fault_of_the_report(run, proofs, monkeypatch):
    def fail(*_arguments, **_options):
        raise ValueError("123456789")

    monkeypatch.setattr(verify_keys.Command, "handle", fail)

    with pytest.raises(CommandError, match="ended before its last row"):
        prove(run, proofs)
    (path,) = proofs.glob("*.json")
    assert json.loads(path.read_bytes())["parts"][-1]["fault"].endswith("ValueError")
