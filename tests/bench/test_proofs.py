"""The seconds that the bench of proofs extrapolates."""

from bench import proofs


def test_anchors_fix_both_kinds_of_rows_and_processes_share_all_work():
    assert proofs.extrapolate(audit=60, anchors=0, ledger=0) == 300
    assert proofs.extrapolate(audit=0, anchors=15, ledger=0) == 150
    assert proofs.extrapolate(audit=0, anchors=0, ledger=27) == 135
