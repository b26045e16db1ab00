"""What `manage.py check --deploy` refuses of a production deployment."""

import ast
import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.conf import settings

from banking.pdf.signing import make_signing_identity
from config import checks, deploy_broker, deploy_limits, deploy_transport
from tests.config import judging


def secret(name):
    """Return 64 hexadecimal digits, each time the same, that look like random ones."""
    return sha256(name.encode()).hexdigest()


SIGNER = Path(tempfile.mkdtemp(prefix="vestibule-test-")) / "letter.pem"
SIGNER.touch(0o600)
atexit.register(shutil.rmtree, SIGNER.parent, ignore_errors=True)
identity = make_signing_identity(name="Example Bank", at=datetime.now(UTC))
SIGNER.write_bytes(identity.key_pem + identity.certificate_pem)
OLD_SIGNER = SIGNER.with_name("old.pem")
old = make_signing_identity(name="Example Bank", at=datetime(2010, 3, 2, tzinfo=UTC))
OLD_SIGNER.write_bytes(old.key_pem + old.certificate_pem)
ANCHOR_KEY = SIGNER.with_name("anchor.pem")
ANCHOR_KEY.touch(0o600)
ANCHOR_KEY.write_bytes(
    Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
)
BREACHED = SIGNER.with_name("breached.txt")
BREACHED.write_text(f"{'0' * 40}:2\n{'F' * 40}:1\n")
SHARED_KEY = SIGNER.with_name("shared.pem")
SHARED_KEY.write_bytes(ANCHOR_KEY.read_bytes())
SHARED_KEY.chmod(0o644)
PRODUCTION = {
    "ENVIRONMENT": "production",
    "BASE_URL": "https://bank.example",
    "DATABASE_URL": "postgres://vestibule@database.example/vestibule?sslmode=verify-full",
    "SECRET_KEY": secret("sessions"),
    "API_KEY_PEPPER": secret("pepper"),
    "LINK_KEY": secret("link"),
    "PII_KEYS": f"2026:{secret('new')},2025:{secret('old')}",
    "PII_INDEX_KEYS": f"2026:{secret('index')}",
    "TRUSTED_PROXIES": "1",
    "BANK_ROUTING_NUMBER": "123123123",
    "BANK_NAME": "Example Bank",
    "BANK_ADDRESS": "1 Example Street,New York NY 10001",
    "BANK_PHONE": "+1 212 555 0100",
    "BANK_WEBSITE": "bank.example",
    "BANK_SWIFT": "BKEXUS33",
    "INTERMEDIARY_NAME": "Correspondent Bank",
    "INTERMEDIARY_SWIFT": "CRSPUS33",
    "EMAIL_FROM": "no-reply@bank.example",
    "EMAIL_HOST": "mail.example",
    "CELERY_BROKER_URL": f"rediss://vestibule:{secret('broker')}@broker.example:6379/0",
    "DOCUMENT_STORAGE": "s3",
    "DOCUMENT_S3_BUCKET": "papers",
    "LETTER_SIGNING_FILE": str(SIGNER),
    "SCANNER": "clamd",
    "ANCHORS": "file:///mnt/anchors,mailto:auditor@example.com",
    "ANCHOR_KEY_FILE": str(ANCHOR_KEY),
    "BREACHED_PASSWORDS_FILE": str(BREACHED),
}


def weak_signer():
    """Write a file that signs with RSA of 1024 bits, and return its path."""
    key = rsa.generate_private_key(65537, 1024)
    name, at = x509.Name([]), datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(at)
        .not_valid_after(at + timedelta(days=9))
        .sign(key, SHA256())
    )
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file = SIGNER.with_name("weak.pem")
    file.write_bytes(pem + certificate.public_bytes(Encoding.PEM))
    return str(file)


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


@pytest.fixture
def report(tmp_path):
    """Return the hints by fault, or the line with which the program ends; quick: no app loads."""

    def run(**environment):
        return judging.report_on({"DATA_DIR": str(tmp_path / "data"), **environment})

    return run


def test_a_proper_production_passes(check):
    done = check(**PRODUCTION)

    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_each_number_of_the_environment_has_bounds():
    text = (settings.BASE_DIR / "config" / "settings.py").read_text()
    numbers = set(re.findall(r'env\.(?:integer|number)\(\s*"(\w+)"', text))

    assert numbers - set(deploy_limits.BOUNDS) == {"PORT", "EMAIL_PORT", "METRICS_PORT"}


