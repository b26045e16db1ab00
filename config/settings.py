"""Settings: read from the environment. Sandbox and production differ only in this module."""

import importlib.util
import math
import os
import re
import socket
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import available_timezones

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import __version__, database_limits, env, folders, logs, verification_accounts
from foundation.outbound.loopback import is_loopback

VERSION = __version__
BASE_DIR = folders.CODE
DATA_DIR = folders.data()
env.load(DATA_DIR / "secrets.env")

# The deployment

ENVIRONMENT = env.text("ENVIRONMENT", "sandbox", choices=["sandbox", "production"])
IS_SANDBOX = ENVIRONMENT == "sandbox"
DEBUG = env.flag("DEBUG")
HOST = env.text("HOST", "127.0.0.1")  # the address that the web server listens on
PORT = env.integer("PORT", 8000)  # the port of `manage.py up`
WEB_WORKERS = env.integer("WEB_WORKERS", min(os.cpu_count() or 1, 4))  # processes
WEB_THREADS = env.integer("WEB_THREADS", 4)  # per process; each holds a database connection
DRAIN_SECONDS = env.integer("DRAIN_SECONDS", 0 if IS_SANDBOX else 5)  # unready before the end
BODIES_PER_NETWORK = env.integer("BODIES_PER_NETWORK", 64)  # read at once, per process
STOP_SECONDS = env.integer("STOP_SECONDS", 20)  # for running requests after the drain
BASE_URL = env.text("BASE_URL", f"http://127.0.0.1:{PORT}").rstrip("/")
ALLOWED_HOSTS = [
    *env.words("ALLOWED_HOSTS", "127.0.0.1,localhost" if IS_SANDBOX else ""),
    urlsplit(BASE_URL).hostname or "",
]
CSRF_TRUSTED_ORIGINS = [BASE_URL]
TRUSTED_PROXIES = env.integer("TRUSTED_PROXIES", 0)  # how many append to X-Forwarded-For
IS_LOCAL = not TRUSTED_PROXIES and all(map(is_loopback, [HOST, *ALLOWED_HOSTS]))  # no one else's
TLS = env.flag("TLS", default=not IS_SANDBOX)
COOKIE_PREFIX = "__Host-" if TLS else ""  # no other host, and no plain HTTP, can set such a cookie
OUTBOUND = env.flag("OUTBOUND", default=True)  # off: webhooks, mails and fetches are held

# Secrets: each can be in a file, named by <NAME>_FILE

SECRET_KEY = env.secret("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.private_words("SECRET_KEY_FALLBACKS")
API_KEY_PEPPER = env.secret("API_KEY_PEPPER")  # keys the hashes of the partners' secrets
API_KEY_PEPPER_FALLBACKS = env.private_words("API_KEY_PEPPER_FALLBACKS")
LINK_KEY = env.secret("LINK_KEY")  # derives the applicants' links
KEY_PROVIDER = env.text(
    "KEY_PROVIDER", "environment", choices=["environment", "file", "aws-kms"]
)  # what wraps the data keys of files; `file` is the former name of `environment` with a file
PII_KEYS = env.secret("PII_KEYS")  # "id:64 hex digits,…"; the first key encrypts, all keys decrypt
KMS_KEY_ID = env.text("KMS_KEY_ID")  # id, ARN or alias/… of the key that wraps data keys
KMS_ENDPOINT = env.text("KMS_ENDPOINT")
KMS_REGION = env.text("KMS_REGION")
if KEY_PROVIDER == "aws-kms" and not KMS_KEY_ID:
    raise ImproperlyConfigured("KEY_PROVIDER=aws-kms needs a KMS_KEY_ID.")
if KEY_PROVIDER == "aws-kms" and not importlib.util.find_spec("boto3"):
    raise ImproperlyConfigured("KEY_PROVIDER=aws-kms needs the packages of requirements-s3.txt.")
FORMER_INDEX_KEY = env.private_text("PII_INDEX_KEY")  # the former name, of one key without an id
PII_INDEX_KEYS = env.private_text(  # "id:64 hex digits,…"; the first indexes, all find numbers
    "PII_INDEX_KEYS", f":{FORMER_INDEX_KEY}" if FORMER_INDEX_KEY else ""
) or env.secret("PII_INDEX_KEYS")
METRICS_HOST = env.text("METRICS_HOST", "127.0.0.1")  # the address that serves the metrics
METRICS_PORT = env.integer("METRICS_PORT", 0)  # of one program; 0: no metrics
INSTANCE = env.text("INSTANCE", socket.gethostname())  # names this machine in the request log
STATUS_TOKEN = env.private_text("STATUS_TOKEN")  # bearer token of /status; if unset, /status is 404

# Django

INSTALLED_APPS = [
    "config.apps.ConfigConfig",
    "banking.apps.BankingConfig",
    "onboarding.apps.OnboardingConfig",
    "mcp_server.apps.McpServerConfig",
    "banking.apps.BackOfficeConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_structlog",
    "axes",
    "csp",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "oauth2_provider",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]
MIDDLEWARE = [
    "config.requests.RequestMetricsMiddleware",
    "config.middleware.WholeBodyMiddleware",
    "config.middleware.RequestIdMiddleware",
    "config.middleware.ContentPolicyMiddleware",
    "config.middleware.PlainHttpMiddleware",
    "config.page_middleware.permissions",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "config.middleware.ClientAddressMiddleware",
    "config.middleware.ApiPathMiddleware",
    "config.languages.PageLanguageMiddleware",
    "config.page_middleware.session",
    "django.middleware.common.CommonMiddleware",
    "config.page_middleware.csrf",
    "config.page_middleware.authentication",
    "config.page_middleware.otp",
    "mcp_server.pages.second_factor_middleware.SecondFactorMiddleware",
    "config.page_middleware.messages",
    "mcp_server.pages.staff_sessions.StaffSessionMiddleware",
    "config.staff_time_zones.StaffTimeZoneMiddleware",
    "mcp_server.pages.known_devices.KnownDeviceMiddleware",
    "mcp_server.pages.session_lifetimes.SessionLifetimeMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.page_middleware.csp",
    "config.page_middleware.axes",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [folders.RESOURCES / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "mcp_server.pages.base_page.base_context",
            ],
        },
    },
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("es", "Español")]
LOCALE_PATHS = [folders.RESOURCES / "locale"]
LANGUAGE_COOKIE_NAME = f"{COOKIE_PREFIX}language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = "UTC"
USE_TZ = True
FORMAT_MODULE_PATH = "foundation.backoffice.formats"
STAFF_TIME_ZONE = env.text("STAFF_TIME_ZONE", "UTC")  # of staff who chose none
if STAFF_TIME_ZONE not in available_timezones():
    raise ImproperlyConfigured(f"STAFF_TIME_ZONE: there is no time zone {STAFF_TIME_ZONE}")
