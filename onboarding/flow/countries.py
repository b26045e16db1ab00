"""Texts for the scripts of all pages: names of countries and states, and words on the session."""

from collections.abc import Callable

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

from banking.us_states import US_STATES
from onboarding.country_names import COUNTRY_NAMES
from onboarding.flow.themes import keep


@require_safe
def country_names(_request: HttpRequest, language: str) -> JsonResponse:
    """Return the names of countries in a language. Raises: Http404 for an unknown language."""
    return _answer(COUNTRY_NAMES.list_names, language)


@require_safe
def state_names(_request: HttpRequest, language: str) -> JsonResponse:
    """Return the names of US states in a language. Raises: Http404 for an unknown language."""
    return _answer(US_STATES.list_names, language)


@require_safe
def session_words(request: HttpRequest, language: str) -> HttpResponse:
    """Return the messages of scripts about the session and the connection, as HTML templates.

    Raises: Http404 for a language that pages do not have.
    """
    if language not in dict(settings.LANGUAGES):
        raise Http404
    with translation.override(language):
        response = render(request, "onboarding/flow/parts/session_words.html")
    keep(response, is_versioned=False)
    return response


def _answer(list_names: Callable[[str], list[str]], language: str) -> JsonResponse:
    if language not in dict(settings.LANGUAGES):
        raise Http404
    response = JsonResponse(list_names(language), safe=False)
    keep(response, is_versioned=False)
    return response
