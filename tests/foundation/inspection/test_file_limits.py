"""Limits of a sent file; what happens beyond them is tested with archives."""

from foundation.inspection.file_limits import SECONDS, Limits


def test_each_file_has_limits_of_its_own():
    first, second = Limits(), Limits()

    first.members -= 1

    assert second.members == first.members + 1
    assert 0 <= second.deadline - first.deadline < SECONDS
