"""The names of all countries, which a script suggests while one is typed."""

from django.conf import settings
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from onboarding.country_names import list_country_names
from onboarding.flow.themes import keep


@require_safe
def country_names(_request: HttpRequest, language: str) -> JsonResponse:
    """Return the names in a language. Raises: Http404 for a language that pages do not have."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    response = JsonResponse(list_country_names(language), safe=False)
    keep(response, is_versioned=False)
    return response
