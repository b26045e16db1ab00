"""The last release's own tests, on the present schema: its programs run on it during an upgrade.

A failure is a test of the release, with the request or the table in its message: change the
migration so that it fits, as docs/releasing.md says, or let CHANGELOG.md say that it does not.
"""

import os
import re
import secrets
import subprocess
import sys

import pytest

from tests import postgresql, releases, templates
from tests.e2e.browsing import require
from tests.test_releases import FITS, sections

TIMEOUT_SECONDS = 1800
CHOSEN = [  # of the release: requests, the flow, tools, and a worker's tasks
    "tests/config/test_health.py",
    "tests/onboarding/api/test_create_lead.py",
    "tests/onboarding/api/test_reads.py",
    "tests/onboarding/flow/test_review.py",
    "tests/mcp_server/tools/test_accounts.py",
    "tests/onboarding/test_tasks.py",
]
PLUGIN = """
import os
from tests import templates
templates.name_on_server = lambda: os.environ["PRESENT_SCHEMA"]
"""
FAILED = re.compile(r"'code': 500, 'request': '([A-Z]+ [^']+)'")
ERROR = re.compile(r"(?:django\.db\.utils|psycopg\.errors)\.\w+: .*")  # names table and column
pytestmark = pytest.mark.skipif(
    templates.is_sqlite(), reason="two releases share a database on PostgreSQL only"
)


@pytest.fixture
def release(tmp_path):
    """Write the release's code into a folder."""
    if FITS.match(sections()[0][2]).group(1) == "no":
        pytest.skip("CHANGELOG.md says that this code does not fit the release before")
    try:
        releases.extract_release(tmp_path / "release")
    except releases.NoHistory as exc:
        require(str(exc))
    (tmp_path / "present_schema.py").write_text(PLUGIN)
    return tmp_path / "release"


def test_the_last_release_works_on_the_schema_of_this_code(release):
    name = f"test_release_{secrets.token_hex(4)}"
    environment = {
        **os.environ,
        "PRESENT_SCHEMA": templates.name_on_server(),
        "TEST_DATABASE_NAME": name,
        "PYTHONPATH": str(release.parent),
    }
    pytest_alone = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]

    try:
        done = subprocess.run(
            [*pytest_alone, "-p", "present_schema", *CHOSEN],
            cwd=release,
            env={name: value for name, value in environment.items() if "PYTEST" not in name},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    finally:
        postgresql.drop_databases(os.environ["DATABASE_URL"], name)

    if done.returncode:
        requests, errors = (
            sorted(set(pattern.findall(done.stdout))) for pattern in (FAILED, ERROR)
        )
        shown = [*requests, *errors, done.stdout[-4000:], done.stderr[-1000:]]
        pytest.fail("\n".join(["The last release fails on this schema:", *shown]), pytrace=False)
