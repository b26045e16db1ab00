"""The last release's code, from git."""

import subprocess
from pathlib import Path

from tests.released_migrations import ROOT, version


class NoHistory(Exception):
    """The release's code cannot be had; the text says why."""


def release_commit() -> str:
    """Return the last release's commit: its tag, or the commit that wrote its version.

    Raises: NoHistory.
    """
    tag = f"v{version()}"
    wrote = ["log", "-1", "--format=%H", f'-Sversion = "{version()}"', "--", "pyproject.toml"]
    for arguments in (["rev-parse", "--verify", "--quiet", f"{tag}^{{commit}}"], wrote):
        if commit := _git(arguments).decode().strip():
            return commit
    raise NoHistory(f"git has neither the tag {tag} nor the commit that wrote this version")


def extract_release(folder) -> str:
    """Write the last release's code into a folder; return its commit. Raises: NoHistory."""
    commit = release_commit()
    extract(commit, folder)
    return commit


def extract(commit, folder) -> None:
    """Write the code of a commit into a folder. Raises: NoHistory."""
    if not (archive := _git(["archive", commit])):
        raise NoHistory(f"git has no files of commit {commit}")
    Path(folder).mkdir(exist_ok=True)
    subprocess.run(["tar", "--extract", "--directory", folder], input=archive, check=True)


def _git(arguments) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)
    except FileNotFoundError:
        raise NoHistory("git is not installed") from None
    return done.stdout if done.returncode == 0 else b""
