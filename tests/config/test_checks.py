"""What `manage.py check --deploy` refuses of a production deployment."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
from django.conf import settings

PRODUCTION = {
    "ENVIRONMENT": "production",
    "BASE_URL": "https://bank.example",
    "DATABASE_URL": "postgres://vestibule@database.example/vestibule",
    "SECRET_KEY": "neither-short-nor-of-few-letters-0123456789-abcdefghijk",
    "API_KEY_PEPPER": "p3" * 32,
    "LINK_KEY": "l3" * 32,
    "PII_KEYS": f"2026:{'0f' * 32}",
    "PII_INDEX_KEY": "i3" * 32,
    "TRUSTED_PROXIES": "1",
    "BANK_ROUTING_NUMBER": "123123123",
    "LETTER_SIGNING_FILE": __file__,
}


@pytest.fixture
def check(tmp_path):
    """Run `check --deploy` in a process of its own, whose environment is what it is told."""

    def run(**environment):
        return subprocess.run(
            [sys.executable, "manage.py", "check", "--deploy"],
            cwd=settings.BASE_DIR,
            env={"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_a_proper_production_passes(check):
    done = check(**PRODUCTION)

    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_every_fault_of_a_production_is_refused(check):
    secrets = ["SECRET_KEY", "API_KEY_PEPPER", "LINK_KEY", "PII_KEYS", "PII_INDEX_KEY"]
    faults = dict.fromkeys(secrets, f"development1:{'0f' * 32}")
    faults |= {"DEBUG": "1", "TLS": "0", "BASE_URL": "http://bank.example", "DATABASE_URL": ""}

    done = check(**{**PRODUCTION, **faults})

    assert done.returncode == 1
    for complaint in [
        *(f"{name} is a development secret." for name in secrets),
        "DEBUG is on.",
        "SECURE_SSL_REDIRECT is off.",
        "SECURE_HSTS_SECONDS is off.",
        "SESSION_COOKIE_SECURE is off.",
        "CSRF_COOKIE_SECURE is off.",
        "BASE_URL is not https.",
        "DATABASE_URL names no PostgreSQL.",
    ]:
        assert complaint in done.stderr


def test_a_single_fault_is_enough(check):
    done = check(**{**PRODUCTION, "DEBUG": "1"})

    assert done.returncode == 1
    assert "DEBUG is on." in done.stderr


@pytest.mark.parametrize(
    ("fault", "identity", "complaint"),
    [
        ({"LINK_KEY": "l3" * 15}, "E006", "LINK_KEY has fewer than 32 characters."),
        ({"TRUSTED_PROXIES": "0"}, "E007", "TRUSTED_PROXIES is 0."),
        ({"BANK_ROUTING_NUMBER": ""}, "E008", "BANK_ROUTING_NUMBER is the sandbox's."),
        ({"BANK_ROUTING_NUMBER": "123"}, "E008", "BANK_ROUTING_NUMBER is no routing number."),
        ({"LETTER_SIGNING_FILE": "none.pem"}, "E009", "LETTER_SIGNING_FILE is missing."),
    ],
    ids=str,
)
def test_what_would_not_work_is_refused(check, fault, identity, complaint):
    done = check(**{**PRODUCTION, **fault})

    assert done.returncode == 1
    assert f"(vestibule.{identity}) {complaint}" in done.stderr


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ({"PII_KEYS": "2026:" + "0f" * 31}, "PII_KEYS must read id:64 hex digits"),
        ({"DOCUMENT_STORAGE": "s3"}, "DOCUMENT_STORAGE=s3 needs a DOCUMENT_S3_BUCKET."),
        pytest.param(
            {"DOCUMENT_STORAGE": "s3", "DOCUMENT_S3_BUCKET": "papers"},
            "DOCUMENT_STORAGE=s3 needs the packages of requirements-s3.txt.",
            marks=pytest.mark.skipif(bool(find_spec("storages")), reason="they are installed"),
        ),
        ({"ALLOW_LOOPBACK": "1"}, "ALLOW_LOOPBACK: only the sandbox may call its own machine."),
        ({"RATE_LIMIT_FACTOR": "nan"}, "RATE_LIMIT_FACTOR must be positive"),
        ({"RATE_LIMIT_FACTOR": "inf"}, "RATE_LIMIT_FACTOR must be positive"),
        ({"SECRET_KEY": ""}, "SECRET_KEY is not set."),
        ({"RATE_LIMIT_FACTOR": "0"}, "RATE_LIMIT_FACTOR must be positive"),
        ({"SECOND_PERSON_WAIT_DAYS": "0"}, "SECOND_PERSON_WAIT_DAYS: only the sandbox may do"),
        ({"ENVIRONMENT": "staging"}, "ENVIRONMENT must be one of sandbox, production"),
    ],
    ids=str,
)
def test_no_process_starts_with_senseless_settings(check, fault, complaint):
    done = check(**{**PRODUCTION, **fault})

    assert done.returncode == 1
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_production_whose_staff_need_no_second_factor_does_not_start(check):
    done = check(**{**PRODUCTION, "STAFF_SECOND_FACTOR": "0"})

    assert done.returncode == 1
    assert "STAFF_SECOND_FACTOR: only the sandbox may do without." in done.stderr