ONE_SECRET = PRODUCTION["SECRET_KEY"]
REPORTED = {  # values by the fault that `check --deploy` reports
    "DEBUG is on.": {"DEBUG": "1"},
    "SECURE_SSL_REDIRECT is off.": {"TLS": "0"},
    "BASE_URL is not https.": {"BASE_URL": "http://bank.example"},
    "DATABASE_URL names no PostgreSQL.": {"DATABASE_URL": ""},
    "TRUSTED_PROXIES is 0.": {"TRUSTED_PROXIES": "0"},
    "SECRET_KEY is a development secret.": {"SECRET_KEY": f"development1:{'0f' * 32}"},
    "PII_INDEX_KEYS is a development secret.": {
        "PII_INDEX_KEYS": ":development-0123456789abcdef0123456789"
    },
    "PII_KEYS is a development secret.": {"PII_KEYS": f"development1:{'0f' * 32}"},
    "LINK_KEY has fewer than 32 characters.": {"LINK_KEY": "l3" * 15},
    "STATUS_TOKEN has fewer than 32 characters.": {"STATUS_TOKEN": "guess-0123456789"},
    "STATUS_TOKEN has fewer than 8 different characters.": {"STATUS_TOKEN": "ab" * 16},
    "PII_KEYS has fewer than 8 different characters.": {"PII_KEYS": f"2026:{'0' * 64}"},
    "SECRET_KEY_FALLBACKS has fewer than 32 characters.": {
        "SECRET_KEY_FALLBACKS": f"{ONE_SECRET}-before,guess-0123456789"
    },
    "API_KEY_PEPPER and SECRET_KEY have the same value.": {"API_KEY_PEPPER": ONE_SECRET},
    "LINK_KEY and SECRET_KEY have the same value.": {"LINK_KEY": ONE_SECRET},
    "LINK_KEY and SECRET_KEY_FALLBACKS have the same value.": {
        "SECRET_KEY_FALLBACKS": PRODUCTION["LINK_KEY"]
    },
    "BANK_ROUTING_NUMBER is the sandbox's.": {"BANK_ROUTING_NUMBER": ""},
    "BANK_ROUTING_NUMBER is no routing number.": {"BANK_ROUTING_NUMBER": "123"},
    "LETTER_SIGNING_FILE is missing.": {"LETTER_SIGNING_FILE": "none.pem"},
    "LETTER_SIGNING_FILE cannot sign.": {"LETTER_SIGNING_FILE": __file__},
    "BANK_WEBSITE is no address of a website.": {"BANK_WEBSITE": "javascript:alert(1)"},
    "LINK_KEY repeats a shorter text.": {"LINK_KEY": "0123456789abcdef" * 4},
    "PII_KEYS repeats a shorter text.": {"PII_KEYS": f"2026:{secret('half')[:32] * 2}"},
    "BASE_URL is this machine.": {"BASE_URL": "https://localhost"},
    "TRUSTED_PROXIES must be between 0 and 5; it is 9.": {"TRUSTED_PROXIES": "9"},
    "WEB_THREADS must be between 1 and 64; it is 5,000.": {"WEB_THREADS": "5000"},
    "WORKER_THREADS must be between 1 and 512; it is 9,999.": {"WORKER_THREADS": "9999"},
    "ANCHORS names folders alone.": {"ANCHORS": "file:///mnt/anchors"},
    "OUTBOUND is off.": {"OUTBOUND": "off"},
    "UNENCRYPTED_FILES is read.": {"UNENCRYPTED_FILES": "read"},
    "CELERY_BROKER_URL is files of one machine.": {"CELERY_BROKER_URL": ""},
    "DOCUMENT_STORAGE is files.": {"DOCUMENT_STORAGE": ""},
    "METRICS_HOST is all addresses.": {"METRICS_HOST": "0.0.0.0"},
    "METRICS_HOST is a public address.": {"METRICS_HOST": "2606:2800:21f::6"},
    "BANK_NAME is not set.": {"BANK_NAME": ""},
    "BANK_ADDRESS is not set.": {"BANK_ADDRESS": ""},
    "BANK_PHONE is not set.": {"BANK_PHONE": ""},
    "BANK_WEBSITE is not set.": {"BANK_WEBSITE": ""},
    "BANK_SWIFT is not set.": {"BANK_SWIFT": ""},
    "EMAIL_FROM is not set.": {"EMAIL_FROM": ""},
    "LOG_LEVEL is DEBUG.": {"LOG_LEVEL": "DEBUG"},
    "LOG_LEVEL is NOTSET.": {"LOG_LEVEL": "NOTSET"},
    "STATUS_TOKEN and SECRET_KEY have the same value.": {"STATUS_TOKEN": ONE_SECRET},
    "CELERY_BROKER_URL is no broker to use.": {"CELERY_BROKER_URL": "memory://"},
    "CELERY_BROKER_URL does not verify the certificate.": {
        "CELERY_BROKER_URL": "rediss://broker.example/0?ssl_cert_reqs=CERT_NONE"
    },
    "MCP_ALLOWED_ORIGINS: https://a@b.example is not an https origin.": {
        "MCP_ALLOWED_ORIGINS": "https://a@b.example"
    },
    "KNOWN_ASSISTANT_HOSTS: 192.0.2.1 is not the full name of a host.": {
        "KNOWN_ASSISTANT_HOSTS": "192.0.2.1"
    },
    "ASSISTANT_URI_SCHEMES: intent does not open a program of its own.": {
        "ASSISTANT_URI_SCHEMES": "intent"
    },
    "ASSISTANT_URI_SCHEMES: * does not open a program of its own.": {"ASSISTANT_URI_SCHEMES": "*"},
    "BASE_URL has a name, path, query or fragment.": {"BASE_URL": "https://name@bank.example"},
    "FAILED_AUTHENTICATIONS_PER_MINUTE must be between 1 and 100; it is 0.": {
        "FAILED_AUTHENTICATIONS_PER_MINUTE": "0"
    },
    "RATE_LIMIT_FACTOR must be between 0.01 and 100; it is 100,000.": {
        "RATE_LIMIT_FACTOR": "100000"
    },
    "SECOND_PERSON_WAIT_DAYS must be between 1 and 90; it is 9,999.": {
        "SECOND_PERSON_WAIT_DAYS": "9999"
    },
    "ANCHOR_LOCK_DAYS must be between 30 and 36,500; it is 0.": {"ANCHOR_LOCK_DAYS": "0"},
    "STAFF_SESSION_MINUTES must be between 1 and 720; it is 99,999.": {
        "STAFF_SESSION_MINUTES": "99999"
    },
    "JSON_MAX_BYTES must be between 1,024 and 16,777,216; it is 1e+12.": {
        "JSON_MAX_BYTES": "1000000000000"
    },
    "DOCUMENT_URLS_MAX_PER_REQUEST must be between 0 and 100; it is 1e+06.": {
        "DOCUMENT_URLS_MAX_PER_REQUEST": "1000000"
    },
    "ALLOWED_HOSTS has a wildcard.": {"ALLOWED_HOSTS": "*"},
    "ALLOWED_HOSTS: .com stands for every host below it.": {"ALLOWED_HOSTS": ".com"},
    "KNOWN_ASSISTANT_HOSTS: github.io belongs to everybody.": {
        "KNOWN_ASSISTANT_HOSTS": "claude.ai,github.io"
    },
    "KNOWN_ASSISTANT_HOSTS: co.uk belongs to everybody.": {"KNOWN_ASSISTANT_HOSTS": "co.uk"},
    "MCP_ALLOWED_ORIGINS: * is not an https origin.": {"MCP_ALLOWED_ORIGINS": "*"},
    "KNOWN_ASSISTANT_HOSTS: com is not the full name of a host.": {"KNOWN_ASSISTANT_HOSTS": "com"},
    "ASSISTANT_URI_SCHEMES: javascript does not open a program of its own.": {
        "ASSISTANT_URI_SCHEMES": "cursor,javascript"
    },
    "CELERY_BROKER_URL is without TLS.": {"CELERY_BROKER_URL": "redis://broker.example:6379/0"},
    "DATABASE_URL is without TLS.": {"DATABASE_URL": "postgres://vestibule@database.example/bank"},
    "EMAIL_USE_TLS is off.": {"EMAIL_USE_TLS": "0"},
    "EMAIL_HOST is not set.": {"EMAIL_HOST": ""},
    "ANCHORS names no store of anchors.": {"ANCHORS": "mailto:auditor@example.com"},
    "SCANNER is none.": {"SCANNER": "none"},
    "CLAMD_ADDRESS is without TLS.": {"CLAMD_ADDRESS": "scanner.example:3310"},
    "DATABASE_URL names a superuser.": {
        "DATABASE_URL": "postgres://postgres@database.example/bank?sslmode=verify-full"
    },
    "WEB_STATEMENT_SECONDS must be between 1 and 3,600; it is 0.": {"WEB_STATEMENT_SECONDS": "0"},
    "WORKER_LOCK_SECONDS must be between 1 and 600; it is 0.": {"WORKER_LOCK_SECONDS": "0"},
    "BEAT_LOCK_SECONDS must be between 1 and 600; it is -1.": {"BEAT_LOCK_SECONDS": "-1"},
    "WEB_LOCK_SECONDS must be between 1 and 600; it is 9,999.": {"WEB_LOCK_SECONDS": "9999"},
    "DATABASE_URL: statement_timeout=0 is no time limit of at most 3,600 s.": {
        "DATABASE_URL": f"{PRODUCTION['DATABASE_URL']}&options=-c%20statement_timeout%3D0"
    },
    "DATABASE_URL: lock_timeout=0ms is no time limit of at most 600 s.": {
        "DATABASE_URL": f"{PRODUCTION['DATABASE_URL']}&options=-clock_timeout%3D0ms"
    },
    "FAILED_AUTHENTICATIONS_PER_MINUTE times RATE_LIMIT_FACTOR is 10,000, above 100.": {
        "FAILED_AUTHENTICATIONS_PER_MINUTE": "100",
        "RATE_LIMIT_FACTOR": "100",
    },
    "SIGN_INS_PER_MINUTE times RATE_LIMIT_FACTOR is 100,000, above 1,000.": {
        "SIGN_INS_PER_MINUTE": "1000",
        "RATE_LIMIT_FACTOR": "100",
    },
}
REFUSED_AT_START = {  # values by the line with which every program ends
    "STAFF_SECOND_FACTOR: only the sandbox may do without. Unset it.": {"STAFF_SECOND_FACTOR": "0"},
    "CUSTOMER_SECOND_FACTOR: only the sandbox may do without. Unset it.": {
        "CUSTOMER_SECOND_FACTOR": "0"
    },
    "SECOND_PERSON_WAIT_DAYS: only the sandbox may do without. Set 1 day or more.": {
        "SECOND_PERSON_WAIT_DAYS": "0"
    },
    "RATE_LIMIT_FACTOR must be positive; only the sandbox may set 0.": {"RATE_LIMIT_FACTOR": "0"},
    "CHECK_PROVIDERS names no checks. Unset it, or name BUILT_IN.": {
        "CHECK_PROVIDERS": ",",
        "AUTO_APPROVAL": "clear",
    },
    "CHECK_PROVIDERS are BUILT_IN and MANUAL; SANDBOX in the sandbox.": {
        "CHECK_PROVIDERS": "BUILT_IN,SANDBOX"
    },
    "AUTO_APPROVAL: only the sandbox approves without staff. Unset it.": {"AUTO_APPROVAL": "clear"},
    "AUTO_APPROVAL: only the sandbox approves without staff.": {
        "AUTO_APPROVAL": "despite-warnings"
    },
    "ALLOW_LOOPBACK: only a sandbox with HOST, BASE_URL and ALLOWED_HOSTS on loopback and": {
        "ALLOW_LOOPBACK": "1"
    },
}


