"""Appearance: a partner's branding for its applicants, and the origins that may embed the flow."""

import hashlib
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.validators import validate_email
from django.db import transaction

from foundation.inspection.file_types import detect_type
from onboarding import themes, validators
from onboarding.choices import Font
from onboarding.errors import InvalidValue
from onboarding.models import Partner

FOLDER: Final = "partners"
LOGO_MAX_BYTES: Final = 256 * 1024
LOGO_TYPES: Final = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
NAME_MAX: Final = 100
ORIGINS_MAX: Final = 20
RETURN_URL_MAX: Final = 200
LOOPBACK: Final = re.compile(r"http://(?:localhost|127\.0\.0\.1)(?=[:/?#]|$)", re.IGNORECASE)
ORIGIN_HOST: Final = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)*")  # hosts that a CSP can name
NO_ORIGIN: Final = (
    "%(text)s is not an origin. Enter an origin without a path or wildcard, for example "
    "https://app.example.com."
)
PORTS: Final = {"https": 443, "http": 80}


@dataclass(frozen=True)
class Appearance:
    """The branding and embedding settings of a partner; empty values are not set."""

    display_name: str = ""
    brand_color: str = ""
    font: str = ""
    corner_radius: int | None = None
    hides_header: bool = False
    support_email: str = ""
    return_url: str = ""
    embed_origins: tuple[str, ...] = ()

    @classmethod
    def of(cls, partner: Partner) -> "Appearance":
        """Return the present appearance of a partner."""
        return cls(
            partner.display_name,
            partner.brand_color,
            partner.font,
            partner.corner_radius,
            partner.hides_header,
            partner.support_email,
            partner.return_url,
            tuple(partner.embed_origins),
        )

    def normalized(self) -> "Appearance":
        """Return the values in their normal form. Raises: ValidationError naming each fault."""
        faults: dict[str, list[str]] = {}
        normal = {}
        for name, value in asdict(self).items():
            try:
                normal[name] = NORMAL[name](value)
            except ValidationError as exc:
                faults[name] = exc.messages
        if faults:
            raise ValidationError(faults)
        return Appearance(**normal)


@transaction.atomic
def dress(partner: Partner, wanted: Appearance) -> list[str]:
    """Save the appearance of a partner; return the names of the values that changed.

    Locks the partner. Raises: ValidationError naming each fault.
    """
    locked = Partner.objects.select_for_update(of=("self",)).get(pk=partner.pk)
    present, normal = asdict(Appearance.of(locked)), asdict(wanted.normalized())
    changed = [name for name, value in normal.items() if value != present[name]]
    for name in changed:
        setattr(locked, name, list(normal[name]) if name == "embed_origins" else normal[name])
    locked.save(update_fields=changed)
    return changed


@transaction.atomic
def admit_origins(partner: Partner, origins: Iterable[str], **values: Any) -> list[str]:
    """Add origins that may embed the flow, and set the `values` of Appearance given by name.

    Locks the partner before its other values are read, so that they stay as they are.
    Shape: the names of the values that changed. Raises: ValidationError.
    """
    locked = Partner.objects.select_for_update(of=("self",)).get(pk=partner.pk)
    present = Appearance.of(locked)
    together = dict.fromkeys([*present.embed_origins, *origins])
    return dress(locked, replace(present, embed_origins=tuple(together), **values))


@transaction.atomic
def set_logo(partner: Partner, content: bytes) -> None:
    """Replace the partner's logo; the old file is deleted on commit. Raises: ValidationError."""
    extension = LOGO_TYPES[logo_type(content)]
    sha256 = hashlib.sha256(content).hexdigest()
    locked = Partner.objects.select_for_update(of=("self",)).get(pk=partner.pk)
    before = locked.logo.name
    name = f"{FOLDER}/{locked.external_id}/{sha256}.{extension}"
    if name == before:
        return
    locked.logo.name = locked.logo.storage.save(name, ContentFile(content))
    locked.save(update_fields=["logo"])
    _delete_once_committed(locked, before)


