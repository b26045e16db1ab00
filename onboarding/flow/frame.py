"""The page for a partner's iframe, and the exchange of the partner's token for a session."""

import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import cast
from uuid import UUID

from csp.constants import NONE, SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation.trans_real import parse_accept_lang_header
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from onboarding.flow.journeys import Journey
from onboarding.flow.start import first_page
from onboarding.models import Partner
from onboarding.services.access import sessions

TOKEN_BODY_MAX = 4096
SCHEMES = {"light", "dark"}


@never_cache
@xframe_options_exempt  # the policy below restricts framing more exactly
@require_safe
def shell(request: HttpRequest, customer_id: UUID) -> HttpResponse:
    """Return the page around the steps; only the partner's origins may frame it.

    It needs no session and contains no data of the lead: the framing page must supply a token. For
    an unknown customer its status is 404.
    """
    partner = Partner.objects.filter(leads__external_id=customer_id).first()
    origins = partner.embed_origins if partner else []
    scheme = request.GET.get("scheme")
    facts = {
        "partner": partner,
        "origins": origins,
        "customer_id": customer_id,
        "scheme": scheme if scheme in SCHEMES else "",
    }
    with translation.override(language_of(request, request.GET.get("language", ""))):
        page = render(request, "onboarding/flow/frame.html", facts)
    page.status_code = HTTPStatus.OK if partner else HTTPStatus.NOT_FOUND
    return _framed_by(origins, page, request)


@csrf_exempt  # cookies are not read here
@never_cache
@require_POST
def exchange(request: HttpRequest, customer_id: UUID) -> HttpResponse:
    """Exchange a one-time token for a session; answer with its key and the path of a first page.

    Answers 400 to a malformed body, 401 to a token that cannot be used, 410 if the application has
    ended.
    """
    try:
        token, wanted, time_zone = _read(request)
    except (KeyError, TypeError, ValueError, RecursionError):
        return JsonResponse({"error": "malformed"}, status=HTTPStatus.BAD_REQUEST)
    try:
        opened = sessions.exchange_token(
            customer_id=str(customer_id),
            token=token,
            language=language_of(request, wanted),
            time_zone=time_zone,
            at=timezone.now(),
        )
    except sessions.TokenSpent:
        return JsonResponse({"error": "token_expired"}, status=HTTPStatus.UNAUTHORIZED)
    except sessions.NoWayIn:
        return JsonResponse({"error": "closed"}, status=HTTPStatus.GONE)
    journey = Journey(opened.session.application, {"customer_id": customer_id}, opened.session)
    return JsonResponse({"session": opened.key, "location": first_page(journey)})


def language_of(request: HttpRequest, wanted: str) -> str:
    """Return the language wanted by the host page, else by the browser, else the default one.

    No cookie is read.
    """
    header = request.headers.get("Accept-Language", "")
    for code in [wanted, *(code for code, _weight in parse_accept_lang_header(header))]:
        try:
            return translation.get_supported_language_variant(code)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE


def _read(request: HttpRequest) -> tuple[str, str, str]:
    """Return token, language and time zone of the JSON body; the last two may be empty.

    Raises: KeyError, TypeError, ValueError, RecursionError for a malformed body.
    """
    if request.content_type != "application/json" or len(request.body) > TOKEN_BODY_MAX:
        raise ValueError
    body = json.loads(request.body)
    token, language, time_zone = body["token"], body.get("language", ""), body.get("timeZone", "")
    if not all(isinstance(one, str) for one in (token, language, time_zone)):
        raise TypeError
    if not token.isascii():
        raise ValueError
    return token, language, time_zone


def _framed_by(origins: Iterable[str], page: HttpResponse, request: HttpRequest) -> HttpResponse:
    policy = {"frame-ancestors": list(origins) or [NONE], "img-src": [SELF, "blob:"]}
    return cast("HttpResponse", csp_replace(policy)(lambda _request: page)(request))
