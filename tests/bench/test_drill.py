"""The restore drill, in a small size: `make drill`."""

import os
import subprocess
import sys

import pytest

from bench.servers import ROOT
from tests import postgresql

pytestmark = pytest.mark.one_database


@pytest.mark.skipif(postgresql.binaries() is None, reason="no binaries of a PostgreSQL server")
def test_everything_before_the_moment_is_back_and_nothing_after_it():
    command = [sys.executable, "-m", "bench.drill", "--leads", "2", "--more", "1"]
    environment = {k: v for k, v in os.environ.items() if k not in {"DJANGO_SETTINGS_MODULE"}}

    done = subprocess.run(
        [*command, "--archive-seconds", "2"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1200, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert "| acknowledged leads from before the moment | 3 |" in done.stdout
    assert "| of these missing | 0 |" in done.stdout
