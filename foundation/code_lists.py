"""Read lists of codes from CSV files, whose comments name the source and the date."""

import csv
import gzip
from pathlib import Path


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file by column name, also of a compressed file.

    Lines that begin with # are comments.
    """
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = text.decode().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def read_codes(path: Path, column: str = "name") -> dict[str, str]:
    """Return the values of a column by the column `code`, in the order of the file."""
    return {row["code"]: row[column] for row in read_rows(path)}
