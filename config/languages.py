"""Response languages: pages use the reader's language, all other responses English."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from config.paths import FOR_READERS


class PageLanguageMiddleware:
    """Render pages in the language of the cookie, or else of the browser.

    The API, the tools and the back office stay in English. Embedded frames receive no cookie,
    so their views choose the language.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not FOR_READERS.match(request.path_info):
            return self.get_response(request)
        language = translation.get_language_from_request(request)
        with translation.override(language):
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
        return response
