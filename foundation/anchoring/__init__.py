"""Anchors: signed Merkle roots of append-only rows, kept where the database cannot change them."""
