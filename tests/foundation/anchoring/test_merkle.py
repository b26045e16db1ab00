"""Roots of Merkle trees, by the definition of RFC 6962."""

import hashlib

import pytest

from foundation.anchoring.merkle import Tree, leaf_hash, node_hash


def root_of(records):
    """Compute a root as RFC 6962 defines it: split at the largest power of two below the size."""
    if not records:
        return hashlib.sha256().digest()
    if len(records) == 1:
        return leaf_hash(records[0])
    split = 1
    while split * 2 < len(records):
        split *= 2
    return node_hash(root_of(records[:split]), root_of(records[split:]))


@pytest.mark.parametrize("size", [*range(18), 100, 1000])
def test_the_root_is_that_of_the_definition(size):
    records, tree = [str(number).encode() for number in range(size)], Tree()

    for record in records:
        tree.append(record)

    assert tree.root() == root_of(records).hex()
    assert tree.size == size


def test_the_root_of_one_empty_record_is_that_of_the_test_vectors_of_certificate_transparency():
    tree = Tree()

    tree.append(b"")

    assert tree.root() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"


def test_a_node_is_not_a_leaf_of_the_same_bytes():
    left, right = leaf_hash(b"a"), leaf_hash(b"b")

    assert node_hash(left, right) != leaf_hash(left + right)
