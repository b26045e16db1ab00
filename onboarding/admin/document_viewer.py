"""Document viewer: a document to judge, in a frame of the case or on a page of its own."""

from http import HTTPStatus

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from banking.errors import StepRefused
from foundation.backoffice.downloads import log_file, open_or_404
from foundation.backoffice.lists import may_view
from foundation.files import PDF
from onboarding.admin import file_tokens
from onboarding.admin.case_answers import split_messages
from onboarding.admin.case_documents import documents_of
from onboarding.admin.case_people import (
    BUSINESS_NUMBERS,
    business_facts,
    numbers_of,
    person_card,
    rated_values,
)
from onboarding.admin.document_access import OPEN, DocumentAccess
from onboarding.admin.document_facts import can_be_shown
from onboarding.admin.document_pages import draw, page_number
from onboarding.admin.people import current_case
from onboarding.choices import LlcFileType
from onboarding.models import Application, Lead, Owner
from onboarding.queries.leads import open_lead_file
from onboarding.queries.staff import REVIEW
from onboarding.services.documents import case_documents
from onboarding.services.reviews.cases import Incomplete, has_claim

ZOOMS = ["1", "1.5", "2", "3", "4"]  # times the size that fits; the style sheet has a class of each


class DocumentViewer(DocumentAccess):
    """The pages of a document by which staff open, view, rotate and judge it."""

    def get_urls(self):
        may = self.has_view_permission
        opening = self.page("open", self.may_open, guard=require_POST)
        turning = self.page(
            "turn", lambda request: request.user.has_perm(REVIEW), guard=require_POST
        )
        return [opening, turning, self.page("view", may), *super().get_urls()]

    def open(self, request, document):
        """Record that the user opens the document, and redirect to it with a token.

        The redirect leads to the viewer, or to the file itself if that cannot be shown or the user
        downloads it. Users who must give a reason are asked first. Returns None if the opening is
        refused. Raises: Http404 without a file.
        """
        if not document.file:
            raise Http404("The document has no file yet.")
        form = self.read_reason(request)
        if form is not None and not form.is_valid():
            return self.ask_for_reason(request, document, form)
        why = form.cleaned_data if form else {}
        try:
            case_documents.note_opened(document, by=request.user, at=timezone.now(), **why)
        except Incomplete as exc:
            form.add_error("note", str(exc))
            return self.ask_for_reason(request, document, form)
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.WARNING)
            return None
        token = file_tokens.issue(request.user, document)
        if "keep" in request.POST or not can_be_shown(document):
            asked = {"token": token, "keep": "1"}
            path = reverse("admin:onboarding_document_file", args=[document.pk], query=asked)
        else:
            path = viewer_path(document, token, is_pane="pane" in request.POST)
        return HttpResponseRedirect(path, status=HTTPStatus.SEE_OTHER)

    def turn(self, request, document):
        """Store the rotation of the picture, in degrees, for later viewers.

        Raises: PermissionDenied without a valid token; Http404 unless it is 0, 90, 180 or 270
        degrees.
        """
        token, degrees = request.POST.get("token", ""), request.POST.get("degrees", "")
        if not self.is_opened(request, document, token):
            raise PermissionDenied
        if degrees not in case_documents.ROTATIONS:
            raise Http404("A picture is rotated by quarters.")
        case_documents.rotate(document, int(degrees))
        if "by_script" in request.POST:
            return HttpResponse(status=HTTPStatus.NO_CONTENT)
        path = viewer_path(document, token, is_pane="pane" in request.POST)
        return HttpResponseRedirect(path, status=HTTPStatus.SEE_OTHER)

    def view(self, request, document, *, refused=None, status=None):
        """Show the picture of a document if the token is valid; of a PDF file, one page.

        Without a valid token, or for a file that cannot be shown, the page says where to open it.
        `refused` is a form by which the user judged the document, with its errors.
        """
        sent = request.POST if refused else request.GET
        token = sent.get("token", "")
        if not (self.is_opened(request, document, token) and can_be_shown(document)):
            return self.ask_to_open(request, document)
        token, case = file_tokens.issue(request.user, document), _case_of(document)
        zoom = sent.get("zoom", "1")
        zoom = zoom if zoom in ZOOMS else "1"
        is_pane = "pane" in sent
        has_facts = not is_pane and may_view(request, Lead, Owner)
        return self.show_page(
            request,
            "onboarding/document/viewer",
            original=document,
            is_popup=True,  # without the header and the navigation
            is_pane=is_pane,
            token=token,
            whole=viewer_path(document, token),
            here=viewer_path(document, token, is_pane=is_pane),
            zoom=zoom,
            zoom_class=f"zoom-{zoom.replace('.', '-')}",
            nearer=_beside(ZOOMS, zoom, 1),
            farther=_beside(ZOOMS, zoom, -1),
            right=(document.rotation + 90) % 360,
            may_turn=request.user.has_perm(REVIEW),
            refused=refused,
            step_answers=[one for group in split_messages(request).values() for one in group],
            status=status,
            **_picture(request, document, token, sent),
            **_place(request, document, case),
            **(_facts_beside(document, case) if has_facts else {}),
        )

    def is_opened(self, request, document, token, lifetime=None):
        """Return whether the user opened the document, by the token, and may still view it.

        The token is valid for `lifetime`, by default READING.
        """
        lifetime = lifetime or file_tokens.READING
        is_good = file_tokens.is_good(token, request.user, document, lifetime=lifetime)
        return is_good and document.is_openable and request.user.has_perm(OPEN)

    def ask_to_open(self, request, document):
        """Return the page that says that a document is opened from its case, with status 403."""
        case = current_case(document.lead)
        return self.show_page(
            request,
            "onboarding/document/no_token",
            title="Open it from the case",
            path=reverse("admin:onboarding_application_change", args=[case.pk]) if case else "",
            status=HTTPStatus.FORBIDDEN,
        )


