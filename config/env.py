"""Environment variables: typed readers that raise ImproperlyConfigured on a wrong value."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from django.core.exceptions import ImproperlyConfigured

Value = TypeVar("Value")


def load(path: Path) -> None:
    """Add the assignments in `path` to the environment.

    Skips a variable that the environment has already, itself or as `<NAME>_FILE`.
    """
    for name, value in assignments(path).items():
        if not os.environ.get(f"{name}_FILE"):
            os.environ.setdefault(name, value)


def assignments(path: Path) -> dict[str, str]:
    """Return the `NAME=value` lines of `path`, or an empty dict if the file is missing."""
    if not path.is_file():
        return {}
    lines = (line.partition("=") for line in path.read_text().splitlines())
    return {
        name.strip(): value.strip()
        for name, separator, value in lines
        if separator and not name.startswith("#")
    }


def text(name: str, default: str = "", *, choices: Sequence[str] = ()) -> str:
    """Return the variable, or `default` if the variable is unset or empty.

    Raises: ImproperlyConfigured for a value that is not among the `choices`, if there are any.
    """
    value = os.environ.get(name) or default
    if choices and value not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}; it is {value!r}.")
    return value


def flag(name: str, *, default: bool = False) -> bool:
    """Return the variable as a boolean: true for `1 true yes on`, false for `0 false no off`.

    Upper case is the same. Unset or empty is `default`. Raises: ImproperlyConfigured for other
    values.
    """
    value = text(name, "1" if default else "0").lower()
    if value not in {"1", "true", "yes", "on", "0", "false", "no", "off"}:
        raise ImproperlyConfigured(f"{name} must be true or false; it is {value!r}.")
    return value in {"1", "true", "yes", "on"}


def integer(name: str, default: int) -> int:
    """Return the variable as a whole number, or `default` if it is unset or empty.

    Raises: ImproperlyConfigured if it is no whole number.
    """
    return _parsed(int, name, str(default), "a whole number")


def number(name: str, default: float) -> float:
    """Return the variable as a decimal number, or `default` if it is unset or empty.

    Raises: ImproperlyConfigured if it is no number.
    """
    return _parsed(float, name, str(default), "a number")


def words(name: str, default: str = "") -> list[str]:
    """Return the comma-separated items of the variable, or of `default`, without blank items."""
    return _items(text(name, default))


def private_words(name: str) -> list[str]:
    """Return the comma-separated items of a variable, or of the file that `<name>_FILE` names.

    Reads them as `private_text` does. Raises: ImproperlyConfigured.
    """
    return _items(private_text(name))


def client_documents(name: str) -> dict[str, dict[str, object]]:
    """Return the metadata documents in the JSON file that the variable names, by `client_id`.

    Empty if the variable is. Raises: ImproperlyConfigured for a file that has no list of them.
    """
    path = text(name)
    try:
        documents = json.loads(Path(path).read_text()) if path else []
        return {document["client_id"]: document for document in documents}
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise ImproperlyConfigured(
            f"{name} must name a JSON list of metadata documents, each with its client_id."
        ) from exc


def private_text(name: str, default: str = "") -> str:
    """Return the variable, or the content of the file that `<name>_FILE` names, or `default`.

    The lines of the file are joined by commas. The file may be readable by its group, as the
    credentials of systemd and the secrets of containers are, and not by others. Raises:
    ImproperlyConfigured for other files, for an empty file, and if both variables are set.
    """
    file = text(f"{name}_FILE")
    if not file:
        return text(name, default)
    if text(name):
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set. Unset one of them.")
    return _content(Path(file), variable=f"{name}_FILE")


def secret(name: str) -> str:
    """Return a secret, as `private_text` reads it. Raises: ImproperlyConfigured if unset."""
    value = private_text(name)
    if not value:
        raise ImproperlyConfigured(
            f"{name} is not set. `make run` and `vestibule up` write development secrets to "
            f"secrets.env in DATA_DIR; a production process gets its own by {name} or {name}_FILE."
        )
    return value


def _items(value: str) -> list[str]:
    return [item.strip() for item in value.split(",") if item.strip()]


def _content(path: Path, *, variable: str) -> str:
    """Return the lines of a secret file, joined by commas. Raises: ImproperlyConfigured."""
    try:
        mode = path.stat().st_mode
        lines = path.read_text().splitlines()
    except (OSError, ValueError) as exc:
        raise ImproperlyConfigured(f"{variable}: {path} cannot be read: {exc}.") from None
    if mode & 0o007:
        raise ImproperlyConfigured(
            f"{variable}: {path} can be read by others. Give it to the user of the service, "
            "chmod 400."
        )
    content = ",".join(line.strip() for line in lines if line.strip())
    if not content:
        raise ImproperlyConfigured(f"{variable}: {path} is empty.")
    return content


def _parsed(parse: Callable[[str], Value], name: str, default: str, kind: str) -> Value:
    value = text(name, default)
    try:
        return parse(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be {kind}; it is {value!r}.") from None
