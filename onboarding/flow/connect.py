"""The script that partners embed in their pages; a published version never changes."""

import base64
import hashlib
from pathlib import Path
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from onboarding.flow.themes import keep

FOLDER: Final = Path(__file__).parent / "connect"
NEWEST: Final = "1.2.0"
VERSIONS: Final = {path.stem.removeprefix("connect-"): path for path in FOLDER.glob("*.js")}
JAVASCRIPT = "text/javascript; charset=utf-8"


@require_safe
def connect(
    _request: HttpRequest, version: str = NEWEST, *, is_pinned: bool = False
) -> HttpResponse:
    """Return the script: the newest version, or the version in the path.

    `is_pinned`: the path has the version, so browsers may cache the script for a year. Raises:
    Http404 for an unknown version.
    """
    if version not in VERSIONS:
        raise Http404
    script = HttpResponse(VERSIONS[version].read_bytes(), content_type=JAVASCRIPT)
    script["Access-Control-Allow-Origin"] = "*"  # so that browsers can check its integrity
    script["Cross-Origin-Resource-Policy"] = "cross-origin"
    keep(script, is_versioned=is_pinned)
    return script


def integrity(version: str) -> str:
    """Return the hash of a script's version, as in the HTML attribute `integrity`.

    Source: W3C, Subresource Integrity.
    """
    digest = hashlib.sha384(VERSIONS[version].read_bytes()).digest()
    return f"sha384-{base64.b64encode(digest).decode()}"
