"""Settings of production that no test with its own settings sees."""

import os
import subprocess
import sys

from django.conf import settings

from tests.config.test_checks import PRODUCTION

COOKIES = """
import django
django.setup()
from django.conf import settings
from mcp_server.pages import known_devices
from onboarding.flow import journeys
print(
    settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, settings.LANGUAGE_COOKIE_NAME,
    known_devices._name("grace@example.com"), journeys.COOKIE,
)
"""
INDEX_KEYS = """
from config import settings
print(settings.PII_INDEX_KEYS)
"""
HSTS = """
from config import settings
print(settings.SECURE_HSTS_INCLUDE_SUBDOMAINS, settings.SECURE_HSTS_PRELOAD)
"""
S3 = """
from config import settings
for name in ("documents", "papers"):
    print(settings.STORAGES[name]["OPTIONS"]["store"]["OPTIONS"]["default_acl"])
"""


def test_the_cookies_of_production_come_from_this_host_over_tls(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", COOKIES],
        cwd=settings.BASE_DIR,
        env={
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATA_DIR": str(tmp_path),
            **PRODUCTION,
        },
        capture_output=True,
        text=True,
        check=False,
    )

    *others, applicant = done.stdout.split()
    assert len(others) == 4, done.stderr
    assert all(name.startswith("__Host-") for name in others)
    assert applicant == "__Secure-applicant"  # its path is /apply/, which __Host- forbids


def test_preloading_is_asked_for_by_name_and_with_the_hosts_below():
    def start(**environment):
        return run(HSTS, **environment)

    assert start(HSTS_SUBDOMAINS="1").stdout == "True False\n"
    assert start(HSTS_SUBDOMAINS="1", HSTS_PRELOAD="1").stdout == "True True\n"
    assert "HSTS_PRELOAD needs HSTS_SUBDOMAINS" in start(HSTS_PRELOAD="1").stderr


def test_no_request_to_s3_has_an_access_control_list():
    done = run(S3, DOCUMENT_STORAGE="s3", DOCUMENT_S3_BUCKET="vestibule")

    assert done.stdout == "None\nNone\n", done.stderr


def test_the_former_index_key_counts_only_without_keys_of_the_present_name():
    only_former = {"PII_INDEX_KEYS": "", "PII_INDEX_KEY": "former"}

    assert run(INDEX_KEYS, **only_former).stdout == ":former\n"
    assert run(INDEX_KEYS, PII_INDEX_KEY="former").stdout == f"{PRODUCTION['PII_INDEX_KEYS']}\n"


def run(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=settings.BASE_DIR,
        env={"PATH": os.environ["PATH"], **PRODUCTION, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
