"""A browser that tests share."""

import os
import shutil
from contextlib import contextmanager

import pytest
from django.db import connections

from config import env

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]  # light first
ARGUMENTS = ["--no-sandbox", "--site-per-process"]  # a frame of another site is a target of its own
TIMEOUT_SECONDS = 120  # until something that a page should show is missed
SHOWN_REQUESTS, SHOWN_CHARACTERS = 30, 2000  # in the report of a failed test


def require(reason):
    """Fail where all must be tested, else skip: this machine lacks something."""
    if env.flag("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


class Chromium:
    """A browser; each test opens windows of its own, and a failed test is told what they show."""

    def __init__(self, browser):
        self._browser = browser
        self._requests = []

    def new_context(self, **options):
        """Open a window without cookies, whose waits outlast a busy machine."""
        context = self._browser.new_context(**options)
        context.set_default_timeout(TIMEOUT_SECONDS * 1000)
        context.on("response", lambda answer: self._note(answer.request, answer.status))
        context.on("requestfailed", lambda request: self._note(request, request.failure))
        return context

    def describe(self):
        """Return the latest requests, and the address and text of each open page and frame."""
        pages = [page for context in self._browser.contexts for page in context.pages]
        frames = [frame for page in pages for frame in page.frames]
        return "\n".join([*self._requests[-SHOWN_REQUESTS:], *map(self._describe, frames)])

    def _describe(self, frame):
        text = frame.evaluate("document.body?.innerText ?? ''")
        return f"== {frame.url}\n{text[:SHOWN_CHARACTERS]}"

    def _note(self, request, outcome):
        self._requests.append(f"{request.method} {request.url}: {outcome}")


@contextmanager
def chromium():
    """Yield a browser."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        require(f"there is none of {', '.join(NAMES)} to browse with")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # playwright's loop runs in this thread
    known = {alias: connections[alias] for alias in connections}
    with sync_playwright() as playwright:
        for alias, connection in known.items():
            connections[alias] = connection  # in the loop Django would open others, not set up
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield Chromium(browser)
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


def overflow(page):
    """Return how many pixels a page is wider than its window."""
    devtools = page.context.new_cdp_session(page)
    metrics = devtools.send("Page.getLayoutMetrics")
    devtools.detach()
    return metrics["cssContentSize"]["width"] - metrics["cssLayoutViewport"]["clientWidth"]