@pytest.mark.parametrize(
    ("complaint", "fault"), [*REPORTED.items(), *REFUSED_AT_START.items()], ids=str
)
def test_every_dangerous_setting_of_a_production_is_refused(report, complaint, fault):
    said = report(**{**PRODUCTION, **fault})

    assert complaint in said
    assert complaint in REFUSED_AT_START or all(said.values())


def test_a_proper_production_has_no_fault_to_report(report):
    assert report(**PRODUCTION) == {}


def test_a_sandbox_that_others_reach_says_what_it_is(report):
    secrets = {name: PRODUCTION[name] for name in checks.SECRETS if name in PRODUCTION}

    assert report(**secrets) == {}
    reached = report(**secrets, BASE_URL="https://bank.example")
    assert list(reached) == ["This deployment is a sandbox."]


def test_every_error_says_how_to_mend_it():
    errors = [
        call
        for path in (settings.BASE_DIR / "config").glob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in {"Error", "Warning"}
    ]

    assert len(errors) > 20
    assert [
        call.lineno for call in errors if "hint" not in {word.arg for word in call.keywords}
    ] == []


@pytest.mark.parametrize(
    "broker",
    [
        "redis://127.0.0.1:6379/0",
        "amqp://localhost//",
        "rediss://broker.example:6379/0",
        "rediss://broker.example/0?ssl_cert_reqs=required&ssl_ca_certs=/etc/ca.pem",
        "amqps://one.example//;amqps://two.example//",
    ],
)
def test_a_broker_needs_tls_on_another_machine_alone(broker, settings):
    settings.CELERY_BROKER_URL = broker

    assert list(deploy_broker.faults()) == []


