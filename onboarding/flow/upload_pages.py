"""Upload pages: pages of an application whose form sends files."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from onboarding.flow.files import END
from onboarding.flow.form_pages import DraftPage
from onboarding.flow.pages import go_to
from onboarding.flow.receiving import CONFIRM, Remark, by_field, spooling
from onboarding.flow.slots import Slot
from onboarding.models import Application, FlowSession
from onboarding.services.applications.attempts import ApplicationClosed, CustomerAlreadyOnboarded
from onboarding.services.leads import form_drafts
from onboarding.services.leads.form_drafts import Draft
from onboarding.uploads import StorageUnavailable

REMOVE, MOVE = "remove", "move"  # buttons at a file
CHANGES = (REMOVE, MOVE, CONFIRM)
RETRY_SECONDS = "60"  # the wait after an upload that could not be stored


class UploadPage(DraftPage):
    """A page for uploads. Its draft has the remarks about the last upload."""

    form_id = "uploads"

    @property
    def closed_url(self) -> str:
        """Return the page to show when the application takes no more files."""
        return self.journey.url("status")

    def keep_posted(self, session: FlowSession, request: HttpRequest, **kwargs: Any) -> bool:
        """Keep nothing: files of an ended session are not stored."""
        return False

    def loses(self, request: HttpRequest) -> bool:
        """Return whether the form has files, broke off, or changes a file."""
        is_change = bool({*CHANGES} & request.POST.keys())
        return is_change or bool(request.FILES) or END not in request.POST

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            with spooling(request):
                return super().dispatch(request, *args, **kwargs)
        except (ApplicationClosed, CustomerAlreadyOnboarded):
            return go_to(self.closed_url)
        except (TooManyFilesSent, RequestDataTooBig):
            return self.refuse("too_large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        except StorageUnavailable:
            return no_storage(self.refuse("no_storage", HTTPStatus.SERVICE_UNAVAILABLE))

    def take_remarks(self) -> list[Remark]:
        """Return the remarks about the last upload, and delete them."""
        return take_remarks(self.journey.application, self.page, self.draft)

    def keep_remarks(self, remarks: Sequence[Remark]) -> None:
        """Keep remarks until the page is shown."""
        self.keep(Draft(by_field(remarks)))


def take_remarks(application: Application, page: str, draft: Draft | None) -> list[Remark]:
    """Return the remarks in the draft of a page for uploads, and delete them."""
    if not draft:
        return []
    form_drafts.discard(application, page)
    return [Remark(field, text) for field, texts in draft.values.items() for text in texts]


def facts_of(slots: Sequence[Slot], remarks: Sequence[Remark], url: str) -> dict[str, Any]:
    """Return the context of the form for uploads, and set the remarks of each slot."""
    noted = by_field(remarks)
    for slot in slots:
        slot.remarks = [text for name in slot.fields for text in noted.get(name, [])]
    return {"slots": slots, "remarks": remarks, "noted": noted, "upload_url": url, "draft": None}


def no_storage(response: HttpResponse) -> HttpResponse:
    """Add the seconds to wait, as the header Retry-After, to the page of a storage failure."""
    response["Retry-After"] = RETRY_SECONDS
    return response
