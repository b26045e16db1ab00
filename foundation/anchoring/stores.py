"""Stores of anchors: a folder, or an S3 bucket with object lock. Nothing is changed or deleted.

An anchor is a few files with a common number: the statement (`.json`), and with a part of its hash
in the name its signature (`.sig`), the records (`.records`) and timestamps (`.tst`). The statement
is written last: files without it are left over from a run that was interrupted.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import unquote, urlsplit

from foundation.anchoring import statements

STATEMENT = ".json"
SIGNATURE = ".sig"
RECORDS = ".records"
TIMESTAMP = ".tst"
NAME = re.compile(r"(\d{6,})[.-][\w.-]+")


class StoreFault(Exception):
    """The store cannot be read or written, or has a file of that name; the text says which."""


class Store(Protocol):
    """A place that keeps the files of anchors by name, and never changes a file."""

    location: str

    def names(self) -> list[str]:
        """Return the names of all files of anchors. Raises: StoreFault."""

    def read(self, name: str) -> IO[bytes]:
        """Open a file; the caller closes it. Raises: StoreFault."""

    def write(self, name: str, content: IO[bytes], *, at: datetime) -> None:
        """Add a file. Raises: StoreFault, also if there is one of that name."""


class Folder:
    """A store in a folder. It should be mounted from another machine, or be copied to one."""

    def __init__(self, location: str, path: Path) -> None:
        self.location, self.path = location, path

    def names(self) -> list[str]:
        with _faults(self.location):
            if not self.path.is_dir():
                return []
            return sorted(path.name for path in self.path.iterdir() if NAME.fullmatch(path.name))

    def read(self, name: str) -> IO[bytes]:
        with _faults(self.location):
            return (self.path / name).open("rb")

    def write(self, name: str, content: IO[bytes], *, at: datetime) -> None:
        """Add a file, whole or not at all; `at` does not matter."""
        with _faults(self.location):
            self.path.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.path, prefix=".new-") as part:
                shutil.copyfileobj(content, part)
                part.flush()
                os.fsync(part.fileno())
                Path(part.name).chmod(0o444)
                (self.path / name).hardlink_to(part.name)  # fails if the name is taken


class Bucket:
    """A bucket with versions and object lock: nobody can delete a file before `lock` is over."""

    def __init__(self, location: str, *, lock: timedelta, client: Any = None) -> None:
        parts = urlsplit(location)
        self.location, self.bucket, self.lock = location, parts.netloc, lock
        self.prefix = f"{path}/" if (path := parts.path.strip("/")) else ""
        self._client = client

    @property
    def client(self) -> Any:
        """Return the S3 client, which reads endpoint, region and keys from the environment."""
        if self._client is None:
            with _faults(self.location):
                import boto3  # in requirements-s3.txt
                from botocore.config import Config

                limits = Config(connect_timeout=5, read_timeout=60, retries={"max_attempts": 3})
                self._client = boto3.client("s3", config=limits)
        return self._client

    def names(self) -> list[str]:
        """Return the names of all files, also of those that a delete marker hides."""
        keys = {version["Key"] for version in self._versions(self.prefix)}
        names = (key.removeprefix(self.prefix) for key in keys)
        return sorted(name for name in names if NAME.fullmatch(name))

    def read(self, name: str) -> IO[bytes]:
        """Open the first version of a file: a lock does not stop later versions."""
        key = self.prefix + name
        versions = [version for version in self._versions(key) if version["Key"] == key]
        with _faults(self.location):
            first = versions[-1]["VersionId"]  # S3 lists the newest first; times are of a second
            found = self.client.get_object(Bucket=self.bucket, Key=key, VersionId=first)
            body: IO[bytes] = found["Body"]
            return body

    def write(self, name: str, content: IO[bytes], *, at: datetime) -> None:
        with _faults(self.location):
            self.client.put_object(
                Bucket=self.bucket,
                Key=self.prefix + name,
                Body=content,
                IfNoneMatch="*",
                ChecksumAlgorithm="SHA256",
                ObjectLockMode="COMPLIANCE",
                ObjectLockRetainUntilDate=at + self.lock,
            )

    def _versions(self, prefix: str) -> list[dict[str, Any]]:
        with _faults(self.location):
            pages = self.client.get_paginator("list_object_versions").paginate(
                Bucket=self.bucket, Prefix=prefix
            )
            return [version for page in pages for version in page.get("Versions", [])]


def open_store(location: str, *, lock: timedelta) -> Store | None:
    """Return the store of a `file:` or `s3:` location, or None for another kind of location.

    Raises: StoreFault if the location is malformed.
    """
    parts = urlsplit(location)
    if parts.scheme == "file" and not parts.netloc and parts.path:
        return Folder(location, Path(unquote(parts.path)))
    if parts.scheme == "s3" and parts.netloc:
        return Bucket(location, lock=lock)
    if parts.scheme in {"file", "s3", ""}:
        raise StoreFault(f"{location} is neither file:///folder nor s3://bucket/prefix")
    return None


def number_of(name: str) -> int:
    """Return the number of the anchor that a file belongs to; 0 for any other file name."""
    found = NAME.fullmatch(name)
    return int(found[1]) if found else 0


def file_name(number: int, ending: str, *, of: bytes = b"") -> str:
    """Return the name of a file of an anchor; all but the statement need the statement's bytes."""
    if ending == STATEMENT:
        return f"{number:06}{ending}"
    return f"{number:06}-{statements.digest(of)[:16]}{ending}"


def read_all(store: Store, name: str) -> bytes:
    """Return the content of a small file. Raises: StoreFault."""
    with _faults(store.location), store.read(name) as opened:
        return opened.read()


@contextmanager
def _faults(location: str) -> Iterator[None]:
    """Turn all errors in the block, such as those of file systems and boto3, into StoreFault."""
    try:
        yield
    except StoreFault:
        raise
    except FileExistsError as exc:
        raise StoreFault(f"{location}: {exc.filename2 or exc.filename} is there already") from exc
    except Exception as exc:
        raise StoreFault(f"{location}: {type(exc).__name__}: {exc}") from exc