@pytest.mark.parametrize(
    "broker",
    [
        "redis://broker.example:6379/0",
        "amqps://one.example//;amqp://two.example//",
        "amqp://localhost//;amqp://two.example//",
        "redis://127.0.0.1:6379;two.example:6379/0",
    ],
)
def test_each_address_of_a_broker_needs_tls(broker, settings):
    settings.CELERY_BROKER_URL = broker

    assert "vestibule.E019" in {fault.id for fault in deploy_broker.faults()}


@pytest.mark.parametrize(
    "broker",
    [
        "memory://",
        "mongodb://broker.example/tasks",
        "sqla+sqlite:////tmp/tasks",
        "sentinel://127.0.0.1:26379/0",
        "filesystem://",
        "redis+socket:///run/redis.sock",
        "broker.example",
        "rediss://broker.example/0;memory://",
    ],
)
def test_a_broker_is_redis_rabbitmq_or_files(broker, settings):
    settings.CELERY_BROKER_URL = broker

    assert "vestibule.E059" in {fault.id for fault in deploy_broker.faults()}


@pytest.mark.parametrize(
    "broker",
    [
        "amqps://broker.example//?ssl=0",
        "amqps://broker.example//?SSL_CERT_REQS=none",
        "rediss://broker.example/0?ssl_check_hostname=false",
        "rediss://broker.example/0?ssl_cert_reqs=required&ssl_cert_reqs=none",
        "rediss://broker.example/0?ssl_cert_reqs=optional",
    ],
)
def test_a_broker_verifies_the_certificate(broker, settings):
    settings.CELERY_BROKER_URL = broker

    assert "vestibule.E057" in {fault.id for fault in deploy_broker.faults()}


