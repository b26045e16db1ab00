"""Exclusion of anchorings that run at the same time."""

from foundation.anchoring import exclusion
from tests.factories import make_anchor_key


def test_one_is_alone_until_its_block_ends(db, tmp_path):
    key_file = make_anchor_key(tmp_path / "key.pem")

    with exclusion.alone(key_file) as first, exclusion.alone(key_file) as second:
        pass
    with exclusion.alone(key_file) as third:
        pass

    assert (first, second, third) == (True, False, True)