APPEND_SLASH = True

# The database: a SQLite file unless DATABASE_URL names a PostgreSQL database


def _database(url: str) -> dict[str, Any]:
    """Return the entry of DATABASES for the URL of a database."""
    # persistent: a connection per request is slow
    database: dict[str, Any] = {
        **dj_database_url.parse(url, conn_max_age=None, conn_health_checks=True)
    }
    if database["ENGINE"].endswith("sqlite3"):
        database["ENGINE"] = "foundation.database.sqlite3"
        database["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",  # a read followed by a write cannot deadlock
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }
    elif database["ENGINE"].endswith("postgresql"):
        database["ENGINE"] = "foundation.database.postgresql"
        database["OPTIONS"] = {
            **database_limits.options(database.get("OPTIONS", {})),
            "prepare_threshold": 5,  # executions; see foundation.database
        }
    return database


DATABASES = {
    "default": _database(
        env.private_text("DATABASE_URL", f"sqlite:///{DATA_DIR / 'vestibule.sqlite3'}"),
    )
}
_REPLICA_URL = env.private_text("DATABASE_REPLICA_URL")  # see foundation.database.replica
DATABASE_REPLICA = _database(_REPLICA_URL) if _REPLICA_URL else {}
_ENGINES = {database["ENGINE"] for database in (DATABASES["default"], DATABASE_REPLICA) if database}
if DATABASE_REPLICA and {"foundation.database.postgresql"} != _ENGINES:
    raise ImproperlyConfigured("DATABASE_REPLICA_URL: both databases must be PostgreSQL.")
REPLICA_LAG_SECONDS = env.integer("REPLICA_LAG_SECONDS", 5)  # further behind, it is not read
DATABASE_OBJECTS = BASE_DIR / "config" / "database_objects.json"  # triggers and functions it has
EXPORT_SECONDS = env.integer("EXPORT_SECONDS", 300)  # time limit of one CSV export

# People who sign in

AUTH_USER_MODEL = "banking.User"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "mcp_server.oauth.secrets.ClientSecretHasher",  # for generated secrets, not passwords
]
LOGIN_URL = "sign_in"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "mcp_server.pages.sign_in.AttemptLimitBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = env.integer("SIGN_IN_FAILURES", 10)
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_VERBOSE = False
AXES_CLIENT_IP_CALLABLE = "config.middleware.remote_address"
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # keeps the end shown on the page
AXES_USERNAME_CALLABLE = "mcp_server.pages.known_devices.attempted_email"
AXES_WHITELIST_CALLABLE = "mcp_server.pages.known_devices.is_known"  # counted apart
AXES_LOCKOUT_CALLABLE = "mcp_server.pages.sign_in.locked_out"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # no one can lock out another user
PASSWORD_RESET_TIMEOUT = 60 * 60
INVITATION_LIFETIME = timedelta(days=7)  # time to choose the first password
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid"
SESSION_COOKIE_AGE = 30 * 60
SESSION_SAVE_EVERY_REQUEST = True  # SESSION_COOKIE_AGE counts from the last use
SESSION_LIFETIME = timedelta(hours=12)  # since the sign-in, however much it is used
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"  # not in a cookie
STAFF_SESSION_LIFETIME = timedelta(minutes=env.integer("STAFF_SESSION_MINUTES", 30))  # idle time
STAFF_SECOND_FACTOR = env.flag("STAFF_SECOND_FACTOR", default=not IS_SANDBOX)
if not STAFF_SECOND_FACTOR and not IS_SANDBOX:
    raise ImproperlyConfigured("STAFF_SECOND_FACTOR: only the sandbox may do without. Unset it.")
CUSTOMER_SECOND_FACTOR = env.flag("CUSTOMER_SECOND_FACTOR", default=not IS_SANDBOX)
if not CUSTOMER_SECOND_FACTOR and not IS_SANDBOX:
    raise ImproperlyConfigured("CUSTOMER_SECOND_FACTOR: only the sandbox may do without. Unset it.")