@pytest.mark.parametrize(
    ("url", "is_refused"),
    [
        ("postgres:///bank?host=database.example", True),
        ("postgres:///bank?hostaddr=192.0.2.7", True),
        ("postgres:///bank?host=/run/postgresql,database.example", True),
        ("postgres:///bank?host=database.example&sslmode=verify-full", False),
        ("postgres:///bank?host=/run/postgresql", False),
        ("postgres://127.0.0.1/bank", False),
    ],
)
def test_a_host_in_the_query_of_a_database_needs_tls_too(report, url, is_refused):
    faults = report(**{**PRODUCTION, "DATABASE_URL": url})

    assert ("DATABASE_URL is without TLS." in faults) == is_refused


@pytest.mark.parametrize(
    ("url", "is_refused"),
    [
        ("postgres://127.0.0.1/bank?user=postgres", True),
        ("postgres://Postgres@127.0.0.1/bank", False),  # names of roles are case-sensitive
        ("postgres://vestibule@127.0.0.1/bank?options=-c%20statement_timeout%3D20000", False),
        ("postgres://vestibule@127.0.0.1/bank?options=-c%20statement-timeout%3D0", True),
        ("postgres://127.0.0.1/bank?options=-clock_timeout%3D1h", True),
        ("postgres://vestibule@127.0.0.1/bank?options=-c%20lock_timeout%3D2s", False),
    ],
)  # fmt: skip
def test_a_database_has_a_user_of_its_own_and_time_limits(report, url, is_refused):
    assert bool(report(**{**PRODUCTION, "DATABASE_URL": url})) == is_refused


def test_a_superuser_of_the_environment_is_refused(report):
    url = "postgres://127.0.0.1/bank"
    said = report(**{**PRODUCTION, "DATABASE_URL": url}, PGUSER="postgres")

    assert list(said) == ["DATABASE_URL names a superuser."]


