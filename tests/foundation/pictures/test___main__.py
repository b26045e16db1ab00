"""The child process."""

import subprocess

from foundation.pdf.child_processes import PYTHON
from foundation.pictures.reading import MODULE
from tests.id_pictures import card


def test_an_unknown_command_fails():
    command = [*PYTHON, "-m", MODULE, "write"]
    ended = subprocess.run(command, input=card(), capture_output=True, check=False)

    assert ended.returncode == 1
    assert ended.stdout == b""
