"""Sandbox data: two partners with keys, staff, the demo bank, and a file with credentials."""

import os
import secrets
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.db import transaction

from banking.choices import UserType
from banking.demo import cast
from banking.models import User
from config import env
from onboarding.models import ApiKey, Application, Partner
from onboarding.services.partners import api_keys

ADMIN = "admin@example.com"
STAFF = {  # by role; the administrator is the second person beside ADMIN
    "REVIEWER": "reviewer@example.com",
    "APPROVER": "approver@example.com",
    "ADMINISTRATOR": "administrator@example.com",
    "OPERATIONS": "operations@example.com",
    "OPERATIONS2": "operations2@example.com",  # the second person of bank operations
    "AUDITOR": "auditor@example.com",
    "SUPPORT": "support@example.com",
}
LABEL = "demo"
APPLICATIONS = 60
PARTNERS = {"": "Demo Partner", "2": "Second Demo Partner"}  # by the suffix of their variables
CUSTOMERS = {  # by prefix and suffix of their variables; suffix 2 is a separate business
    ("OWNER", ""): cast.BUSINESS_USER,
    ("ACCOUNTANT", ""): cast.ACCOUNTANT_USER,
    ("OWNER", "2"): cast.OTHER_BUSINESS_USER,
    ("ACCOUNTANT", "2"): cast.OTHER_ACCOUNTANT_USER,
}
ADDRESSES = {"BASE_URL", "MCP_URL"}
LEAD = '{"email": "ada@example.com", "firstName": "Ada", "businessName": "Bakery LLC"}'


def load_bank() -> None:
    """Load the demo bank unless it exists. The command is called by name to import it late."""
    if not User.objects.filter(email=cast.ACCOUNTANT_USER).exists():
        call_command("load_demo_bank", verbosity=0)


def load_applications() -> None:
    """Create demo applications for staff, unless any application exists."""
    if not Application.objects.exists():
        call_command("make_applications", str(APPLICATIONS), verbosity=0)


def prepare(file: Path, *, at: datetime) -> tuple[dict[str, str], bool]:
    """Make missing demo data, write its credentials to `file`; return them, and whether any is new.

    Credentials in `file` that still work are kept. A run that died before writing the file
    leaves rows whose secrets are lost: these secrets are replaced.
    """
    kept = env.assignments(file)
    facts = {
        "BASE_URL": settings.BASE_URL,
        "MCP_URL": settings.MCP_URL,
        "SCHEME_WORD": settings.LEAD_API_SCHEME,
    }
    with transaction.atomic():
        for suffix, name in PARTNERS.items():
            facts |= _kept_key(kept, suffix, at=at) or _new_key(name, suffix, at=at)
        facts |= _admin(kept)
        for role, email in STAFF.items():
            facts |= _staff(kept, role, email)
        for (prefix, suffix), email in CUSTOMERS.items():
            facts |= _customer(kept, email, f"{prefix}_EMAIL{suffix}", f"{prefix}_PASSWORD{suffix}")
    if facts != kept:
        _write(file, facts)
    return facts, any(facts[name] != kept.get(name) for name in facts.keys() - ADDRESSES)


def curl(facts: dict[str, str]) -> str:
    """Return a curl command that registers a lead."""
    return (
        f"curl -X PUT {facts['BASE_URL']}/service/api/v1/lead"
        f" -H 'Authorization: {facts['SCHEME_WORD']} {facts['ACCESS_KEY']}:{facts['SECRET_KEY']}'"
        " -H 'Content-Type: application/json' -H 'Accept: application/json'"
        f" -d '{LEAD}'"
    )


def _kept_key(kept: dict[str, str], suffix: str, *, at: datetime) -> dict[str, str]:
    access_key, secret = kept.get(f"ACCESS_KEY{suffix}", ""), kept.get(f"SECRET_KEY{suffix}", "")
    key = ApiKey.objects.live(at=at).filter(access_key=access_key).first()
    digest = api_keys.secret_digest(secret)
    if key is None or digest not in {key.secret_digest, key.previous_digest}:
        return {}
    return {f"ACCESS_KEY{suffix}": access_key, f"SECRET_KEY{suffix}": secret}


def _new_key(name: str, suffix: str, *, at: datetime) -> dict[str, str]:
    partner = Partner.objects.filter(name=name).first() or api_keys.create_partner(name=name)
    for forgotten in partner.api_keys.filter(label=LABEL):
        api_keys.revoke_api_key(forgotten, at=at)
    issued = api_keys.issue_api_key(partner, at=at, label=LABEL)
    return {f"ACCESS_KEY{suffix}": issued.key.access_key, f"SECRET_KEY{suffix}": issued.secret}


def _admin(kept: dict[str, str]) -> dict[str, str]:
    admin = User.objects.filter(email=ADMIN).first() or User.objects.create_superuser(ADMIN)
    return {"ADMIN_USER": ADMIN, "ADMIN_PASSWORD": _password(admin, kept.get("ADMIN_PASSWORD"))}


def _staff(kept: dict[str, str], role: str, email: str) -> dict[str, str]:
    """Return the sign-in of a member of staff, who is made if missing.

    Unless `kept` has the password, a new one is set, and the role becomes the user's only one.
    """
    known = kept.get(f"{role}_PASSWORD")
    group = role.rstrip("2").capitalize()
    names = {"first_name": "Demo", "last_name": role.capitalize()}
    user = User.objects.filter(email=email).first()
    user = user or User.objects.create_user(email, user_type=UserType.STAFF, **names)
    password = _password(user, known)
    if password != known:
        user.groups.set(Group.objects.filter(name=group))
    return {f"{role}_USER": email, f"{role}_PASSWORD": password}


def _customer(
    kept: dict[str, str], email: str, email_name: str, password_name: str
) -> dict[str, str]:
    """Return the sign-in of a demo bank customer, or an empty dict without a demo bank."""
    user = User.objects.filter(email=email).first()
    if user is None:
        return {}
    return {email_name: email, password_name: _password(user, kept.get(password_name))}


def _password(user: User, known: str | None) -> str:
    """Return the known password of a user who has a password; else set a new one and return it."""
    if known and user.has_usable_password():
        return known
    password = secrets.token_urlsafe(15)
    user.set_password(password)
    user.save(update_fields=["password"])
    return password


def _write(file: Path, facts: dict[str, str]) -> None:
    """Replace `file` atomically, so that no reader and no crash leaves a partial file."""
    draft = file.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as lines:
        lines.writelines(f"{name}={value}\n" for name, value in facts.items())
    draft.replace(file)
