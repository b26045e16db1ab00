"""Public files of a partner's branding: style sheet and logo."""

from pathlib import PurePosixPath
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from foundation.privacy.encrypted_files import UnreadableFile
from onboarding.models import Partner
from onboarding.services.partners.appearance import LOGO_TYPES

CSS = "text/css; charset=utf-8"
FOR_EVER = 365 * 24 * 3600
FOR_A_WHILE = 300
TYPES = {f".{extension}": mime for mime, extension in LOGO_TYPES.items()}


@require_safe
def theme(request: HttpRequest, partner_id: UUID) -> HttpResponse:
    """Return a style sheet with the partner's theme. Raises: Http404 if the partner has none."""
    theme = get_object_or_404(Partner, external_id=partner_id).theme
    if not theme.stylesheet:
        raise Http404
    css = HttpResponse(theme.stylesheet, content_type=CSS)
    keep(css, is_versioned=request.GET.get("v") == theme.version)
    return css


@require_safe
def logo(request: HttpRequest, partner_id: UUID) -> HttpResponse:
    """Return the partner's logo. Raises: Http404 without a logo, or if its file is not readable."""
    partner = get_object_or_404(Partner.objects.exclude(logo=""), external_id=partner_id)
    try:
        content = partner.read_logo()
    except (FileNotFoundError, UnreadableFile):
        raise Http404 from None
    mime = TYPES[PurePosixPath(partner.logo.name or "").suffix]
    image = HttpResponse(content, content_type=mime)
    keep(image, is_versioned=request.GET.get("v") == partner.logo_version)
    return image


def keep(response: HttpResponse, *, is_versioned: bool) -> None:
    """Let anyone cache a response: for a year if its URL has a version, else for five minutes."""
    if is_versioned:
        patch_cache_control(response, public=True, max_age=FOR_EVER, immutable=True)
    else:
        patch_cache_control(response, public=True, max_age=FOR_A_WHILE)
