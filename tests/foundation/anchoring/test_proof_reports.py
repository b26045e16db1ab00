"""Proof reports: signed, and refused as a basis if anything is wrong with them."""

import pytest

from foundation.anchoring import keys, proof_reports
from foundation.anchoring.proof_reports import NoProof, Part, ProofReport
from foundation.anchoring.statements import Statement, Unreadable
from tests.factories import make_anchor_key

AT = "2026-03-02T12:00:00+00:00"


def make_report(*, fault="", anchor=3):
    parts = [Part("verify_ledger", 1.5, ["the ledger is clean"], fault)]
    return ProofReport(AT, "an-id", anchor, "ab" * 32, AT, files={"a.file": 7}, parts=parts)


@pytest.fixture
def signer(tmp_path):
    return keys.load(make_anchor_key(tmp_path / "key.pem"))


def test_a_report_is_read_as_it_was_written(tmp_path, signer):
    path = proof_reports.write(make_report(), tmp_path / "proofs", signer)

    report, digest = proof_reports.read_basis(path, signer)

    assert path.name == "proof-2026-03-02T120000.json"
    assert (report, digest) == (make_report(), proof_reports.digest(path.read_bytes()))
    assert path.with_suffix(".txt").read_text() == (
        f"Proof of {AT}: no fault\nDeployment an-id; proved: everything\n"
        f"Newest anchor: 3 {'ab' * 32}\nEverything was proved last at {AT}\n\n"
        "verify_ledger (1.5 s): no fault\n    the ledger is clean\n\n"
        "This text is not signed: proof-2026-03-02T120000.sig signs proof-2026-03-02T120000.json. "
        f"SHA-256 of proof-2026-03-02T120000.json: {digest}\n"
    )


def test_the_text_of_a_report_that_nobody_signed_says_so(tmp_path):
    path = proof_reports.write(make_report(), tmp_path, None)

    *_, last = path.with_suffix(".txt").read_text().splitlines()

    assert last.startswith(f"This text is not signed, and neither is {path.name}.")


def test_no_report_is_a_statement_of_an_anchor():
    with pytest.raises(Unreadable):
        Statement.from_bytes(make_report().to_bytes())
    with pytest.raises(NoProof, match="the format is unknown"):
        ProofReport.from_bytes(Statement(1, AT, "", {}, 0, "").to_bytes())


@pytest.mark.parametrize("report", [make_report(fault="1 differences"), make_report(anchor=0)])
def test_nothing_rests_on_a_report_with_faults_or_without_an_anchor(tmp_path, signer, report):
    path = proof_reports.write(report, tmp_path, signer)

    with pytest.raises(NoProof, match="has faults, or compared nothing with anchors"):
        proof_reports.read_basis(path, signer)


def test_nothing_rests_on_a_report_that_another_key_or_nobody_signed(tmp_path, signer):
    other = keys.load(make_anchor_key(tmp_path / "other.pem"))
    path = proof_reports.write(make_report(), tmp_path, other)

    with pytest.raises(NoProof, match="no key that counts for anchor 3 signed"):
        proof_reports.read_basis(path, signer)
    unsigned = proof_reports.write(make_report(), tmp_path / "unsigned", None)
    with pytest.raises(NoProof, match=r"proof-.*\.sig"):
        proof_reports.read_basis(unsigned, signer)
