"""Merkle tree: the root of a sequence of records, computed in one pass.

Source: RFC 6962, section 2.1 (SHA-256; leaves and nodes are hashed with different prefixes).
"""

import hashlib

LEAF_PREFIX = b"\x00"
NODE_PREFIX = b"\x01"


def leaf_hash(record: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(LEAF_PREFIX + record).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node with two children."""
    return hashlib.sha256(NODE_PREFIX + left + right).digest()


class Tree:
    """A growing tree that keeps only the roots of its complete subtrees, largest first."""

    def __init__(self) -> None:
        self.size = 0
        self._subtrees: list[bytes] = []

    def append(self, record: bytes) -> None:
        """Add a leaf."""
        subtree, size = leaf_hash(record), self.size
        while size % 2:  # the last complete subtree has the size of the new one
            subtree = node_hash(self._subtrees.pop(), subtree)
            size //= 2
        self._subtrees.append(subtree)
        self.size += 1

    def root(self) -> str:
        """Return the root in hexadecimal; of an empty tree the hash of no bytes."""
        if not self._subtrees:
            return hashlib.sha256().hexdigest()
        *larger, root = self._subtrees
        for subtree in reversed(larger):
            root = node_hash(subtree, root)
        return root.hex()