SECOND_PERSON_WAIT = timedelta(
    days=env.integer("SECOND_PERSON_WAIT_DAYS", 0 if IS_SANDBOX else 3)
)  # before new or extended staff accounts count for decisions that need two people
if SECOND_PERSON_WAIT.days < 1 and not IS_SANDBOX:
    raise ImproperlyConfigured(
        "SECOND_PERSON_WAIT_DAYS: only the sandbox may do without. Set 1 day or more."
    )

BACK_OFFICE_HIDES = ["axes", "oauth2_provider", "otp_static", "otp_totp"]  # apps that list secrets

# TLS and headers

SECURE_SSL_REDIRECT = TLS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^status$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if TLS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.flag("HSTS_SUBDOMAINS")  # for all subdomains of BASE_URL
SECURE_HSTS_PRELOAD = env.flag("HSTS_PRELOAD")  # browsers ship the list: hard to take back
if SECURE_HSTS_PRELOAD and not SECURE_HSTS_INCLUDE_SUBDOMAINS:
    raise ImproperlyConfigured(
        "HSTS_PRELOAD needs HSTS_SUBDOMAINS: browsers preload a host with all hosts below it."
    )
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = TLS
CSRF_COOKIE_SECURE = TLS
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}csrftoken"
LANGUAGE_COOKIE_SECURE = TLS
CSRF_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "SAMEORIGIN"  # the back office shows documents beside the case
SILENCED_SYSTEM_CHECKS = [
    "security.W019",  # demands DENY
    "models.W039",  # SQLite ignores non-key index columns,
    "models.W040",  # and they only make reads faster
    "security.W005",  # HSTS_SUBDOMAINS is optional:
    "security.W021",  # other hosts of the bank may lack TLS
    "security.W003",  # these two checks look for middleware class names;
    "axes.W002",  # config.page_middleware subclasses them
    "oauth2_provider.W008",  # http redirects are for loopback only: mcp_server.oauth.redirects
    "oauth2_provider.E001",  # a repeated refresh needs no stored tokens: mcp_server.oauth.tokens
]
_UNUSED_FEATURES = (
    "accelerometer,autoplay,camera,display-capture,encrypted-media,geolocation,gyroscope,hid,"
    "magnetometer,microphone,midi,payment,screen-wake-lock,serial,usb,xr-spatial-tracking"
)
PERMISSIONS_POLICY = ", ".join(
    [
        "publickey-credentials-create=(self)",
        "publickey-credentials-get=(self)",
        *(f"{feature}=()" for feature in _UNUSED_FEATURES.split(",")),
    ]
)
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [SELF],
    }
}

# Background work: messages are files under var/ unless CELERY_BROKER_URL names a broker

CELERY_BROKER_URL = env.private_text("CELERY_BROKER_URL", "files://")  # config.filesystem_broker
CELERY_TASK_DEFAULT_QUEUE = env.text("TASK_QUEUE", "vestibule")
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {}
if CELERY_BROKER_URL == "files://":
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(DATA_DIR / "broker" / "messages"),
        "data_folder_out": str(DATA_DIR / "broker" / "messages"),
        "control_folder": str(DATA_DIR / "broker" / "control"),
        "polling_interval": 0.1,
    }
