import pytest


@pytest.fixture
def make_file(tmp_path):
    """Write a file for one test and return its path."""

    def make(content):
        path = tmp_path / "file"
        path.write_bytes(content)
        return path

    return make