def viewer_path(document, token, *, is_pane=False):
    """Return the address of the viewer of a document that was opened."""
    asked = {"token": token} | ({"pane": "1"} if is_pane else {})
    return reverse("admin:onboarding_document_view", args=[document.pk], query=asked)


def _picture(request, document, token, sent):
    """Return the template context of a picture: the URL of an image, or a drawn page of a PDF file.

    A drawn page is logged as a download. Raises: Http404, UnreadableFile.
    """
    if document.detected_type != PDF:
        path = reverse("admin:onboarding_document_file", args=[document.pk], query={"token": token})
        return {"source": path, "is_pdf": False}
    number = page_number(sent.get("page", ""))
    log_file(request, f"{document}, page {number}")
    drawn = draw(open_or_404(document), number)
    source = f"data:image/png;base64,{drawn['picture']}" if drawn["page"] else ""
    return {**drawn, "source": source, "is_pdf": True}


def _case_of(document):
    """Return the current application of the document's lead, with all columns of both; or None."""
    found = Application.objects.select_related("lead")
    return found.filter(lead=document.lead_id, is_current=True).first()


def _place(request, document, case):
    """Return the position of the document in its case, and the steps that the user may take."""
    if case is None or not may_view(request, Application, Lead, Owner):
        return {"title": document.file_name, "row": None}
    rows = documents_of(open_lead_file(case))
    shown = [row for row in rows if row["is_shown"]]
    own = next((row for row in rows if row["document"].pk == document.pk), None)
    number = next((n for n, row in enumerate(shown) if row["document"].pk == document.pk), 0)
    has_case = request.user.has_perm(REVIEW) and has_claim(case, by=request.user, at=timezone.now())
    steps = ["accept_document", "reject_document", "change_kind", "change"]
    return {
        "title": own["name"] if own else document.file_name,
        "row": own,
        "case": case,
        "number": number + 1,
        "count": len(shown),
        "previous": shown[number - 1] if number else None,
        "following": shown[number + 1] if number + 1 < len(shown) else None,
        "may_judge": bool(own and own["is_judged"] and has_case),
        "urls": {
            name: reverse(f"admin:onboarding_application_{name}", args=[case.pk]) for name in steps
        },
        "kinds": LlcFileType.choices,
    }


def _facts_beside(document, case):
    """Return the facts of the business, and of the owner or applicant whose document it is."""
    lead = case.lead if case else Lead.objects.get(pk=document.lead_id)
    rated = rated_values(case) if case else {}
    owner = document.owner_id and Owner.objects.get(pk=document.owner_id)
    return {
        "card": person_card(owner or lead, rated=rated),
        "business_facts": business_facts(lead, rated=rated),
        "business_numbers": numbers_of(lead, BUSINESS_NUMBERS),
        "may": {},  # numbers are revealed on the case
    }


def _beside(values, value, step):
    """Return the value `step` places after `value`; empty beyond either end."""
    at = values.index(value) + step
    return values[at] if 0 <= at < len(values) else ""