elif urlsplit(CELERY_BROKER_URL).scheme.startswith("redis"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {"global_keyprefix": f"{CELERY_TASK_DEFAULT_QUEUE}:"}
TASK_KINDS = {  # each has its queue; sweeps, and all messages of 1.0.0, are in the default queue
    "webhooks": ["onboarding.tasks.deliver_webhook"],
    "mails": ["onboarding.tasks.send_mail"],
    "documents": ["onboarding.tasks.fetch_document", "onboarding.tasks.scan_document"],
    "screening": ["onboarding.tasks.screen_applications", "onboarding.tasks.send_verification"],
    "jobs": ["banking.tasks.run_job"],
}
TASK_QUEUES = {"sweeps": CELERY_TASK_DEFAULT_QUEUE} | {
    kind: f"{CELERY_TASK_DEFAULT_QUEUE}-{kind}" for kind in TASK_KINDS
}
CELERY_TASK_ROUTES = {
    task: {"queue": TASK_QUEUES[kind]} for kind, tasks in TASK_KINDS.items() for task in tasks
}
WORKER_QUEUES = env.words("WORKER_QUEUES", ",".join(TASK_QUEUES))  # the kinds that a worker takes
if not WORKER_QUEUES or not {*WORKER_QUEUES} <= {*TASK_QUEUES}:
    raise ImproperlyConfigured(f"WORKER_QUEUES must name some of {', '.join(TASK_QUEUES)}.")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # never give up
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_CONSUMER = "config.consumer:Consumer"  # reports progress
CELERY_WORKER_POOL = "threads"  # deliveries mostly wait for receivers
_IS_SQLITE = DATABASES["default"]["ENGINE"].endswith("sqlite3")  # SQLite lets one thread write
CELERY_WORKER_CONCURRENCY = env.integer("WORKER_THREADS", 8 if _IS_SQLITE else 32)
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# With it the threads of tasks would set the prefetch count after a lost connection, and read the
# answer from the socket that the main thread reads, too: the connection would be lost again
CELERY_WORKER_ENABLE_PREFETCH_COUNT_REDUCTION = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # no state file: missed ticks are dropped
TICK = timedelta(seconds=1)  # interval of the query for due rows
CELERY_BEAT_SCHEDULE = {
    name: {"task": task, "schedule": TICK, "options": {"expires": 5 * TICK.seconds}}
    for name, task in (
        ("onboarding", "onboarding.tasks.sweep"),
        ("banking", "banking.tasks.sweep"),
    )
}

# The bank

BANK_NAME = env.text("BANK_NAME", "Vestibule Bank" + (" (sandbox)" if IS_SANDBOX else ""))
SANDBOX_ROUTING_NUMBER = "110000000"  # valid check digit, not assigned to a bank
BANK_ROUTING_NUMBER = env.text("BANK_ROUTING_NUMBER", SANDBOX_ROUTING_NUMBER)
BANK_SWIFT = env.text("BANK_SWIFT", "VSTBUS33")
BANK_ADDRESS = env.words("BANK_ADDRESS", "100 Example Plaza,New York NY 10001")
BANK_PHONE = env.text("BANK_PHONE", "+1 212 555 0100")
BANK_WEBSITE = env.text("BANK_WEBSITE", "bank.example.com")
INTUIT_BANK_ID = env.text("INTUIT_BANK_ID", "99999" if IS_SANDBOX else "")  # no QBO files without
INTERMEDIARY_NAME = env.text("INTERMEDIARY_NAME", "Example Correspondent Bank")
INTERMEDIARY_SWIFT = env.text("INTERMEDIARY_SWIFT", "EXMPUS33")
INTERMEDIARY_ADDRESS = env.words("INTERMEDIARY_ADDRESS", "200 Example Street,New York NY 10005")
# a private key and its certificate; the sandbox generates the file on first use
LETTER_SIGNING_FILE = Path(env.text("LETTER_SIGNING_FILE", str(DATA_DIR / "letter-signing.pem")))

# Passwords

BREACHED_PASSWORDS_FILE = env.text("BREACHED_PASSWORDS_FILE")  # SHA-1 hashes in ascending order
if BREACHED_PASSWORDS_FILE and not Path(BREACHED_PASSWORDS_FILE).is_file():
    raise ImproperlyConfigured("BREACHED_PASSWORDS_FILE names no file.")
OWN_PASSWORD_WORDS = [  # refused as the main part of a password, as the words of the user are
    *("vestibule", "password", "contraseña", "welcome", "bienvenido", "bienvenida"),
    *("bank", "banco", "business", "empresa", "account", "cuenta", "admin"),
    *(BANK_NAME, BANK_WEBSITE, urlsplit(BASE_URL).hostname or ""),
    # examples that advice on passwords gives, which programs try first
    *("correct horse battery staple", "quick brown fox jumps lazy dog", "lorem ipsum dolor"),
    *("red house monkeys", "coffee train fish", "wall tin shirt"),
]
_DJANGO_VALIDATORS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"{_DJANGO_VALIDATORS}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_DJANGO_VALIDATORS}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_DJANGO_VALIDATORS}.CommonPasswordValidator"},
    {"NAME": f"{_DJANGO_VALIDATORS}.NumericPasswordValidator"},
    {"NAME": "foundation.passwords.guesses.GuessesValidator"},
    {
        "NAME": "foundation.passwords.own_words.OwnWordsValidator",
        "OPTIONS": {"words": OWN_PASSWORD_WORDS},
    },
]
if BREACHED_PASSWORDS_FILE:
    AUTH_PASSWORD_VALIDATORS.append(
        {
            "NAME": "foundation.passwords.breached_passwords.BreachedPasswordValidator",
            "OPTIONS": {"path": Path(BREACHED_PASSWORDS_FILE)},
        }
    )

# Anchors of the audit

ANCHORS = env.words("ANCHORS")  # file:///folder, s3://bucket/prefix, rfc3161:https://…, mailto:…
_ANCHOR_KEY_FILE = env.text("ANCHOR_KEY_FILE")
ANCHOR_KEY_FILE = Path(_ANCHOR_KEY_FILE) if _ANCHOR_KEY_FILE else None  # workers alone read it
ANCHOR_LOCK = timedelta(days=env.integer("ANCHOR_LOCK_DAYS", 3650))  # of files in a bucket

OTP_TOTP_ISSUER = BANK_NAME  # shown by authenticator apps
OTP_ADMIN_HIDE_SENSITIVE_DATA = True

# Files

STATIC_URL = "static/"
STATIC_ROOT = Path(env.text("STATIC_ROOT", str(DATA_DIR / "static")))  # collectstatic fills it
WHITENOISE_USE_FINDERS = IS_SANDBOX  # production runs collectstatic
DOCUMENT_STORAGE = env.text("DOCUMENT_STORAGE", "files", choices=["files", "s3"])
DOCUMENT_S3_BUCKET = env.text("DOCUMENT_S3_BUCKET")
if DOCUMENT_STORAGE == "s3" and not DOCUMENT_S3_BUCKET:
    raise ImproperlyConfigured("DOCUMENT_STORAGE=s3 needs a DOCUMENT_S3_BUCKET.")
if DOCUMENT_STORAGE == "s3" and not importlib.util.find_spec("storages"):
    raise ImproperlyConfigured("DOCUMENT_STORAGE=s3 needs the packages of requirements-s3.txt.")
