"""Open the links to files that assistants downloaded; a sign-in is not needed."""

from http import HTTPStatus
from io import BytesIO

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.generic import View

from foundation.throttling import rate_limits
from mcp_server.pages.base_page import too_many
from mcp_server.services import file_links

HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
}


class OpenFileLink(View):
    """Send the file of a link to the browser or program that has its address, to be saved."""

    http_method_names = ["get"]

    def dispatch(self, request: HttpRequest, *args: str, **kwargs: str) -> HttpResponseBase:
        response = super().dispatch(request, *args, **kwargs)
        for name, value in HEADERS.items():
            response[name] = value
        return response

    def get(self, request: HttpRequest, secret: str) -> HttpResponse | FileResponse:
        request_id = request.META["HTTP_X_REQUEST_ID"]
        try:
            file = file_links.open_link(secret, request_id=request_id, at=timezone.now())
        except file_links.NoLink:
            return render(request, "mcp_server/link_ended.html", status=HTTPStatus.NOT_FOUND)
        except rate_limits.RateLimited as exc:
            seconds = exc.usage.reset_seconds
            template, context = "mcp_server/too_many_downloads.html", {"seconds": seconds}
            return too_many(request, template, context, seconds=seconds)
        return FileResponse(
            BytesIO(file.content),
            as_attachment=True,
            filename=file.file_name,
            content_type=file.content_type,
        )
