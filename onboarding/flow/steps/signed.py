"""The signed record of an application, or of an owner's part: a page and a signed PDF."""

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language

from onboarding.flow.pages import FlowPage
from onboarding.models import OwnerRecord, SignedRecord
from onboarding.services.leads import signed_record_files, signed_records


class Signed(FlowPage):
    """The page of the signed record."""

    layout = "onboarding/flow/base.html"

    @property
    def back_url(self) -> str:
        return self.journey.url("status")

    def get(self, request: HttpRequest) -> HttpResponse:
        journey, record = self.journey, self.record()
        texts = [
            {**text, "url": journey.url("legal", text=text["text"])}
            for text in record.content["texts"]
        ]
        pdf_url = journey.url("signed_pdf")
        return self.show(
            request,
            "signed",
            record=record,
            texts=texts,
            pdf_url=pdf_url,
            layout=self.layout,
            shown_language=get_language(),
        )

    def find_record(self) -> SignedRecord | OwnerRecord:
        """Return the signed record that the page shows. Raises: NotSigned."""
        return signed_records.get_record(self.journey.application)

    def record(self) -> SignedRecord | OwnerRecord:
        """Return the signed record that the page shows. Raises: Http404 before the signature."""
        try:
            return self.find_record()
        except signed_records.NotSigned:
            raise Http404 from None


class SignedPdf(Signed):
    """The record as a PDF, to keep."""

    def get(self, request: HttpRequest) -> HttpResponse:
        download = signed_record_files.write_pdf(self.record(), at=timezone.now())
        disposition = f'attachment; filename="{download.file_name}"'
        headers = {"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"}
        return HttpResponse(download.content, download.content_type, headers=headers)
