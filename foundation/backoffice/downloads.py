"""Serve files and streams to staff and customers, and log each download."""

import logging
from io import BytesIO

from django.contrib import admin
from django.http import FileResponse, Http404, StreamingHttpResponse
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import content_disposition_header

from foundation.files import SHOWN_INLINE, gathered

logger = logging.getLogger(__name__)
NO_SNIFFING = {"X-Content-Type-Options": "nosniff"}


def serve(request, content, *, document, name, content_type, is_harmless=True):
    """Return the response with a file, and log the download under the name `document`.

    Browsers may show the file if it `is_harmless` and of a type in SHOWN_INLINE; else they save it.
    """
    is_shown = is_harmless and content_type in SHOWN_INLINE
    log_file(request, document)
    return FileResponse(
        content,
        as_attachment=not is_shown,
        filename=name,
        content_type=content_type if is_shown else "application/octet-stream",
        headers=NO_SNIFFING,
    )


def serve_stream(request, stream, *, document):
    """Return the response with a file that is made while it is sent, and log the download.

    Browsers save the file and do not show it.
    """
    log_file(request, document)
    disposition = content_disposition_header(as_attachment=True, filename=stream.file_name)
    return StreamingHttpResponse(
        gathered(stream.chunks),
        content_type=stream.content_type,
        headers={**NO_SNIFFING, "Content-Disposition": disposition},
    )


def serve_download(request, download, *, document):
    """Return the response with a file that was made for the request, and log the download."""
    return serve(
        request,
        BytesIO(download.content),
        document=document,
        name=download.file_name,
        content_type=download.content_type,
    )


def open_or_404(row):
    """Return the file of a row, opened. Raises: Http404 if the store lacks it; UnreadableFile."""
    try:
        return row.open_file()
    except FileNotFoundError:
        raise Http404("The file is not in the store.") from None


class FileScreen:
    """A mixin of screens that shows the size of a stored file and a link to it."""

    shown = SHOWN_INLINE

    @admin.display(description="size", ordering="size_bytes")
    def size(self, row):
        return filesizeformat(row.size_bytes)

    @admin.display(description="file")
    def file_link(self, row):
        """Link to the file; a file that browsers may show opens in a new tab."""
        opts = row._meta
        url = reverse(f"admin:{opts.app_label}_{opts.model_name}_file", args=[row.pk])
        return file_links(url, is_shown=row.content_type in self.shown)


def file_links(url, *, is_shown):
    """Return a download link, and before it a link that opens the file if it can be shown."""
    keep = format_html('<a href="{}" download>Download</a>', url)
    if not is_shown:
        return keep
    look = format_html('<a href="{}" target="_blank" rel="noopener">Open</a>', url)
    return format_html('<span class="file-links">{} · {}</span>', look, keep)


def log_file(request, document):
    """Log which user got the file of a document. A HEAD request gets no file and is not logged."""
    if request.method != "HEAD":
        logger.info("user %s took the file of %s", request.user.external_id, document)