@pytest.mark.parametrize(
    ("complaint", "fault"),
    [
        ("SECRET_KEY is a placeholder.", {"SECRET_KEY": f"django-insecure-{secret('a')}"}),
        ("LINK_KEY is a placeholder.", {"LINK_KEY": "change-me-in-production-0123456789abcd"}),
        ("LINK_KEY and SECRET_KEY have the same value.", {"LINK_KEY": ONE_SECRET[::-1]}),
        ("LINK_KEY and SECRET_KEY have the same value.", {"LINK_KEY": ONE_SECRET.upper()}),
        (
            "PII_INDEX_KEYS and PII_KEYS have the same value.",
            {"PII_INDEX_KEYS": f"2026:{secret('new').upper()}"},
        ),
        (
            "PII_KEYS has one value twice.",
            {"PII_KEYS": f"2026:{secret('new')},2025:{secret('new')}"},
        ),
        ("ANCHORS: file://anchors is neither", {"ANCHORS": "file://anchors"}),
        ("ANCHORS: s3:///prefix is neither", {"ANCHORS": "s3:///prefix"}),
        ("ANCHORS: ftp://a.example is not", {"ANCHORS": "file:///mnt/anchors,ftp://a.example"}),
        ("ANCHOR_KEY_FILE is not set.", {"ANCHOR_KEY_FILE": ""}),
        ("ANCHOR_KEY_FILE cannot sign.", {"ANCHOR_KEY_FILE": "/none.pem"}),
        ("ANCHOR_KEY_FILE can be read by others.", {"ANCHOR_KEY_FILE": str(SHARED_KEY)}),
        ("LETTER_SIGNING_FILE cannot sign.", {"LETTER_SIGNING_FILE": str(OLD_SIGNER)}),
        ("LETTER_SIGNING_FILE cannot sign.", {"LETTER_SIGNING_FILE": weak_signer()}),
        ("BANK_WEBSITE is the sample's.", {"BANK_WEBSITE": "https://bank.example.com"}),
        ("EMAIL_FROM is the sample's.", {"EMAIL_FROM": "Bank <no-reply@bank.Example.com>"}),
        (
            "KNOWN_ASSISTANT_HOSTS: github.io belongs to everybody.",
            {"KNOWN_ASSISTANT_HOSTS": "GitHub.io"},
        ),
        (
            "KNOWN_ASSISTANT_HOSTS: com.ai belongs to everybody.",
            {"KNOWN_ASSISTANT_HOSTS": "com.ai"},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_every_careless_file_and_name_is_refused(report, complaint, fault):
    said = report(**{**PRODUCTION, **fault})

    assert any(line.startswith(complaint) for line in said), said
    assert all(said.values())


def shared(content, name):
    """Write a file that everybody can read, and return its path."""
    file = SIGNER.with_name(name)
    file.write_bytes(content)
    file.chmod(0o644)
    return str(file)


DATABASE = PRODUCTION["DATABASE_URL"]


@pytest.mark.parametrize(
    ("complaint", "fault"),
    [
        ("SECRET_KEY is easy to guess.", {"SECRET_KEY": "abcdefghijklmnopqrstuvwxyz0123456789"}),
        ("SECRET_KEY is easy to guess.", {"SECRET_KEY": "qwertyuiopasdfghjklzxcvbnm1234567890"}),
        ("LINK_KEY is easy to guess.", {"LINK_KEY": "correct horse battery staple correct"}),
        ("LINK_KEY and API_KEY_PEPPER: one", {"LINK_KEY": f"{secret('pepper')}x"}),
        ("LINK_KEY and API_KEY_PEPPER: one", {"API_KEY_PEPPER": f"{secret('link')}x"}),
        ("API_KEY_PEPPER and SECRET_KEY: one", {"API_KEY_PEPPER": f"x{ONE_SECRET}"}),
        ("LOG_LEVEL is CRITICAL.", {"LOG_LEVEL": "CRITICAL"}),
        ("BASE_URL has a name, path, query", {"BASE_URL": "https://bank.example/portal"}),
        ("BASE_URL is an IP address.", {"BASE_URL": "https://192.0.2.7"}),
        (
            "DATABASE_URL sets session_replication_role.",
            {"DATABASE_URL": f"{DATABASE}&options=-c%20session_replication_role%3Dreplica"},
        ),
        (
            "DATABASE_URL sets search_path.",
            {"DATABASE_URL": f"{DATABASE}&options=--search_path%3Devil,pg_catalog"},
        ),
        (
            "DATABASE_REPLICA_URL has a guessable password.",
            {
                "DATABASE_REPLICA_URL": DATABASE.replace(
                    "vestibule@data", "vestibule:vestibule1@read"
                )
            },
        ),
        (
            "SANCTIONS_LIST_DAYS must be between 1 and 14; it is 9,999.",
            {"SANCTIONS_LIST_DAYS": "9999"},
        ),
        ("SANCTIONS_LIST_DAYS must be between 1 and 14; it is 0.", {"SANCTIONS_LIST_DAYS": "0"}),
        ("PEP_LIST_DAYS must be between 1 and 366; it is 9,999.", {"PEP_LIST_DAYS": "9999"}),
        (
            "REVIEW_MONTHS_HIGH must be between 1 and 24; it is 9,999.",
            {"REVIEW_MONTHS_HIGH": "9999"},
        ),
        (
            "REVIEW_IDENTITY_DAYS must be between 0 and 366; it is 99,999.",
            {"REVIEW_IDENTITY_DAYS": "99999"},
        ),
        (
            "VERIFICATION_HOURS must be between 1 and 720; it is 100,000.",
            {"VERIFICATION_HOURS": "100000"},
        ),
        (
            "DATABASE_URL has a guessable password.",
            {"DATABASE_URL": DATABASE.replace("vestibule@", "vestibule:vestibule1@")},
        ),
        (
            "CELERY_BROKER_URL has a guessable password.",
            {"CELERY_BROKER_URL": "amqps://guest:guest@broker.example//"},
        ),
        ("EMAIL_HOST_PASSWORD has a guessable", {"EMAIL_HOST_PASSWORD": "mail2026"}),
        ("INTERMEDIARY_NAME is the sample's.", {"INTERMEDIARY_NAME": ""}),
        ("INTERMEDIARY_SWIFT is the sample's.", {"INTERMEDIARY_SWIFT": ""}),
        ("BANK_SWIFT is the sample's.", {"BANK_SWIFT": "VSTBUS33"}),
        ("BANK_SWIFT is no SWIFT code.", {"BANK_SWIFT": "none"}),
        ("INTUIT_BANK_ID is the sample's.", {"INTUIT_BANK_ID": "99999"}),
        ("BANK_NAME has a line break.", {"BANK_NAME": "Example\nBcc: eve@bank.example"}),
        ("EMAIL_FROM is no email address.", {"EMAIL_FROM": "the bank"}),
        (
            "LETTER_SIGNING_FILE can be read by everybody.",
            {"LETTER_SIGNING_FILE": shared(SIGNER.read_bytes(), "everybodys.pem")},
        ),
        ("DATA_DIR can be written by everybody.", {"DATA_DIR": "/tmp"}),
        ("RETRY_DELAYS must be", {"RETRY_DELAYS": "0"}),
        ("RETRY_DELAYS must be", {"RETRY_DELAYS": "0,0,0,0,0,0"}),
        ("RETRY_DELAYS must be", {"RETRY_DELAYS": "-5,60,9000"}),
        ("RETRY_DELAYS must be", {"RETRY_DELAYS": "nan,60,9000"}),
        ("CHECK_PROVIDERS lacks BUILT_IN.", {"CHECK_PROVIDERS": "MANUAL"}),
        ("LEAD_API_SCHEME is no scheme.", {"LEAD_API_SCHEME": "Bank Key"}),
        ("CLIENT_DOCUMENT_PROBES is without TLS.", {"CLIENT_DOCUMENT_PROBES": "http://a.example/"}),
        ("ANCHORS: /tmp/anchors is emptied", {"ANCHORS": "file:///tmp/anchors,mailto:a@b.example"}),
        ("ANCHORS: a is no email address.", {"ANCHORS": "file:///mnt/anchors,mailto:a"}),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_every_careless_value_is_refused(report, complaint, fault):
    said = report(**{**PRODUCTION, **fault})

    assert any(line.startswith(complaint) for line in said), said
    assert all(said.values())


def test_random_secrets_are_not_easy_to_guess(report):
    for number in range(20):
        said = report(**{**PRODUCTION, "LINK_KEY": secret(f"random {number}")})
        assert said == {}


@pytest.mark.parametrize(
    ("scheme", "is_refused"),
    [
        *((name, True) for name in ["ms-msdt", "search-ms", "jar", "ldap", "data", "file"]),
        *((name, False) for name in ["cursor", "VSCode", "com.example.assistant"]),
    ],
)
def test_only_schemes_of_desktop_programs_are_allowed(settings, scheme, is_refused):
    settings.OAUTH2_PROVIDER = {"ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http", scheme]}

    assert ("vestibule.E018" in {fault.id for fault in deploy_transport.faults()}) == is_refused


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "::1", "10.0.0.11", "100.64.0.9", "fd00::11", "app1.bank.example"]
)
def test_metrics_may_be_served_to_a_private_network(report, host):
    assert report(**PRODUCTION, METRICS_HOST=host) == {}


@pytest.mark.parametrize("address", ["127.0.0.1:3310", "[::1]:3310", "/run/clamav/clamd.ctl"])
def test_a_clamd_on_this_machine_needs_no_tls(report, address):
    assert report(**{**PRODUCTION, "CLAMD_ADDRESS": address}) == {}


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ({"PII_KEYS": "2026:" + "0f" * 31}, "PII_KEYS must read id:64 hex digits"),
        ({"DOCUMENT_S3_BUCKET": ""}, "DOCUMENT_STORAGE=s3 needs a DOCUMENT_S3_BUCKET."),
        ({"KEY_PROVIDER": "hsm"}, "KEY_PROVIDER must be one of environment, file, aws-kms"),
        ({"PII_KEYS_FILE": "/none"}, "PII_KEYS and PII_KEYS_FILE are both set. Unset one of them."),
        ({"PII_KEYS": "", "PII_KEYS_FILE": "/none"}, "PII_KEYS_FILE: /none cannot be read"),
        ({"KEY_PROVIDER": "aws-kms"}, "KEY_PROVIDER=aws-kms needs a KMS_KEY_ID."),
        (
            {"KEY_PROVIDER": "aws-kms", "KMS_KEY_ID": "alias/a"},
            "With KEY_PROVIDER=aws-kms, PII_KEYS must read id:base64 of KMS's ciphertext",
        ),
        ({"CLAMD_ADDRESS": "clamd.ctl"}, "CLAMD_ADDRESS: name the path of a Unix socket"),
        ({"UNENCRYPTED_FILES": "maybe"}, "UNENCRYPTED_FILES must be one of read, refuse"),
        ({"RATE_LIMIT_FACTOR": "nan"}, "RATE_LIMIT_FACTOR must be positive"),
        ({"RATE_LIMIT_FACTOR": "inf"}, "RATE_LIMIT_FACTOR must be positive"),
        ({"SECRET_KEY": ""}, "SECRET_KEY is not set."),
        ({"ENVIRONMENT": "staging"}, "ENVIRONMENT must be one of sandbox, production"),
    ],
    ids=str,
)
def test_no_process_starts_with_senseless_settings(check, fault, complaint):
    done = check(**{**PRODUCTION, **fault})

    assert done.returncode == 1
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("setting", "values"),
    [
        ("DOCUMENT_STORAGE=s3", {}),
        (
            "KEY_PROVIDER=aws-kms",
            {"KEY_PROVIDER": "aws-kms", "KMS_KEY_ID": "alias/a", "DOCUMENT_STORAGE": "files"},
        ),
    ],
)
def test_packages_that_a_setting_needs_are_named(check, tmp_path, setting, values):
    hidden = 'import sys\nsys.modules["storages"] = sys.modules["boto3"] = None\n'
    (tmp_path / "sitecustomize.py").write_text(hidden)

    done = check(**{**PRODUCTION, **values, "PYTHONPATH": str(tmp_path)})

    assert done.stderr == f"{setting} needs the packages of requirements-s3.txt.\n"
    assert done.returncode == 1


