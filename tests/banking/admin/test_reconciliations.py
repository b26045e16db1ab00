"""The screens of reconciliations."""

from tests import factories


def test_a_run_shows_its_differences(chief):
    text = "A-1 2026-02-10 has 2 movements here, 3 in the file"
    run = factories.make_reconciliation(difference_count=1, differences=[text])

    page = chief.get(f"/admin/banking/reconciliation/{run.pk}/change/").content.decode()

    assert text in page
    assert "Differences: 1" in page
