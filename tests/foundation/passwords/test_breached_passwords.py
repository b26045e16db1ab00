"""Breached passwords: a sorted file of hashes, searched without being loaded."""

import hashlib

import pytest
from django.core.exceptions import ValidationError

from foundation.passwords.breached_passwords import (
    BreachedPasswordValidator,
    contains,
    is_sorted_file,
)

BREACHED = [f"password number {number}" for number in range(1000)]


def digest(password):
    return hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper()


def write(path, lines, *, end="\r\n", last="\r\n"):
    path.write_bytes((end.join(lines) + last).encode())
    return path


@pytest.fixture
def file(tmp_path):
    """A file in the form of the downloads of Pwned Passwords."""
    lines = [f"{found}:{number + 1}" for number, found in enumerate(sorted(map(digest, BREACHED)))]
    return write(tmp_path / "pwned.txt", lines)


def test_each_password_of_the_file_is_found_and_no_other(file):
    with file.open("rb") as opened:
        assert all(contains(opened, password) for password in BREACHED)
        assert not any(contains(opened, f"another {password}") for password in BREACHED)


@pytest.mark.parametrize("last", ["", "\n"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_short_files_without_counts_are_searched_as_well(tmp_path, count, last):
    lines = sorted(map(digest, BREACHED[:count]))
    with write(tmp_path / "short.txt", lines, end="\n", last=last).open("rb") as opened:
        assert [contains(opened, one) for one in BREACHED[: count + 1]] == [True] * count + [False]


def test_an_empty_file_has_no_password(tmp_path):
    with write(tmp_path / "empty.txt", [], last="").open("rb") as opened:
        assert not contains(opened, "password")


def test_the_validator_refuses_with_a_reason(file):
    validator = BreachedPasswordValidator(file)

    validator.validate("not in the file")
    with pytest.raises(ValidationError, match="known from a data breach"):
        validator.validate(BREACHED[7])
    assert "data breach" in validator.get_help_text()


def test_a_file_that_cannot_be_read_accepts_nothing(tmp_path):
    with pytest.raises(FileNotFoundError):
        BreachedPasswordValidator(tmp_path / "none.txt").validate("any password")


def test_a_sorted_file_is_told_from_others(tmp_path, file):
    hashes = sorted(map(digest, BREACHED))
    backwards = write(tmp_path / "backwards.txt", hashes[::-1])
    plain = write(tmp_path / "plain.txt", sorted(BREACHED))
    lower = write(tmp_path / "lower.txt", [found.lower() for found in hashes])
    empty = write(tmp_path / "empty.txt", [], last="")

    assert is_sorted_file(file)
    assert not any(map(is_sorted_file, [backwards, plain, lower, empty]))
