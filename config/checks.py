"""What `manage.py check --deploy` refuses of a production deployment."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

SECRETS = ["SECRET_KEY", "API_KEY_PEPPER", "LINK_KEY", "PII_KEYS", "PII_INDEX_KEY"]
DEVELOPMENT = (
    "development"  # `config.development_secrets` puts the word into every secret that it makes
)
TLS_SETTINGS = [
    "SECURE_SSL_REDIRECT",
    "SECURE_HSTS_SECONDS",
    "SESSION_COOKIE_SECURE",
    "CSRF_COOKIE_SECURE",
]


@register(Tags.security, deploy=True)
def production_is_safe(**_options: Any) -> list[CheckMessage]:
    """Refuse a production with DEBUG, a development secret, SQLite or no TLS."""
    if settings.IS_SANDBOX:
        return []
    faults: list[CheckMessage] = [
        Error(f"{name} is a development secret.", hint="Generate one.", id="vestibule.E001")
        for name in SECRETS
        if DEVELOPMENT in getattr(settings, name)
    ]
    faults += [
        Error(f"{name} is off.", hint="Unset TLS, or set it to true.", id="vestibule.E003")
        for name in TLS_SETTINGS
        if not getattr(settings, name)
    ]
    if settings.DEBUG:
        faults.append(Error("DEBUG is on.", id="vestibule.E002"))
    if not settings.BASE_URL.startswith("https://"):
        faults.append(Error("BASE_URL is not https.", id="vestibule.E003"))
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        faults.append(Error("DATABASE_URL names no PostgreSQL.", id="vestibule.E004"))
    return faults
