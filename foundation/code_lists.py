"""Read lists of codes from CSV files, whose comments name the source and the date."""

import csv
from pathlib import Path


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file by column name. Lines that begin with # are comments."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def read_codes(path: Path, column: str = "name") -> dict[str, str]:
    """Return the values of a column by the column `code`, in the order of the file."""
    return {row["code"]: row[column] for row in read_rows(path)}