DOCUMENT_S3_PREFIX = env.text("DOCUMENT_S3_PREFIX").strip("/")  # key prefix within the bucket
UNENCRYPTED_FILES = env.text(
    "UNENCRYPTED_FILES", "read" if IS_SANDBOX else "refuse", choices=["read", "refuse"]
)
ORPHANS_KEPT_FOR = timedelta(days=env.integer("ORPHANS_KEPT_DAYS", 30))  # files without a row
SCANNER = env.text("SCANNER", "none", choices=["none", "clamd"])  # scans documents for malware
CLAMD_ADDRESS = env.text("CLAMD_ADDRESS", "/run/clamav/clamd.ctl")  # a Unix socket, or host:port
if not re.fullmatch(r"/.+|[^:/]+:\d+|\[[\da-fA-F:]+\]:\d+", CLAMD_ADDRESS):
    raise ImproperlyConfigured("CLAMD_ADDRESS: name the path of a Unix socket, or host:port.")
DOCUMENT_SPOOL = DATA_DIR / "spool"  # encrypted uploads; on the store's disk, saving is a rename


def _s3_limits() -> Any:
    """Return the time limits of the S3 client."""
    from botocore.config import Config  # in requirements-s3.txt

    return Config(connect_timeout=2, read_timeout=10, retries={"total_max_attempts": 2})


def _store(folder: str, **encryption: Any) -> dict[str, Any]:
    """Return the storage settings of a private folder. Files have no URL; views serve them."""
    stores: dict[str, dict[str, Any]] = {
        "files": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {
                "location": str(DATA_DIR / folder),
                "base_url": None,
                "file_permissions_mode": 0o600,
                "directory_permissions_mode": 0o700,
            },
        },
        "s3": {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": {
                "bucket_name": DOCUMENT_S3_BUCKET,
                "endpoint_url": env.text("DOCUMENT_S3_ENDPOINT") or None,
                "region_name": env.text("DOCUMENT_S3_REGION") or None,
                "location": "/".join(
                    filter(None, [DOCUMENT_S3_PREFIX, folder.removeprefix("media")])
                ),
                "default_acl": None,  # new buckets refuse any; objects are private
                "querystring_auth": True,
                "file_overwrite": False,
                "client_config": _s3_limits() if DOCUMENT_STORAGE == "s3" else None,
            },
        },
    }
    return {
        "BACKEND": "foundation.privacy.encrypted_storage.EncryptedStorage",
        "OPTIONS": {"store": stores[DOCUMENT_STORAGE], "label": folder, **encryption},
    }


STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    # uploads of partners and applicants; logos are public, the id of the deployment is no secret
    "documents": _store(
        "media", plain=["partners/", "deployment-id"], moved="quarantine/", others=["papers/"]
    ),
    "papers": _store("papers"),  # statements, files of bills and of jobs
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if IS_SANDBOX
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

# The Lead API

API_VERSION = "2.0.0"
LEAD_API_SCHEME = env.text("LEAD_API_SCHEME", "Vestibule")
LINK_LIFETIME = timedelta(days=30)
TOKEN_LIFETIME = timedelta(minutes=60)
FLOW_SESSION_LIFETIME = timedelta(minutes=60)  # idle time of an applicant's session
FLOW_SESSION_LONGEST = timedelta(hours=24)  # since its start, however much it is used
FORM_DRAFT_LIFETIME = timedelta(days=1)  # unsaved form values
CODE_LIFETIME = timedelta(minutes=10)
CODE_TRIES = 5
CODES_PER_HOUR = 5  # per applicant, and per owner who fills in their own part
PHONE_LINK_LIFETIME = timedelta(minutes=15)  # to add pictures of an identification by a phone
PHONE_LINKS_PER_HOUR = 20  # per lead
OWNER_MAILS_PER_DAY = 20  # links to owners, per lead
APPLICATION_LIFETIME = timedelta(days=30)  # unsubmitted, since its last event
ACTION_LIFETIME = timedelta(days=60)  # awaiting a document or a proof of identity
CLAIM_LIFETIME = timedelta(minutes=30)  # since the last step of the claiming user
REMINDER_DAYS = (3, 14, 45)  # since the application began to wait
NUDGE_DAYS = (1, 3, 7, 21, 28)  # since the applicant stopped before submitting
OWNER_REMINDER_DAYS = (2, 5, 10)  # since an owner was asked for their own part
ENDING_DAYS = {"unsubmitted": (1,), "waiting": (3,), "temporary": (14, 7, 2)}  # before the end
WEBHOOKS_MAX = 10  # per partner
ALLOW_LOOPBACK = env.flag("ALLOW_LOOPBACK")  # allows webhook and document URLs on loopback
if ALLOW_LOOPBACK and not (IS_SANDBOX and IS_LOCAL):
    raise ImproperlyConfigured(
        "ALLOW_LOOPBACK: only a sandbox with HOST, BASE_URL and ALLOWED_HOSTS on loopback and "
        "without proxies may call its own machine; others would let partners send requests to any "
        "port of it. Unset it."
    )
