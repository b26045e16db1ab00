"""Read lists of codes from CSV files, whose comments name the source and the date."""

import csv
from pathlib import Path


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file by column name. Lines that begin with # are comments."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def read_codes(path: Path) -> dict[str, str]:
    """Return the names by code of a file with the columns `code` and `name`, in its order."""
    return {row["code"]: row["name"] for row in read_rows(path)}
