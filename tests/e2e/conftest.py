"""What tests in a browser share."""

import pytest

from tests.e2e import axe, browsing


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
