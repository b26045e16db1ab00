"""The child process."""

import subprocess
import sys

from foundation.pdf import reading
from tests.pdf_files import make_pdf


def test_the_child_gets_nothing_of_our_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", "s3cr3t")
    show = tmp_path / "show.py"
    show.write_text("import os; print(sorted(os.environ))")
    monkeypatch.setattr(reading, "COMMAND", [sys.executable, str(show)])

    assert b"SECRET_KEY" not in reading._run(b"")  # noqa: SLF001 - what the child sees


def test_an_unknown_command_fails():
    ended = subprocess.run(
        [*reading.COMMAND, "write"], input=make_pdf(), capture_output=True, check=False
    )

    assert ended.returncode == 1
    assert ended.stdout == b""
