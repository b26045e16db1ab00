"""What tests in a browser share."""

import pytest

from tests.e2e import axe, browsing


@pytest.fixture(scope="module")
def chromium():
    with browsing.chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def script():
    """Return axe-core as JavaScript."""
    return axe.script()