_RETRY_DELAYS = (
    "0,60,180,600,1800" if IS_SANDBOX else "0,5,300,1800,7200,18000,36000,50400,72000,86400"
)
# seconds before each delivery attempt, without jitter
RETRY_DELAYS = [float(delay) for delay in env.words("RETRY_DELAYS", _RETRY_DELAYS)]
RETRY_JITTER = 0.2
WEBHOOK_CONNECT_SECONDS = 5
WEBHOOK_SECONDS = 15  # whole request
WEBHOOK_LANES = 64  # served at once per webhook, within the partner's limit
WEBHOOK_DISABLED_AFTER = timedelta(days=7)  # without a successful delivery
WEBHOOK_SECRET_GRACE = timedelta(hours=24)
EVENTS_SHOWN_FOR = timedelta(days=30)
UNSUBMITTED_KEPT_FOR = timedelta(days=90)  # personal data without a submission
ACCESS_LOG_MONTHS = env.integer("ACCESS_LOG_MONTHS", 0)  # older months become files; 0: none
KEPT_FOR = timedelta(days=90)  # finished deliveries, publications, mails, clock moves
DOCUMENT_URL_SECONDS = 20
DOCUMENT_URL_TRIES = 3
IDEMPOTENCY_LIFETIME = timedelta(hours=24)
API_KEY_LIFETIME = timedelta(days=env.integer("API_KEY_DAYS", 365))
SECRET_GRACE = timedelta(hours=env.integer("SECRET_GRACE_HOURS", 24))

# The reviews of customers

REVIEW_MONTHS = {  # between two periodic reviews, by the risk of the customer
    "HIGH": env.integer("REVIEW_MONTHS_HIGH", 12),
    "MEDIUM": env.integer("REVIEW_MONTHS_MEDIUM", 24),
    "LOW": env.integer("REVIEW_MONTHS_LOW", 36),
}
REVIEW_OPENED_BEFORE = timedelta(days=env.integer("REVIEW_OPENED_DAYS", 30))  # it is due
REVIEW_IDENTITY_BEFORE = timedelta(days=env.integer("REVIEW_IDENTITY_DAYS", 30))  # it expires

# The checks of submitted applications

_PLAYED = ["SANDBOX"] if IS_SANDBOX else []
CHECK_PROVIDERS = env.words("CHECK_PROVIDERS", f"BUILT_IN,{'SANDBOX' if IS_SANDBOX else 'MANUAL'}")
if not CHECK_PROVIDERS:
    raise ImproperlyConfigured("CHECK_PROVIDERS names no checks. Unset it, or name BUILT_IN.")
if not {"BUILT_IN", "MANUAL", *_PLAYED}.issuperset(CHECK_PROVIDERS):
    raise ImproperlyConfigured("CHECK_PROVIDERS are BUILT_IN and MANUAL; SANDBOX in the sandbox.")
SANCTIONS_LIST_DAYS = env.integer("SANCTIONS_LIST_DAYS", 2)  # then a list is overdue
PEP_LIST_DAYS = env.integer("PEP_LIST_DAYS", 30)
AUTO_APPROVAL = env.text(  # check results that approve without staff
    "AUTO_APPROVAL",
    "despite-warnings" if IS_SANDBOX else "never",
    choices=["never", "clear", "despite-warnings"],
)
if AUTO_APPROVAL != "never" and not IS_SANDBOX:  # it tells partners whose SSN the bank knows
    raise ImproperlyConfigured("AUTO_APPROVAL: only the sandbox approves without staff. Unset it.")

# Verification providers: services outside of the bank that are asked about people and businesses

VERIFICATION_PROVIDERS = verification_accounts.read_accounts()
VERIFICATION_SECONDS = 20  # whole call
VERIFICATION_WAIT = timedelta(seconds=env.integer("VERIFICATION_WAIT_SECONDS", 120))  # of screening
VERIFICATION_DEADLINE = timedelta(hours=env.integer("VERIFICATION_HOURS", 24))  # of an answer

# Limits. RATE_LIMIT_FACTOR multiplies the limits per minute; 0 (sandbox only) disables them.

RATE_WINDOW_MODEL = "banking.RateWindow"  # stores the counters
RATE_LIMIT_FACTOR = env.number("RATE_LIMIT_FACTOR", 1)
if not 0 <= RATE_LIMIT_FACTOR < math.inf or (RATE_LIMIT_FACTOR == 0 and not IS_SANDBOX):
    raise ImproperlyConfigured("RATE_LIMIT_FACTOR must be positive; only the sandbox may set 0.")
