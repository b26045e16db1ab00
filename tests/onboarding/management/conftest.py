"""Commands are called as from a shell."""

from io import StringIO

import pytest
from django.core.management import call_command


@pytest.fixture
def run(db):
    """Run a command and return the lines that it prints."""

    def run(name, *arguments):
        out = StringIO()
        call_command(name, *arguments, stdout=out)
        return out.getvalue().splitlines()

    return run
