"""What tests in a browser share."""

import pytest

from tests.e2e import axe, browsing
from tests.e2e.applicants import Applicant


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Add to a failed test's report what its browser shows."""
    report = yield
    browser = getattr(item, "funcargs", {}).get("chromium")
    if report.when != "teardown" and report.failed and browser:
        report.sections.append(("browser", browser.describe()))
    return report


@pytest.fixture(scope="module")
def chromium():
    with browsing.chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def script():
    """Return axe-core as JavaScript."""
    return axe.script()


@pytest.fixture
def come(chromium):
    """Return a function that opens a window of a person; no window may show a fault."""
    opened = []

    def come(**options):
        opened.append(Applicant(chromium, **options))
        return opened[-1]

    yield come
    for person in opened:
        person.context.close()
    assert [fault for person in opened for fault in person.faults] == []
