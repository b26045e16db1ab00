"""The child process."""

import subprocess
import sys

from foundation.pdf import child_processes
from foundation.pdf.reading import MODULE
from tests.pdf_files import make_pdf


def test_the_child_gets_nothing_of_our_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", "s3cr3t")
    show = tmp_path / "show.py"
    show.write_text("import os; print(sorted(os.environ))")
    monkeypatch.setattr(child_processes, "PYTHON", [sys.executable, str(show)])

    assert b"SECRET_KEY" not in child_processes.run_child(MODULE, b"")


def test_an_unknown_command_fails():
    command = [*child_processes.PYTHON, "-m", MODULE, "write"]
    ended = subprocess.run(command, input=make_pdf(), capture_output=True, check=False)

    assert ended.returncode == 1
    assert ended.stdout == b""