@transaction.atomic
def remove_logo(partner: Partner) -> None:
    """Remove the partner's logo; its file is deleted on commit."""
    locked = Partner.objects.select_for_update(of=("self",)).get(pk=partner.pk)
    before, locked.logo.name = locked.logo.name, ""
    locked.save(update_fields=["logo"])
    _delete_once_committed(locked, before)


def logo_type(content: bytes) -> str:
    """Return the MIME type of a logo, by its content. Raises: ValidationError."""
    if len(content) > LOGO_MAX_BYTES:
        raise ValidationError(f"The logo can have at most {LOGO_MAX_BYTES // 1024} KiB.")
    detected = detect_type(content)
    if detected not in LOGO_TYPES:
        raise ValidationError("The logo must be a PNG, a JPEG or a WebP file.")
    return detected


def _delete_once_committed(partner: Partner, name: str | None) -> None:
    storage = partner.logo.storage
    if name:
        transaction.on_commit(lambda: storage.delete(name))


def _display_name(text: str) -> str:
    name = text.strip()
    if len(name) > NAME_MAX or not name.isprintable():
        raise ValidationError(f"The name can have at most {NAME_MAX} visible characters.")
    return name


def _brand_color(text: str) -> str:
    color = text.strip().lower()
    if not color:
        return ""
    if not themes.COLOR.fullmatch(color):
        raise ValidationError("Enter the color as #rrggbb, for example #0f5b6e.")
    ratio = math.floor(themes.contrast(color, themes.WHITE) * 100) / 100
    if ratio < themes.READABLE:
        raise ValidationError(
            f"White text on this color has a contrast of {ratio} to 1. It must be at least "
            f"{themes.READABLE} to 1. Choose a darker color."
        )
    return color


def _font(name: str) -> str:
    if name and name not in Font.values:
        raise ValidationError(f"Choose one of {', '.join(Font.values)}.")
    return name


def _corner_radius(pixels: int | None) -> int | None:
    if pixels is not None and not 0 <= pixels <= themes.RADIUS_MAX:
        raise ValidationError(f"Enter a number of pixels from 0 to {themes.RADIUS_MAX}.")
    return pixels


def _support_email(text: str) -> str:
    address = text.strip()
    if address:
        validate_email(address)
    return address


def _return_url(text: str) -> str:
    text = text.strip()
    if len(text) > RETURN_URL_MAX:
        raise ValidationError(f"The URL can have at most {RETURN_URL_MAX} characters.")
    try:
        return _checked_url(text) if text else ""
    except InvalidValue:
        raise ValidationError("Enter a URL that begins with https://.") from None


def _embed_origins(texts: Iterable[str]) -> tuple[str, ...]:
    origins = tuple(dict.fromkeys(map(_origin, texts)))
    if len(origins) > ORIGINS_MAX:
        raise ValidationError(f"There can be at most {ORIGINS_MAX} origins.")
    return origins


def _origin(text: str) -> str:
    """Return the origin in the form that browsers send. Source: RFC 6454, section 6.2."""
    try:
        address = _checked_url(text.strip())
    except InvalidValue:
        raise ValidationError(NO_ORIGIN % {"text": text}) from None
    parts = urlsplit(address)
    if not ORIGIN_HOST.fullmatch(parts.hostname or "") or not address.endswith(parts.netloc):
        raise ValidationError(NO_ORIGIN % {"text": text})
    is_usual = parts.port in {None, PORTS[parts.scheme]}
    return f"{parts.scheme}://{parts.hostname}" + ("" if is_usual else f":{parts.port}")


def _checked_url(text: str) -> str:
    """Return a valid https URL, or loopback http URL in the sandbox. Raises: InvalidValue."""
    if not settings.IS_SANDBOX or not LOOPBACK.match(text):
        return validators.https_url(text)
    return f"http{validators.https_url(f'https{text[4:]}')[5:]}"


NORMAL: Final[dict[str, Callable[[Any], Any]]] = {
    "display_name": _display_name,
    "brand_color": _brand_color,
    "font": _font,
    "corner_radius": _corner_radius,
    "hides_header": bool,
    "support_email": _support_email,
    "return_url": _return_url,
    "embed_origins": _embed_origins,
}