CALLS_PER_MINUTE = env.integer("CALLS_PER_MINUTE", 120 if IS_SANDBOX else 600)
CREATES_PER_MINUTE = env.integer("CREATES_PER_MINUTE", 60 if IS_SANDBOX else 120)
FAILED_AUTHENTICATIONS_PER_MINUTE = env.integer("FAILED_AUTHENTICATIONS_PER_MINUTE", 10)
JSON_MAX_BYTES = env.integer("JSON_MAX_BYTES", 256 * 1024)  # not counting documents
JSON_MAX_DEPTH = env.integer("JSON_MAX_DEPTH", 32)
DOCUMENT_MAX_BYTES = env.integer("DOCUMENT_MAX_BYTES", 10 * 1024**2)
DOCUMENTS_MAX_PER_REQUEST = env.integer("DOCUMENTS_MAX_PER_REQUEST", 10)
DOCUMENTS_MAX_BYTES_PER_REQUEST = env.integer("DOCUMENTS_MAX_BYTES_PER_REQUEST", 25 * 1024**2)
DOCUMENTS_MAX_PER_LEAD = env.integer("DOCUMENTS_MAX_PER_LEAD", 50)
DOCUMENT_URLS_MAX_PER_REQUEST = env.integer("DOCUMENT_URLS_MAX_PER_REQUEST", 10)
FEED_LINE_MAX_BYTES = env.integer("FEED_LINE_MAX_BYTES", 16 * 1024**2)  # with files in Base64
FEED_BODY_MAX_BYTES = env.integer("FEED_BODY_MAX_BYTES", 1024**3)
FEED_CHUNK_LINES = env.integer("FEED_CHUNK_LINES", 500)  # in one transaction
FEED_ATOMIC_LINES = env.integer("FEED_ATOMIC_LINES", 10_000)
FEED_OUTCOME_DAYS = env.integer("FEED_OUTCOME_DAYS", 30)
OWNERS_MAX_PER_LEAD = env.integer("OWNERS_MAX_PER_LEAD", 10)

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_SCHEMA_CLASS": "onboarding.api.openapi.OperationSchema",
    "EXCEPTION_HANDLER": "onboarding.api.errors.exception_handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Vestibule Lead API",
    "VERSION": API_VERSION,
    "OAS_VERSION": "3.1.0",
    "SERVERS": [{"url": "https://api.example.com", "description": "your environment's base URL"}],
    "TAGS": [
        {"name": "leads", "description": "Applicants, their owners and their documents."},
        {"name": "webhooks", "description": "What happens to leads, told to you."},
        {"name": "sandbox", "description": "What happens to leads, played. Not in production."},
        {
            "name": "bank records",
            "description": "Records that the bank's own systems send. They need a bank key.",
        },
        {"name": "meta", "description": "What the interface tells of itself, without a key."},
    ],
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": [],
    "SCHEMA_PATH_PREFIX": r"/service/(?:api|bank)/v1",
    "CAMELIZE_NAMES": True,
    "SORT_OPERATION_PARAMETERS": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "onboarding.api.openapi.complete",
    ],
    "ENUM_NAME_OVERRIDES": {
        "AccountStatus": "banking.choices.AccountStatus",
        "Activity": "onboarding.services.sandbox.simulations.Activity",
        "ApplicationStatus": "onboarding.choices.ApplicationStatus",
        "BusinessType": "banking.choices.BusinessType",
        "ChangeDenialReason": "onboarding.choices.ChangeDenialReason",
        "ChangeStatus": "onboarding.choices.ChangeStatus",
        "ClockMoveStatus": "onboarding.choices.ClockMoveStatus",
        "DeliveryStatus": "onboarding.choices.ShownDeliveryStatus",
        "DenialReason": "onboarding.choices.DenialReason",
        "DocumentStatus": "onboarding.choices.DocumentStatus",
        "FeedResult": "banking.choices.FeedResult",
        "Font": "onboarding.choices.Font",
        "EventType": "onboarding.event_types.published_choices",
        "IdentityStatus": "onboarding.choices.IdentityStatus",
        "InvitationStatus": "onboarding.choices.InvitationStatus",
        "LegalText": "onboarding.choices.LegalText",
        "LlcFileType": "onboarding.choices.LlcFileType",
        "NewLeadLlcFileType": "onboarding.choices.LlcFileType.choices_on_create",
        "OwnerRole": "onboarding.choices.OwnerRole",
        "PaymentMethod": "banking.choices.PaymentMethod",
        "Party": "onboarding.queries.requirements.Party",
        "Role": "onboarding.choices.Role",
        "RequirementKind": "onboarding.queries.requirements.Kind",
        "SentType": "onboarding.event_types.sent_choices",
        "StatusGroup": "onboarding.choices.StatusGroup",
        "VerificationKind": "onboarding.choices.VerificationKind",
        "VerificationMethod": "onboarding.choices.VerificationMethod",
        "WarningCode": "onboarding.choices.WarningCode",
        "WebhookStatus": "onboarding.choices.WebhookStatus",
        "WebhookType": "onboarding.choices.WebhookType",
        "WebhookVersion": "onboarding.choices.WebhookVersion",
    },
    "SWAGGER_UI_SETTINGS": {
        "deepLinking": True,
        "defaultModelsExpandDepth": 0,
        "displayRequestDuration": True,
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# The MCP server and its OAuth provider

MCP_URL = f"{BASE_URL}/mcp"  # the audience of tokens, compared exactly
MCP_ALLOWED_ORIGINS = [BASE_URL, *env.words("MCP_ALLOWED_ORIGINS")]  # of web pages that call /mcp
MCP_LOOPBACK_ORIGINS = IS_SANDBOX and IS_LOCAL  # web pages of programs on this computer, too
TOOL_CALLS_PER_MINUTE = env.integer("TOOL_CALLS_PER_MINUTE", 60)  # per user and assistant
TOOL_DOWNLOADS_PER_MINUTE = env.integer("TOOL_DOWNLOADS_PER_MINUTE", 10)
SIGN_INS_PER_MINUTE = env.integer("SIGN_INS_PER_MINUTE", 30)  # attempts per address
REGISTRATIONS_PER_HOUR = env.integer("REGISTRATIONS_PER_HOUR", 30)  # clients per address
KNOWN_ASSISTANT_HOSTS = env.words(
    "KNOWN_ASSISTANT_HOSTS", "claude.ai,claude.com,chatgpt.com,cursor.com,vscode.dev"
)  # redirect hosts without a warning on the consent page

CLIENT_DOCUMENTS = env.text(  # client ids that are metadata document URLs
    "CLIENT_DOCUMENTS", "auto", choices=["auto", "on", "off"]
)
CLIENT_DOCUMENT_PROBES = env.words(  # "auto": offered while all these URLs respond
    "CLIENT_DOCUMENT_PROBES",
    "https://claude.ai/oauth/claude-code-client-metadata,https://chatgpt.com/oauth/codex/client.json",
)

PINNED_CLIENT_DOCUMENTS = env.client_documents("CLIENT_DOCUMENTS_FILE")  # not fetched; by id

OAUTH2_PROVIDER_APPLICATION_MODEL = "oauth2_provider.Application"  # models of the OAuth toolkit
OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL = "oauth2_provider.AccessToken"  # noqa: S105 - a model
OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL = "oauth2_provider.RefreshToken"  # noqa: S105 - a model
OAUTH2_PROVIDER_GRANT_MODEL = "oauth2_provider.Grant"
OAUTH2_PROVIDER_ID_TOKEN_MODEL = "oauth2_provider.IDToken"  # noqa: S105 - a model
OAUTH2_PROVIDER: dict[str, Any] = {
    "SCOPES_BACKEND_CLASS": "mcp_server.scopes.ToolScopes",
    "OAUTH2_VALIDATOR_CLASS": "mcp_server.oauth.validator.Validator",
    "RESOURCE_SERVER_TOKEN_RESOURCE_VALIDATOR": "mcp_server.oauth.resources.is_for_us",
    "OIDC_ISS_ENDPOINT": BASE_URL,  # the issuer, used verbatim
    "OAUTH2_PROTECTED_RESOURCE_IDENTIFIER": MCP_URL,
    "OAUTH2_PROTECTED_RESOURCE_AUTHORIZATION_SERVERS": [BASE_URL],
    "OAUTH2_PROTECTED_RESOURCE_NAME": BANK_NAME,
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
    "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": [
        "none",
        "client_secret_post",
        "client_secret_basic",
    ],
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 60,
    "ACCESS_TOKEN_EXPIRE_SECONDS": 60 * 60,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 30 * 24 * 60 * 60,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 30,  # repeats the response if it was lost
    "CLIENT_SECRET_HASHER": "client_secret",
    "ACCESS_TOKEN_GENERATOR": "mcp_server.oauth.tokens.new_access_token",
    "REFRESH_TOKEN_GENERATOR": "mcp_server.oauth.tokens.new_refresh_token",
    "ALLOW_LOCALHOST_LOOPBACK": True,
    "ALLOWED_REDIRECT_URI_SCHEMES": [
        "https",
        "http",  # for loopback only: mcp_server.oauth.redirects
        *env.words("ASSISTANT_URI_SCHEMES", "cursor"),  # URI schemes of desktop programs
    ],
    "PKCE_REQUIRED": True,
    "DCR_ENABLED": True,
    "DCR_REGISTRATION_PERMISSION_CLASSES": ["oauth2_provider.dcr.AllowAllDCRPermission"],
    "CIMD_ENABLED": CLIENT_DOCUMENTS != "off",
    "CIMD_METADATA_FETCHER": "mcp_server.oauth.clients.MetadataFetcher",
    "CIMD_REGISTRATION_PERMISSION_CLASSES": ["mcp_server.oauth.clients.FetchPermission"],
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
}

# Mail

EMAIL_HOST = env.text("EMAIL_HOST")  # if unset, mails are files under var/mail
EMAIL_PORT = env.integer("EMAIL_PORT", 587)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env.private_text("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = env.flag("EMAIL_USE_TLS", default=True)
EMAIL_TIMEOUT = 10
_WITHOUT_HOST = "config.mail.ConsoleAndFiles" if IS_SANDBOX else "config.mail.Files"
EMAIL_BACKEND = "config.mail.Smtp" if EMAIL_HOST and OUTBOUND else _WITHOUT_HOST
EMAIL_FILE_PATH = DATA_DIR / "mail"
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "no-reply@bank.example.com")

# Logs

DJANGO_STRUCTLOG_TRUST_UPSTREAM_REQUEST_ID = True  # set by RequestIdMiddleware
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False  # ClientAddressMiddleware adds the address
DJANGO_STRUCTLOG_USER_ID_FIELD = "external_id"  # of the user or the partner

TRACING = bool(env.text("OTEL_EXPORTER_OTLP_ENDPOINT"))  # the SDK reads it and other OTEL_… itself
if TRACING and not importlib.util.find_spec("opentelemetry"):
    raise ImproperlyConfigured(
        "OTEL_EXPORTER_OTLP_ENDPOINT needs the packages of requirements-tracing.txt."
    )
if TRACING:
    MIDDLEWARE.insert(
        MIDDLEWARE.index("config.middleware.RequestIdMiddleware") + 1,
        "config.tracing.TracingMiddleware",
    )
LOG_FORMAT = env.text(
    "LOG_FORMAT", "console" if IS_SANDBOX else "json", choices=["console", "json"]
)
LOG_LEVEL = env.text("LOG_LEVEL", "INFO")
LOGGING = logs.configuration(style=LOG_FORMAT, level=LOG_LEVEL)
logs.configure_structlog()
