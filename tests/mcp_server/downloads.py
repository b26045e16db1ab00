"""The link that comes with each downloaded file."""

LINK = 2  # statements that store a link: the links there are, and the new one
FACTS = {"sizeBytes", "sha256", "downloadUrl", "expiresAt"}


def without_link(file):
    """Return the result of a download without the members that each download has."""
    assert set(file) >= FACTS
    return {name: value for name, value in file.items() if name not in FACTS}