def test_no_process_starts_without_its_key_service(check):
    done = check(
        **PRODUCTION | {"KEY_PROVIDER": "aws-kms", "PII_KEYS": f"2026:{'AQIDAHj+' * 16}"},
        KMS_KEY_ID="alias/a",
        KMS_ENDPOINT="http://127.0.0.1:9",
        KMS_REGION="us-east-1",
        AWS_ACCESS_KEY_ID="test",
        AWS_SECRET_ACCESS_KEY="test",
    )

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("AWS KMS: EndpointConnectionError: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "reach",
    [
        {"HOST": "0.0.0.0"},
        {"HOST": "::"},
        {"BASE_URL": "https://sandbox.example"},
        {"ALLOWED_HOSTS": "sandbox.example"},
        {"TRUSTED_PROXIES": "1"},
    ],
    ids=str,
)
def test_a_sandbox_that_others_reach_may_not_call_its_own_machine(report, reach):
    secrets = {name: PRODUCTION[name] for name in checks.SECRETS if name in PRODUCTION}

    assert report(**secrets, ALLOW_LOOPBACK="1") == {}
    assert "ALLOW_LOOPBACK: only a sandbox" in report(**secrets, ALLOW_LOOPBACK="1", **reach)


def test_every_secret_can_be_in_a_file(check, tmp_path):
    names = {*checks.SECRETS, "DATABASE_URL", "CELERY_BROKER_URL", "EMAIL_HOST_PASSWORD"}
    environment = {}
    for name, value in PRODUCTION.items():
        environment[name] = value
        if name in names:
            file = tmp_path / name
            file.write_text(value.replace(",", "\n") + "\n")
            file.chmod(0o400)
            environment |= {name: "", f"{name}_FILE": str(file)}

    done = check(**environment)

    assert (done.returncode, done.stderr.count("ERRORS")) == (0, 0), done.stderr
    assert {"SECRET_KEY_FILE", "PII_KEYS_FILE", "DATABASE_URL_FILE"} <= environment.keys()


