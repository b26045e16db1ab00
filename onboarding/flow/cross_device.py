"""Cross-device upload: a page with a QR code for a phone, and with the pictures that came.

The pages that the phone shows are in `onboarding/flow/phone.py`.
"""

from http import HTTPStatus
from typing import Any, cast
from uuid import UUID

import segno
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from onboarding.choices import DocumentSide
from onboarding.flow.pages import FlowPage, go_to
from onboarding.flow.receiving import Remark, uuid_or_404
from onboarding.flow.upload_pages import UploadPage
from onboarding.models import Document, FlowSession, Owner, PhoneLink
from onboarding.queries.phone_links import find_open, get_of_session
from onboarding.queries.steps import Step
from onboarding.services.access import links, phone_links

PHONE = "phone"  # the button; its value is the id of an owner, or APPLICANT
APPLICANT = "applicant"
WAITING, ENTERED, ENDED, COMPLETE = "waiting", "entered", "ended", "complete"


class CrossDevicePage(UploadPage):
    """A page for uploads with a button that makes a link for a phone."""

    @property
    def form_url(self) -> str:
        """Return the path of the page with the upload form and the remarks about sent files."""
        return self.request.path

    def continue_on_phone(self) -> HttpResponse:
        """Make a link for a phone and redirect to its QR code.

        The link is for the person whom the pressed button names. If the owner was removed or too
        many links were made, redirect to `form_url` instead.
        """
        whose = self.request.POST[PHONE]
        owner_id = None if whose == APPLICANT else uuid_or_404(whose)
        session = cast("FlowSession", self.journey.session)
        try:
            link = phone_links.make(session, owner_id=owner_id, at=timezone.now())
        except Owner.DoesNotExist:
            return self.answer(self.form_url)
        except phone_links.TooManyPhoneLinks:
            text = _("You have asked for too many links. Wait an hour, or send the files here.")
            self.keep_remarks([Remark("", text)])
            return self.answer(self.form_url)
        return go_to(self.journey.url("phone", phone_id=link.external_id))


class PhoneLinkPage(FlowPage):
    """The page with the QR code of a phone link, its state and the files that came.

    A POST closes the link and returns to the page with the upload form.
    """

    def get(self, request: HttpRequest, phone_id: UUID) -> HttpResponse:
        link = self._get_link(phone_id)
        if link is None:
            return self.refuse("no_document", HTTPStatus.NOT_FOUND)
        location = links.phone_location(link)
        state, sent = state_of(link), self._list_sent(link)
        return self.show(
            request,
            "phone/link",
            link=link,
            state=state,
            sent=sent,
            step=Step.DOCUMENTS,
            watched=f"{state}-{len(sent)}",
            location=location,
            qr_code=qr_code(location),
            done_url=self.back_url,
        )

    def post(self, request: HttpRequest, phone_id: UUID) -> HttpResponse:
        link = self._get_link(phone_id)
        if link:
            phone_links.close(link, at=timezone.now())
        return go_to(self.back_url)

    def _get_link(self, phone_id: UUID) -> PhoneLink | None:
        session = cast("FlowSession", self.journey.session)
        try:
            return get_of_session(session, phone_id)
        except PhoneLink.DoesNotExist:
            return None

    def _list_sent(self, link: PhoneLink) -> list[dict[str, Any]]:
        sent = Document.objects.filter(external_id__in=link.uploads).order_by("pk")
        return [
            {"name": one.file_name, "side": DocumentSide(one.side).label if one.side else ""}
            for one in sent
        ]


def state_of(link: PhoneLink) -> str:
    """Return the state of a link: not used yet, used by a phone, complete, or ended."""
    try:
        find_open(links.derive_phone_link(link.external_id), at=timezone.now())
    except PhoneLink.DoesNotExist:
        return COMPLETE if link.is_complete else ENDED
    return ENTERED if link.entered_at else WAITING


def qr_code(text: str) -> SafeString:
    """Return a QR code as an SVG element without inline styles."""
    drawn = segno.make(text, error="m").svg_inline(border=2, omitsize=True, svgclass=None)
    return mark_safe(drawn)  # noqa: S308 - segno draws squares; the text is not in it
