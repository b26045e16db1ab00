"""Test settings: separate secrets, a fast password hasher, and files in memory."""

import atexit
import os
import shutil
import tempfile

os.environ.update(
    ENVIRONMENT="sandbox",
    DATA_DIR=tempfile.mkdtemp(prefix="vestibule-test-"),  # one folder per process
    SECRET_KEY="test-secret-key-of-the-suite-which-signs-nothing-real",  # noqa: S106 - signs nothing
    API_KEY_PEPPER="test-pepper",
    LINK_KEY="test-link-key",
    PII_KEYS=f"test2:{'2b' * 32},test1:{'1a' * 32}",
    PII_INDEX_KEYS=f"test1:{'3c' * 32}",
    RATE_LIMIT_FACTOR="0",
    CLIENT_DOCUMENTS="on",  # no network probe
    BASE_URL="http://testserver",
    LOG_FORMAT="json",
    LOG_LEVEL="WARNING",
)

from config.settings import *  # noqa: F403 - reads the environment set above
from config.settings import DATA_DIR, DATABASES, PASSWORD_HASHERS, STORAGES

atexit.register(shutil.rmtree, DATA_DIR, ignore_errors=True)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *PASSWORD_HASHERS[1:]]
IN_MEMORY = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
STORAGES = {
    **STORAGES,
    **{
        alias: {**STORAGES[alias], "OPTIONS": {**STORAGES[alias]["OPTIONS"], "store": IN_MEMORY}}
        for alias in ("documents", "papers")
    },
}
DATABASES["default"]["TEST"] = (
    {"NAME": str(DATA_DIR / "test.sqlite3")}  # a file: threads cannot share a database in memory
    if DATABASES["default"]["ENGINE"].endswith("sqlite3")
    else {"NAME": os.environ.get("TEST_DATABASE_NAME", "test_vestibule")}
)
ALLOW_LOOPBACK = True  # tests receive webhooks on this machine
CELERY_TASK_ALWAYS_EAGER = True
WHITENOISE_AUTOREFRESH = True  # skips the scan of static files at each start