def test_a_key_service_needs_tls_on_another_machine(settings):
    faults = {"http://kms.example": True, "http://127.0.0.1:9": False, "https://kms.example": False}
    for endpoint, is_fault in faults.items():
        settings.KMS_ENDPOINT = endpoint
        found = {fault.id for fault in deploy_transport.faults()}
        assert ("vestibule.E040" in found) == is_fault


@pytest.mark.parametrize("variable", deploy_transport.TRACES)
def test_a_collector_of_traces_needs_tls_on_another_machine(monkeypatch, variable):
    faults = {
        "http://otel.example": True,
        "http://127.0.0.1:9": False,
        "https://otel.example": False,
    }
    for endpoint, is_fault in faults.items():
        monkeypatch.setenv(variable, endpoint)
        found = {fault.id for fault in deploy_transport.faults()}
        assert ("vestibule.E114" in found) == is_fault


def test_months_of_the_access_log_are_no_negative_number(settings):
    settings.ACCESS_LOG_MONTHS = -1  # the months to come would be archived

    assert any(fault.msg.startswith("ACCESS_LOG_MONTHS") for fault in deploy_limits.faults())


def test_a_file_of_breached_passwords_must_be_sorted_hashes(check, tmp_path):
    file = tmp_path / "breached.txt"
    file.write_text(f"{'F' * 40}:1\n{'0' * 40}:2\n")

    unsorted = check(**{**PRODUCTION, "BREACHED_PASSWORDS_FILE": str(file)})
    missing = check(**{**PRODUCTION, "BREACHED_PASSWORDS_FILE": f"{file}.gz"})

    assert "(vestibule.E024) BREACHED_PASSWORDS_FILE is not sorted hashes." in unsorted.stderr
    assert "BREACHED_PASSWORDS_FILE names no file." in missing.stderr
    assert (unsorted.returncode, missing.returncode) == (1, 1)


def test_a_production_without_a_list_of_breached_passwords_is_warned(check):
    done = check(**{**PRODUCTION, "BREACHED_PASSWORDS_FILE": ""})

    assert "(vestibule.W010) BREACHED_PASSWORDS_FILE is not set." in done.stderr
    assert "HINT: Download Pwned Passwords" in done.stderr
    assert done.returncode == 0
