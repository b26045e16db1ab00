"""The page of files for accounting software: closed months of accounts, to download."""

from datetime import datetime
from http import HTTPStatus
from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone

from banking.choices import AccessLevel, AccessStatus, BooksFormat, UserType
from banking.models import Accountant, Business, User
from banking.paging import take_page
from banking.queries import accountants
from banking.queries.statements import list_statements
from banking.services.books import FormatUnavailable, list_formats
from foundation.backoffice.downloads import serve_stream
from foundation.throttling import rate_limits
from mcp_server.pages.base_page import CustomerView, page_request, signed_in, too_many
from mcp_server.services import page_downloads, page_log
from mcp_server.services.page_downloads import StatementsOnly

PAGE_SIZE = 24


class Books(CustomerView):
    """List the closed months of a business's accounts; accountants choose a client first."""

    def get(self, request: HttpRequest) -> HttpResponse:
        user, wanted = signed_in(request), request.GET.get("business")
        if user.user_type == UserType.ACCOUNTANT and not wanted:
            return render(
                request,
                "mcp_server/books_clients.html",
                {"clients": _clients(user, at=timezone.now())},
            )
        try:
            business = page_downloads.find_business(user, wanted)
        except StatementsOnly:
            return _statements_only(request)
        except Business.DoesNotExist:
            if wanted:
                raise Http404 from None
            return render(request, "mcp_server/books.html")
        context = {
            "business": business,
            "is_client": user.user_type == UserType.ACCOUNTANT,
            "months": take_page(
                list_statements(business),
                page=_number(request.GET.get("page")),
                page_size=PAGE_SIZE,
            ),
            "formats": list_formats(),
        }
        page_log.record(page_request(request), page_log.BOOKS, business_ids=[business.pk])
        return render(request, "mcp_server/books.html", context)


class DownloadBooks(CustomerView):
    """Download one closed month of an account as a file for accounting software."""

    http_method_names = ["get"]  # a HEAD request would be logged as a download

    def get(
        self, request: HttpRequest, statement_id: UUID, chosen: str
    ) -> HttpResponse | StreamingHttpResponse:
        asked = page_request(request)
        try:
            form = BooksFormat(chosen)
            file = page_downloads.download_books(asked, statement_id, form)
        except StatementsOnly:
            return _statements_only(request)
        except rate_limits.RateLimited as exc:
            seconds = exc.usage.reset_seconds
            context = {"seconds": seconds}
            return too_many(request, "mcp_server/too_many_downloads.html", context, seconds=seconds)
        except (ValueError, FormatUnavailable, ObjectDoesNotExist):
            raise Http404 from None
        return serve_stream(request, file, document=f"statement {statement_id}, {chosen}")


def _clients(user: User, *, at: datetime) -> list[tuple[accountants.Client, bool]]:
    """Return the connected clients of an accountant, and of each whether its books may be seen."""
    try:
        found = accountants.list_clients(accountants.get_accountant(user), at=at)
    except Accountant.DoesNotExist:
        return []
    connected = [client for client in found if client.status == AccessStatus.CONNECTED]
    return [(client, client.level != AccessLevel.STATEMENTS_ONLY) for client in connected]


def _statements_only(request: HttpRequest) -> HttpResponse:
    context = {"is_client": signed_in(request).user_type == UserType.ACCOUNTANT}
    return render(request, "mcp_server/books_refused.html", context, status=HTTPStatus.FORBIDDEN)


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else 0
