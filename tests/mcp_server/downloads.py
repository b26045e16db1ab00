"""The link that comes with each downloaded file."""

LINK = 1  # statement of each download: the row of its link
FACTS = {"sizeBytes", "sha256", "downloadUrl", "expiresAt"}


def without_link(file):
    """Return the result of a download without the members that each download has."""
    assert set(file) >= FACTS
    return {name: value for name, value in file.items() if name not in FACTS}
