"""A browser that tests share."""

import os
import shutil
from contextlib import contextmanager

import pytest
from django.db import connections

from config import env

NAMES = ["chromium", "chromium-browser", "google-chrome"]


def require(reason):
    """Fail where all must be tested, else skip: this machine lacks something."""
    if env.flag("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@contextmanager
def chromium():
    """Yield a browser; each test opens windows of its own."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        require(f"there is none of {', '.join(NAMES)} to browse with")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # playwright's loop runs in this thread
    known = {alias: connections[alias] for alias in connections}
    with sync_playwright() as playwright:
        for alias, connection in known.items():
            connections[alias] = connection  # in the loop Django would open others, not set up
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


def overflow(page):
    """Return how many pixels a page is wider than its window."""
    devtools = page.context.new_cdp_session(page)
    metrics = devtools.send("Page.getLayoutMetrics")
    devtools.detach()
    return metrics["cssContentSize"]["width"] - metrics["cssLayoutViewport"]["clientWidth"]
